"""A decoded row becomes a rollout: what each fact is read from, in which order, when rows disagree."""

import hashlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Raw

from blade import content
from blade.artifacts.cutting import Text
from blade.artifacts.nemo_gym.names import ID_FIELDS
from blade.artifacts.nemo_gym.row import NotARowError, Request, Response, Row, RowDecoder, TokenUsage
from blade.artifacts.nemo_gym.trajectory import Seen, seen_in
from blade.content import Value
from blade.item import Entry, Item, entries_of, flatten
from blade.rollout import Evidence, Hashes, Observed, Place, Rollout, Sampling, Skipped, Step, Timing, Usage, steps_of

_ELAPSED = ("elapsed_seconds", "total_run_time", "agent_run_time")
_FAILURE_TEXTS = ("_ng_failure_message", "_ng_failure_judge_error", "_ng_failure_response_body", "failure_reason")
_EVIDENCE_FIELDS = frozenset(
    (
        *_FAILURE_TEXTS,
        "_ng_failure_class",
        "_ng_failure_stage",
        "error",
        "failure_kind",
        "instance_config",
        "mask_sample",
    )
)
_END_STATE = re.compile(
    r"(end|final|terminal|post|resulting)_?(state|db|database|snapshot)|(state|db)_hash", re.IGNORECASE
)
_OTHER_STATE = re.compile(r"expected|initial|start|gold|target|before|reference", re.IGNORECASE)
_MOST_REMEMBERED = 200_000
_LARGEST = 1e300
_LEAST_TOOLS = len("null") + 1
"""Bytes of a list of tools that is neither null nor empty."""


class RolloutReader:
    """Reads the lines of one file; remembers prompts and tool lists, which most rows share."""

    def __init__(self, id_fields: tuple[str, ...] = ()) -> None:
        self._rows = RowDecoder()
        self._id_fields = (*id_fields, *(name for name in ID_FIELDS if name not in id_fields))
        self._prompts: dict[bytes, _PromptHashes] = {}
        self._tools: dict[bytes, str | None] = {}
        self._no_end_states: set[str] = set()

    def read(self, line: Text, place: Place) -> Rollout | Skipped:
        """The rollout on `line`, or why there is none."""
        try:
            row = self._rows.decode(line)
        except NotARowError as reason:
            return Skipped(place.file, place.line, str(reason), place.offset)
        try:
            return self._rollout(row, self._rows.fields(row), place)
        except RecursionError:
            return Skipped(place.file, place.line, "nested too deeply to be read", place.offset)

    def _rollout(self, row: Row, fields: dict[str, Value], place: Place) -> Rollout:
        problems: list[str] = list(getattr(row, "problems", ()))
        request, response = row.responses_create_params or _NO_REQUEST, row.response or _NO_RESPONSE
        seen = seen_in(row, problems) if row.trajectory or row.capture or row.observations else _NOTHING_SEEN
        reward, reward_field = _reward(row, fields, problems)
        task_index = _integer(row.task_index)
        word = _word(row.task_index) if task_index is None else None
        row_id, row_id_field = (word, "_ng_task_index") if word else self._row_id(fields)
        items = _items(response.output) if row.response else seen.items
        environment = _word(row.environment_server)
        return Rollout(
            place=place,
            task_index=task_index,
            rollout_index=_integer(row.rollout_index),
            attempt_index=_integer(row.attempt_index),
            stage=_word(fields.get("stage_index")),
            row_id=row_id,
            row_id_field=row_id_field,
            agent=(row.agent_ref if isinstance(row.agent_ref, str) else row.agent_ref and row.agent_ref.name)
            or environment,
            environment=environment or _word(fields.get("task_source")),
            model=response.model or request.model or seen.model,
            reward=reward,
            reward_field=reward_field,
            sampling=_sampling(request, response),
            usage=_usage(response.usage, problems),
            evidence=_evidence(response, fields),
            timing=_timing(response, fields, seen),
            observed=seen.observed,
            hashes=self._hashes(row, request, response, fields),
            tools=request.tools if len(request.tools) >= _LEAST_TOOLS else response.tools,
            prompt_size=len(request.input),
            read_prompt=_prompt_reader(request),
            steps_from=("response" if response.output is not None else "none") if row.response else seen.items_from,
            items=items,
            tool_records=seen.tools,
            fields=fields,
            problems=problems,
        )

    def _row_id(self, fields: dict[str, Value]) -> tuple[str | None, str | None]:
        for name in self._id_fields:
            if name in fields and (word := _word(fields[name])):
                return word, name
        return None, None

    def _hashes(self, row: Row, request: Request, response: Response, fields: dict[str, Value]) -> Hashes:
        prompts = self._prompt_hashes(request)
        tools, tools_from = self._tools_hash(request.tools), "request"
        if tools is None:
            tools, tools_from = self._tools_hash(response.tools), "response"
        return Hashes(
            *prompts,
            tools,
            tools_from if tools else None,
            row.skills_ref.hash if row.skills_ref else None,
            self._end_state(fields),
        )

    def _prompt_hashes(self, request: Request) -> "_PromptHashes":
        """Of the whole prompt, of its leading instructions and of what follows them, in normal form."""
        source = b"".join(
            (request.input, b"\n", request.instructions, b"\n", b"" if len(request.input) > 4 else request.metadata)
        )
        return _remembered(self._prompts, source, lambda: _hash_prompt(request))

    def _tools_hash(self, tools: Raw) -> str | None:
        if len(tools) < _LEAST_TOOLS:
            return None
        return _remembered(self._tools, tools, lambda: content.digest(content.json_of(content.shallow(tools))))

    def _end_state(self, fields: dict[str, Value]) -> str | None:
        for name in sorted(fields.keys() - self._no_end_states):
            if not _END_STATE.search(name) or _OTHER_STATE.search(name):
                self._no_end_states.add(name)
            elif (value := fields[name]) is not None:
                return content.digest(content.json_of(value))
        return None


_NO_REQUEST, _NO_RESPONSE = Request(), Response()
_NOTHING_SEEN = Seen(Observed(), Timing(), {}, None, [], "none")


_Answer = TypeVar("_Answer")


def _remembered(memory: dict[bytes, _Answer], source: bytes | Raw, compute: Callable[[], _Answer]) -> _Answer:
    key = hashlib.sha256(source).digest()[:16]
    if key not in memory:
        if len(memory) > _MOST_REMEMBERED:
            memory.clear()
        memory[key] = compute()
    return memory[key]


def _items(output: list[Entry] | None) -> list[Item]:
    if output is None:
        return []
    return flatten(output) if list in set(map(type, output)) else output  # type: ignore[return-value]


def _prompt_items(request: Request) -> list[Item]:
    """The items the model was given: instructions first, a plain text as one user message."""
    items: list[Item] = []
    if len(request.instructions) > 4:
        items.append(Item(type="message", role="system", content=request.instructions))
    if bytes(memoryview(request.input)[:1]) == b'"':
        items.append(Item(type="message", role="user", content=request.input))
    elif request.input:
        items.extend(flatten(entries_of(request.input)))
    return items


class _PromptHashes(NamedTuple):
    prompt: str | None
    system: str | None
    question: str | None


def _hash_prompt(request: Request) -> _PromptHashes:
    steps = steps_of(_prompt_items(request))
    marks = [_mark(step) for step in steps]
    if not marks:
        metadata = content.shallow(request.metadata) if request.metadata else None
        known = content.digest(content.json_of(metadata)) if metadata else None
        return _PromptHashes(known, None, known)
    leading = next((place for place, step in enumerate(steps) if step.actor != "system"), len(steps))
    system = content.digest(content.canonical(marks[:leading])) if leading else None
    question = content.digest(content.canonical(marks[leading:])) if marks[leading:] else None
    return _PromptHashes(content.digest(content.canonical(marks)), system, question)


def _mark(step: Step) -> list[Any]:
    """What makes a prompt item what it is, and nothing that an echo of it fills in."""
    mark: list[Any] = [
        step.kind,
        step.actor,
        content.text_of(step.body),
        [[call.tool, call.arguments_text] for call in step.calls],
    ]
    media = content.media_of(step.body)
    return [*mark, media] if media else mark


def _reward(row: Row, fields: dict[str, Value], problems: list[str]) -> tuple[float | None, str | None]:
    """`reward`, else `score`, as a number."""
    value, name = (row.reward, "reward") if row.reward is not UNSET else (fields.get("score"), "score")
    if value is None or (isinstance(value, (int, float)) and abs(value) < _LARGEST):
        return (None if value is None else float(value)), (name if name == "reward" or value is not None else None)
    number = _number(value)
    taken = "null" if number is None else f"{number:g}"
    problems.append(f"{name} is {'text' if isinstance(value, str) else 'not a number'}, read as {taken}")
    return number, name


def _sampling(request: Request, response: Response) -> Sampling:
    effort = request.reasoning or response.reasoning
    return Sampling(
        _real(request.temperature if request.temperature is not None else response.temperature),
        _real(request.top_p if request.top_p is not None else response.top_p),
        _whole(request.max_output_tokens if request.max_output_tokens is not None else response.max_output_tokens),
        effort.effort if effort else None,
        _seed(request.metadata),
    )


def _seed(metadata: Raw) -> int | None:
    """The seed that a repeat was given: JSON inside the `extra_body` text of the metadata."""
    if b"extra_body" not in bytes(metadata):
        return None
    try:
        return _whole(msgspec.json.decode(msgspec.json.decode(metadata, type=_ExtraBody).extra_body, type=_Seed).seed)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


class _ExtraBody(msgspec.Struct):
    extra_body: str = "{}"


class _Seed(msgspec.Struct):
    seed: int | None = None


def _usage(usage: TokenUsage | None, problems: list[str]) -> Usage:
    if usage is None:
        return Usage()
    given = usage.input_tokens if usage.input_tokens is not None else usage.prompt_tokens
    made = usage.output_tokens if usage.output_tokens is not None else usage.completion_tokens
    if not (given or made or usage.total_tokens) and given is not None:
        problems.append("usage is all zero: read as not measured")
        return Usage()
    inputs = usage.input_tokens_details or usage.prompt_tokens_details
    outputs = usage.output_tokens_details or usage.completion_tokens_details
    reasoning = outputs.reasoning_tokens if outputs else None
    cached = inputs.cached_tokens if inputs else None
    return Usage(
        _whole(given), _whole(made), _whole(reasoning), _whole(cached), _whole(usage.total_tokens), _real(usage.cost)
    )


def _evidence(response: Response, fields: dict[str, Value]) -> Evidence:
    details = response.incomplete_details
    evidence = Evidence(response.status, details.reason if details else None, _text(response.error))
    if fields.keys() & _EVIDENCE_FIELDS:
        find = fields.get
        evidence.error = evidence.error or _text(find("error"))
        evidence.masked = _masked(fields)
        evidence.failure_class = _word(find("_ng_failure_class"))
        evidence.failure_kind = _word(find("failure_kind"))
        evidence.failure_stage = _word(find("_ng_failure_stage"))
        texts = (_text(fields[name]) for name in _FAILURE_TEXTS if name in fields)
        evidence.failure_text = next((text for text in texts if text and text != "none"), None)
    return evidence


def _masked(fields: dict[str, Value]) -> bool | None:
    """`mask_sample`, at the top or, in older rows, inside `instance_config`."""
    masked: Any = fields.get("mask_sample")
    if masked is None and isinstance(config := fields.get("instance_config"), dict) and "mask_sample" in config:
        masked = content.value_of(config["mask_sample"])
    return masked if isinstance(masked, bool) else None


def _timing(response: Response, fields: dict[str, Value], seen: Seen) -> Timing:
    names = [name for name in _ELAPSED if name in fields]
    elapsed = next((number for name in names if (number := _number(fields[name])) is not None), None)
    return Timing(
        _real(seen.timing.started_at or response.created_at),
        _real(seen.timing.completed_at or response.completed_at),
        elapsed if elapsed is not None else _real(seen.timing.elapsed_seconds),
    )


def _prompt_reader(request: Request) -> Callable[[], list[Item]]:
    return lambda: _prompt_items(request)


def _integer(value: Value) -> int | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 2**63 else None
    number = _number(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < 2**63 else None


def _number(value: Value) -> float | None:
    """A number, also where it stands as text."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and number - number == 0 else None


def _real(value: float | None) -> float | None:
    """A number that a double can hold."""
    return None if value is None or abs(value) > _LARGEST else float(value)


def _whole(value: float | None) -> int | None:
    return None if value is None or abs(value) >= 2**63 else int(value)


def _word(value: Value) -> str | None:
    """A scalar as an id: text as it is, numbers as JSON writes them."""
    if isinstance(value, str):
        return value or None
    if value is None or isinstance(value, (list, dict)):
        return None
    return content.canonical(value)


def _text(value: Value) -> str | None:
    """Any value as text; None for null and for what is empty."""
    if isinstance(value, str):
        return value or None
    return content.json_of(value) if value else None
