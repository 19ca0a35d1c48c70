"""Rows as NeMo Gym writes them: materialized inputs, rollouts, failed attempts."""

from examples.theatre.agents import Agent
from examples.theatre.dice import token
from examples.theatre.performance import Performance
from examples.theatre.rollouts import Rollout
from examples.theatre.script import TOKEN_LIMIT, Ending, FailedAttempt
from examples.theatre.tasks import Row, Task
from examples.theatre.trajectory import perf, trajectory

CONTEXT_ERROR = {
    "code": "context_length_exceeded",
    "message": "The input is longer than the context window of this model.",
}

_UNSET = (
    "background include instructions max_tool_calls metadata model previous_response_id prompt "
    "reasoning service_tier store text top_logprobs top_p truncation user stream"
)


def agent_ref(agent: Agent, benchmark: str) -> Row:
    """Return the reference by which rows name their agent."""
    return {"type": "responses_api_agents", "name": f"{benchmark}_{agent.name.replace('-', '_')}_agent"}


def input_row(agent: Agent, task: Task, repeat: int) -> Row:
    """Return the materialized input: what the run owes, with the fields that were set alone."""
    request = {
        "input": task.request(),
        "tools": task.declarations(),
        "parallel_tool_calls": False,
        "temperature": agent.temperature,
        "max_output_tokens": TOKEN_LIMIT,
    }
    row = {
        "responses_create_params": request,
        **_task_fields(task),
        "agent_ref": agent_ref(agent, task.benchmark),
        "_ng_task_index": task.index,
        "_ng_rollout_index": repeat,
    }
    return task.vocabulary.row(row)


def rollout_row(rollout: Rollout, *, observability: bool = False) -> Row:
    """Return the row of the main file."""
    attempts = len(rollout.direction.script.failed_attempts)
    row = {
        "_ng_task_index": rollout.task.index,
        "_ng_rollout_index": rollout.repeat,
        **({"_ng_attempt_index": attempts} if attempts else {}),
        "agent_ref": agent_ref(rollout.agent, rollout.task.benchmark),
        "responses_create_params": _full_request(rollout),
        "response": _response(rollout),
        **_verified_fields(rollout),
        **_ending_fields(rollout),
        **(_observed(rollout) if observability else {}),
    }
    return rollout.task.vocabulary.row(row)


def failure_rows(rollout: Rollout) -> list[Row]:
    """Return the lines of the failures file, one for each attempt that failed."""
    attempts = rollout.direction.script.failed_attempts
    show = rollout.task.vocabulary.row
    return [show(_failure_row(rollout, attempt, number)) for number, attempt in enumerate(attempts)]


def _failure_row(rollout: Rollout, attempt: FailedAttempt, number: int) -> Row:
    row: Row = {
        "_ng_task_index": rollout.task.index,
        "_ng_rollout_index": rollout.repeat,
        **({"_ng_attempt_index": number} if number else {}),
        "agent_ref": agent_ref(rollout.agent, rollout.task.benchmark),
        "responses_create_params": _full_request(rollout),
        **_task_fields(rollout.task),
        "_ng_failure_class": attempt.failure_class,
        "failure_reason": attempt.message,
    }
    if attempt.judged_response:
        return row | {
            "response": _response(rollout),
            "reward": 0.0,
            "_ng_failure_judge_error": attempt.message,
            "failure_kind": "judge_failed",
            "mask_sample": True,
        }
    return row | {
        "_ng_failure_message": attempt.message,
        "_ng_failure_http_status": attempt.http_status,
        "_ng_failure_terminal": False,
    }


def _task_fields(task: Task) -> Row:
    return {"task_id": task.shown_id, **task.setting.fields(task)}


def _verified_fields(rollout: Rollout) -> Row:
    return {"reward": rollout.row_reward, **_task_fields(rollout.task), **rollout.verdict.fields}


def _ending_fields(rollout: Rollout) -> Row:
    performance, script = rollout.performance, rollout.direction.script
    timed_out = script.ending is Ending.TIME_LIMIT
    return {
        **_ending_word(rollout),
        "finished_naturally": script.ending is Ending.FINISHED,
        "turns_used": len(performance.turns),
        "agent_timed_out": timed_out,
        "agent_run_time": performance.elapsed,
        "mask_sample": False,
        "failure_kind": "agent_timeout" if timed_out else None,
        **script.marks,
    }


def _ending_word(rollout: Rollout) -> Row:
    vocabulary, ending = rollout.task.vocabulary, rollout.direction.script.ending
    if vocabulary.ending_field is None:
        return {}
    return {vocabulary.ending_field: vocabulary.ending_words.get(ending.value, ending.value)}


def _full_request(rollout: Rollout) -> Row:
    return {
        "input": rollout.task.request(),
        "tools": rollout.task.declarations(),
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "temperature": rollout.agent.temperature,
        "max_output_tokens": TOKEN_LIMIT,
        **dict.fromkeys(_UNSET.split()),
    }


def _response(rollout: Rollout) -> Row:
    performance, ending = rollout.performance, rollout.direction.script.ending
    cut = ending is Ending.TOKEN_LIMIT
    return {
        "id": f"resp_{token(performance.key, 'response')}",
        "created_at": rollout.finished,
        "model": rollout.agent.model,
        "object": "response",
        "output": performance.output,
        "status": "completed" if ending is Ending.FINISHED else None,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": CONTEXT_ERROR if ending is Ending.CONTEXT_LIMIT else None,
        "usage": _usage(performance),
        "tools": rollout.task.declarations(),
        "tool_choice": "auto",
        "parallel_tool_calls": False,
        "temperature": rollout.agent.temperature,
        "top_p": 1.0,
        "max_output_tokens": TOKEN_LIMIT,
        "metadata": {},
        "instructions": None,
    }


def _usage(performance: Performance) -> Row:
    """Return the tokens of all model calls together."""
    read = sum(turn.prompt_tokens for turn in performance.turns)
    written = sum(turn.completion_tokens for turn in performance.turns)
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": sum(turn.reasoning_tokens for turn in performance.turns)},
        "total_tokens": read + written,
    }


def _observed(rollout: Rollout) -> Row:
    return {"ng_trajectory": trajectory(rollout), "ng_perf": perf(rollout.performance)}
