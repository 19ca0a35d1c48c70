"""The record that every importer yields: one attempt at one task, with its steps.

A `Rollout` keeps what the row says, under the row's own names where BLADE gives no meaning to them, and
its place on disk, so that it can be read again in one seek. It passes no judgement: whether it passed or
was measured at all is decided later, from the evidence that stands here.
"""

from collections.abc import Callable, Collection, Iterator

import msgspec
from msgspec import Raw

from blade import content
from blade.content import Value
from blade.item import ABSENT, Call, Item, body_of, calls_of, form_of, speaker_of, without_thinking


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a row stands: bytes into the file (the uncompressed text of a compressed one), and its line."""

    file: str
    offset: int
    length: int
    line: int


class Skipped(msgspec.Struct, frozen=True, gc=False):
    """A line that could not be read as a rollout, and why; the work went on without it."""

    file: str
    line: int
    why: str
    offset: int = 0


class Step(msgspec.Struct, gc=False):
    """One item of the trajectory, numbered as refs count it: from 0 in `response.output`."""

    number: int
    kind: str
    """A word of `vocabulary.STEP_KINDS`."""
    actor: str
    """A word of `vocabulary.ACTORS`."""
    type: str
    """The item's own type, or its role where it has no type."""
    name: str | None = None
    """The tool of a call or result, or the speaker that a message names."""
    call_id: str | None = None
    status: str | None = None
    body: Raw | None = None
    """The content, undecoded; read it as `text` or `head(limit)`."""
    calls: tuple[Call, ...] = ()
    observed: "ToolRecord | None" = None
    """What the trajectory recorded about the run of the tool."""

    @property
    def text(self) -> str:
        """The whole text of the step; for a call, its arguments."""
        return content.text_of(self.body)

    def head(self, limit: int) -> str:
        """The first `limit` characters of `text`, without decoding the rest."""
        return content.head_of(self.body, limit)

    @property
    def size(self) -> int:
        """Bytes of the content on disk."""
        return content.size_of(self.body)


class ToolRecord(msgspec.Struct, gc=False):
    """One run of a tool, as the harness recorded it."""

    tool_call_id: str | None = None
    tool_name: str | None = None
    started_at: float | None = None
    completed_at: float | None = None
    duration_ms: float | None = None
    status: str | None = None
    error_type: str | None = None


class Sampling(msgspec.Struct, gc=False):
    """How the model was asked: from the request where it says so, else from the response's echo."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    reasoning_effort: str | None = None
    seed: int | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens as reported; None is unknown. Whether they cover all calls or the last one, no row says."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    total_tokens: int | None = None
    cost: float | None = None


class Evidence(msgspec.Struct, gc=False):
    """What the row says about how the rollout ended and whether its reward is a verdict."""

    status: str | None = None
    incomplete: str | None = None
    error: str | None = None
    masked: bool | None = None
    failure_class: str | None = None
    failure_kind: str | None = None
    failure_stage: str | None = None
    failure_text: str | None = None


class Timing(msgspec.Struct, gc=False):
    """Unix seconds and durations, where the row or its trajectory has them."""

    started_at: float | None = None
    completed_at: float | None = None
    elapsed_seconds: float | None = None


class Observed(msgspec.Struct, gc=False):
    """What the trajectory, the capture and the observations add; all None where nothing was observed."""

    model_calls: int | None = None
    failed_model_calls: int | None = None
    finish_reason: str | None = None
    sandbox_outcome: str | None = None
    compactions: int | None = None
    gaps: int | None = None


class Hashes(msgspec.Struct, gc=False):
    """Stand-ins for what is too long to compare: equal content gives equal text, in a normal form."""

    prompt: str | None = None
    system: str | None = None
    question: str | None = None
    tools: str | None = None
    tools_from: str | None = None
    skills: str | None = None
    end_state: str | None = None


class Rollout(msgspec.Struct, kw_only=True):
    """One attempt at one task."""

    place: Place
    task_index: int | None = None
    rollout_index: int | None = None
    attempt_index: int | None = None
    stage: str | None = None
    row_id: str | None = None
    """The environment's own id of the task, and the field it stands in."""
    row_id_field: str | None = None
    agent: str | None = None
    environment: str | None = None
    model: str | None = None
    reward: float | None = None
    reward_field: str | None = None
    sampling: Sampling
    usage: Usage
    evidence: Evidence
    timing: Timing
    observed: Observed
    hashes: Hashes
    tools: Raw = ABSENT
    """The list of tools that was offered, undecoded: of the request, else of the response."""
    prompt_size: int = 0
    read_prompt: Callable[[], list[Item]] = list
    steps_from: str = "none"
    """A word of `vocabulary.STEP_SOURCES`."""
    items: list[Item] = []
    """The trajectory as it came, flat and in order."""
    tool_records: dict[str, ToolRecord] = {}
    fields: dict[str, Value] = {}
    """Verifier and metadata fields under their own names."""
    problems: list[str] = []
    """Irregularities that did not cost the row, in words."""

    @property
    def prompt(self) -> list[Step]:
        """What the model was given, decoded when asked for; its steps are `i0`, `i1`, … in refs."""
        return steps_of(self.read_prompt())

    @property
    def steps(self) -> list[Step]:
        """The trajectory, step by step. Made anew at every call: keep it while you work with it."""
        return steps_of(self.items, self.tool_records)

    def text(self, step: int) -> str:
        """The whole text of one step."""
        return content.text_of(body_of(self.items[step]))

    def answer(self) -> tuple[int, str] | None:
        """Number and text of the last message of the model that says something and calls nothing."""
        for number in range(len(self.items) - 1, -1, -1):
            item = self.items[number]
            form = form_of(item.type, item.role)
            if form.kind == "message" and form.actor == "model" and not calls_of(item):
                text = without_thinking(content.text_of(body_of(item, form.keys)))
                if text.strip():
                    return number, text
        return None


_DEEPEST_FIELD = 4
_LARGEST_OPENED = 256 * 1024
_NESTED_ROLLOUT = {"response", "responses_create_params"}


def opened_fields(fields: dict[str, Value]) -> Collection[tuple[str, Value]]:
    """Fields with objects opened: their own fields as `outer.inner`, unless they are deep, large, or a rollout."""
    if dict not in set(map(type, fields.values())):
        return fields.items()
    opened: list[tuple[str, Value]] = []
    for name, value in fields.items():
        if type(value) is dict:
            opened += _opened(name, value, _DEEPEST_FIELD)
        else:
            opened.append((name, value))
    return opened


def _opened(name: str, value: dict[str, Raw], depth: int) -> Iterator[tuple[str, Value]]:
    if not depth or not value or value.keys() & _NESTED_ROLLOUT or sum(map(len, value.values())) > _LARGEST_OPENED:
        yield name, value
        return
    for key, raw in value.items():
        inner = content.shallow(raw)
        if type(inner) is dict:
            yield from _opened(f"{name}.{key}", inner, depth - 1)
        else:
            yield f"{name}.{key}", inner


def steps_of(items: list[Item], records: dict[str, ToolRecord] | None = None) -> list[Step]:
    """Items as numbered steps, with what was recorded about the tools they called."""
    return [_step(number, item, records or {}) for number, item in enumerate(items)]


def _step(number: int, item: Item, records: dict[str, ToolRecord]) -> Step:
    form = form_of(item.type, item.role)
    call_id = item.call_id or item.tool_call_id or (item.id if form.kind == "call" else None)
    return Step(
        number,
        form.kind,
        form.actor,
        item.type or item.role or "untyped",
        speaker_of(item),
        call_id,
        item.status,
        body_of(item),
        calls_of(item),
        records.get(call_id) if call_id else None,
    )


def results_of(steps: list[Step]) -> dict[tuple[int, int], Step]:
    """Which step answers which call: `(step number, place among its calls)` to the result.

    A result answers the oldest open call with its id; ids may be used again after that, and where ids
    are missing, the oldest call without one. A call that its server ran carries its own result.
    """
    waiting: dict[str | None, list[tuple[int, int]]] = {}
    answers: dict[tuple[int, int], Step] = {}
    for step in steps:
        if step.kind == "result":
            if queue := waiting.get(step.call_id):
                answers[queue.pop(0)] = step
            continue
        for place, call in enumerate(step.calls):
            waiting.setdefault(call.call_id, []).append((step.number, place))
    return answers
