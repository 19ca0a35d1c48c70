"""What an observed rollout says about itself: `ng_trajectory` and `ng_perf`."""

from typing import Any

from examples.theatre.dice import token
from examples.theatre.performance import Performance, Turn, text_of
from examples.theatre.rollouts import Rollout
from examples.theatre.script import Ending
from examples.theatre.tasks import Item

Record = dict[str, Any]

INVOCATION = "invocation-0"
MODEL_REF = {"type": "responses_api_models", "name": "policy_model"}
TOKEN_STATS = (
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "total_tokens",
    "cached_tokens",
)


def trajectory(rollout: Rollout) -> Record:
    """Return the recorded trajectory: one invocation, its turns, model calls and tool calls."""
    turns = rollout.performance.turns
    return {
        "schema_version": "1.0",
        "task_id": rollout.task.task_id,
        "rollout_id": rollout.key,
        "invocations": [_invocation(rollout)],
        "turns": [_turn(rollout, number, turn) for number, turn in enumerate(turns, 1)],
        "model_calls": [
            *(_model_call(rollout, turn) for turn in turns),
            *_refused_call(rollout),
        ],
        "tool_calls": [_tool_call(rollout, turn) for turn in turns if turn.tool is not None],
        "gaps": _gaps(rollout),
    }


def perf(performance: Performance) -> Record:
    """Return the totals of a rollout's turns."""
    turns = performance.turns
    return {
        "num_turns": len(turns),
        "num_tool_calls": sum(turn.tool is not None for turn in turns),
        "token_observability_coverage": 1.0,
        "prompt_tokens": sum(turn.prompt_tokens for turn in turns),
        "completion_tokens": sum(turn.completion_tokens for turn in turns),
        "reasoning_tokens": sum(turn.reasoning_tokens for turn in turns),
        "total_latency_ms": round(sum(turn.seconds for turn in turns) * 1000, 3),
    }


def _call_ref(rollout: Rollout, turn: Turn) -> Record:
    return {"model_call_id": f"mc_{token(rollout.performance.key, turn.first_item, length=16)}"}


def _items(rollout: Rollout, turn: Turn) -> list[Item]:
    return rollout.performance.output[turn.first_item : turn.first_item + turn.items]


def _texts(items: list[Item], kind: str) -> str | None:
    texts = [
        item["summary"][0]["text"] if kind == "reasoning" else text_of(item) for item in items if item["type"] == kind
    ]
    return "\n".join(texts) if texts else None


def _is_cut(rollout: Rollout, turn: Turn) -> bool:
    last = turn is rollout.performance.turns[-1]
    return last and rollout.direction.script.ending is Ending.TOKEN_LIMIT


def _invocation(rollout: Rollout) -> Record:
    finished = rollout.direction.script.ending is Ending.FINISHED
    return {
        "kind": "agent_invocation",
        "invocation_id": INVOCATION,
        "parent_invocation_id": None,
        "spawned_by_tool_call_id": None,
        "status": "completed" if finished else "incomplete",
        "duration_ms": round(rollout.performance.elapsed * 1000, 3),
        "error_type": None,
        "model_calls": [_call_ref(rollout, turn) for turn in rollout.performance.turns],
        "conversation": rollout.task.request(),
    }


def _turn(rollout: Rollout, number: int, turn: Turn) -> Record:
    items = _items(rollout, turn)
    return {
        "invocation_id": INVOCATION,
        "task_id": rollout.task.task_id,
        "rollout_id": rollout.key,
        "turn_no": number,
        "timestamp": round(rollout.began + turn.began, 3),
        "question": rollout.task.prompt if number == 1 else None,
        "answer": _texts(items, "message"),
        "reasoning_content": _texts(items, "reasoning"),
        "resolved": None,
        "step_count": 0 if turn.tool is None else 1,
        "model_calls": [_call_ref(rollout, turn)],
    }


def _model_call(rollout: Rollout, turn: Turn) -> Record:
    began = round(rollout.began + turn.began, 3)
    before = rollout.performance.output[: turn.first_item]
    response_id = f"resp_{token(rollout.performance.key, 'call', turn.first_item)}"
    return {
        **_call_ref(rollout, turn),
        "started_at": began,
        "completed_at": round(began + turn.seconds, 3),
        "duration_ms": round(turn.seconds * 1000, 3),
        "request": {"model": rollout.agent.model, "input": [*rollout.task.request(), *before]},
        "response": {
            "id": response_id,
            "object": "response",
            "model": rollout.agent.model,
            "output": _items(rollout, turn),
        },
        "response_metadata": _response_metadata(rollout, turn, response_id),
        "token_stats": dict(zip(TOKEN_STATS, _tokens(turn), strict=True)),
    }


def _tokens(turn: Turn) -> tuple[int | None, ...]:
    total = turn.prompt_tokens + turn.completion_tokens
    return (turn.prompt_tokens, turn.completion_tokens, turn.reasoning_tokens, total, None)


def _refused_call(rollout: Rollout) -> list[Record]:
    """Return the last model call where it failed: no turn came of it and nobody counted it."""
    status = rollout.direction.script.refused_call
    if status is None:
        return []
    output = rollout.performance.output
    call_id = f"mc_{token(rollout.performance.key, 'refused', length=16)}"
    return [
        {
            "model_call_id": call_id,
            "started_at": rollout.finished,
            "completed_at": rollout.finished,
            "duration_ms": 0.0,
            "request": {"model": rollout.agent.model, "input": [*rollout.task.request(), *output]},
            "response": None,
            "response_metadata": _refusal_metadata(rollout, status),
            "token_stats": dict.fromkeys(TOKEN_STATS),
        }
    ]


def _refusal_metadata(rollout: Rollout, status: int) -> Record:
    return {
        "response_id": None,
        "model_ref": MODEL_REF,
        "model": rollout.agent.model,
        "dialect": "responses",
        "status_code": status,
        "response_status": "failed",
        "finish_reason": None,
        "error_category": "server_error" if status >= 500 else "invalid_request",
        "latency_ttft_ms": None,
    }


def _response_metadata(rollout: Rollout, turn: Turn, response_id: str) -> Record:
    cut = _is_cut(rollout, turn)
    return {
        "response_id": response_id,
        "model_ref": MODEL_REF,
        "model": rollout.agent.model,
        "dialect": "responses",
        "status_code": 200,
        "response_status": "incomplete" if cut else "completed",
        "finish_reason": "max_output_tokens" if cut else None,
        "error_category": None,
        "latency_ttft_ms": None,
    }


def _tool_call(rollout: Rollout, turn: Turn) -> Record:
    began = round(rollout.began + turn.began + turn.seconds, 3)
    output = rollout.performance.output
    place = turn.first_item + turn.items
    answered = place < len(output) and output[place].get("call_id") == turn.call_id
    return {
        "kind": "tool_call",
        "invocation_id": INVOCATION,
        "tool_call_id": turn.call_id,
        "sandbox_id": None,
        "tool_name": turn.tool,
        "started_at": began,
        "completed_at": round(began + turn.tool_seconds, 3) if answered else None,
        "duration_ms": round(turn.tool_seconds * 1000, 3) if answered else None,
        "timing_source": "harness",
        "status": turn.tool_status,
        "error_type": "tool_error" if turn.tool_status == "failed" else None,
        "output": output[place]["output"] if answered else None,
    }


def _gaps(rollout: Rollout) -> list[Record]:
    if rollout.direction.script.ending is not Ending.BROKEN_OFF:
        return []
    detail = "the rollout broke off; model calls after the last recorded one are unknown"
    return [
        {
            "code": "model_call_capture_incomplete",
            "invocation_id": INVOCATION,
            "detail": detail,
        }
    ]
