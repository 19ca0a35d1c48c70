"""Every fact of a rollouts file, extracted the plain way: slow, with the standard library alone.

Written from the meaning of the columns of the fact store and sharing no code with it, so that the two can be
held against each other row by row. It takes well-formed rows as they are documented, and of irregular ones
those that real files hold; rows that only a damaged file would have are not its concern.

    python -m bench.oracle FILE.jsonl            prints the number of rows of every table
"""

import gzip
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from json.decoder import scanstring
from pathlib import Path
from typing import Any, NamedTuple

Fact = dict[str, Any]
Tables = dict[str, list[Fact]]

STANDARD_KEYS = {
    "_ng_task_index",
    "_ng_rollout_index",
    "_ng_attempt_index",
    "_ng_environment_server",
    "agent_ref",
    "responses_create_params",
    "response",
    "reward",
    "skills_ref",
    "ng_trajectory",
    "ng_agent_observations",
    "ng_model_call_capture",
}
ID_FIELDS = ("task_id", "problem_id", "instance_id", "question_id", "uuid", "uid", "row_id", "hashid", "id", "name")
END_STATE = re.compile(r"(?i)(end|final|terminal|post|resulting)_?(state|db|database|snapshot)|(state|db)_hash")
LARGEST_OPENED = 256 * 1024


# JSON text, with the text of its parts as it stands on disk


def load(raw: str) -> Any:
    """The value of a JSON text; numbers that JSON does not have are null, lone surrogates question marks."""
    return _mended(json.loads(raw, strict=False, parse_constant={}.get))


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return value if abs(value) != float("inf") else None
    if isinstance(value, list):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    return value


def members(raw: str | None) -> dict[str, str]:
    """The keys of a JSON object with the text of their values; nothing for anything else."""
    found: dict[str, str] = {}
    if raw is None or not raw.startswith("{"):
        return found
    at = _past_space(raw, 1)
    while raw[at] != "}":
        key, at = scanstring(raw, at + 1, False)
        at = _past_space(raw, _past_space(raw, at) + 1)
        found[_mended(key)], at = _value_at(raw, at)
    return found


def elements(raw: str | None) -> list[str]:
    """The texts of the values of a JSON list; nothing for anything else."""
    found: list[str] = []
    if raw is None or not raw.startswith("["):
        return found
    at = _past_space(raw, 1)
    while raw[at] != "]":
        part, at = _value_at(raw, at)
        found.append(part)
    return found


def _value_at(raw: str, at: int) -> tuple[str, int]:
    """The text of the value at a place, and where the next one, or the end, is."""
    _, end = json.JSONDecoder(strict=False).raw_decode(raw, at)
    after = _past_space(raw, end)
    return raw[at:end], _past_space(raw, after + 1) if raw[after] == "," else after


def _past_space(raw: str, at: int) -> int:
    while raw[at] in " \t\r\n":
        at += 1
    return at


def size(raw: str | None) -> int:
    """Bytes of a JSON text on disk."""
    return 0 if raw is None else len(raw.encode())


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    return _float_text(value) if isinstance(value, float) else json.dumps(value)


def _float_text(value: float) -> str:
    """The shortest digits that give the number back; with an exponent below 1e-5 and from 1e16 on."""
    digits, _, exponent = repr(value).partition("e")
    if not exponent:
        return digits
    if int(exponent) == -5:
        return f"{'-' if value < 0 else ''}0.0000{digits.lstrip('-').replace('.', '')}"
    return f"{digits}e{int(exponent)}"


def digest(text: str) -> str:
    """Sixteen hex digits of SHA-256."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def text_of(value: Any) -> str:
    """What a body says: text as it is, the texts of content parts below each other, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        if all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value):
            return "\n".join(part["text"] for part in value)
        return "\n".join(filter(None, map(_text_of_part, value)))
    return _text_of_part(value) if isinstance(value, dict) else json.dumps(value)


def _text_of_part(part: Any) -> str:
    if not isinstance(part, dict):
        return text_of(part)
    texts = ("text", "refusal", "content", "thinking", "output", "summary")
    for key in texts:
        if part.get(key):
            return text_of(part[key])
    media = {"image_url", "file_id", "file_data", "input_audio", "source"}
    if isinstance(part.get("type"), str) and media & part.keys():
        return f"[{part['type']}]"
    return "" if part.keys() & set(texts) else canonical(part)


def plain_text(value: Any) -> str | None:
    """Any value as text; None for null and for what is empty."""
    if isinstance(value, str):
        return value or None
    return canonical(value) if value else None


def word(value: Any) -> str | None:
    """A scalar as an id."""
    if isinstance(value, str):
        return value or None
    return None if value is None or isinstance(value, (list, dict)) else canonical(value)


def number(value: Any) -> float | None:
    """A number, also where it stands as text."""
    try:
        found = float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        return None
    return found if found is not None and abs(found) < float("inf") else None


def integer(value: Any) -> int | None:
    """A whole number that a signed 64-bit integer holds."""
    if isinstance(value, bool):
        return None
    found = value if isinstance(value, int) else number(value)
    return int(found) if found is not None and found == int(found) and abs(found) < 2**63 else None


def whole(value: Any) -> int | None:
    return None if value is None or abs(value) >= 2**63 else int(value)


def first(*values: Any) -> Any:
    """The first value that is not null."""
    return next((value for value in values if value is not None), None)


# Items of a trajectory


class Form(NamedTuple):
    kind: str
    actor: str
    keys: tuple[str, ...]
    own: bool = False


_RESULT_KEYS = ("output", "content", "result", "results", "outputs")
_OWN_RESULT_KEYS = ("output", "outputs", "results", "result", "error")
_CALL_KEYS: dict[str, tuple[str, ...]] = {
    "custom_tool_call": ("input", "arguments"),
    "tool_use": ("input", "arguments"),
    "mcp_call": ("arguments", "input"),
    "web_search_call": ("action", "queries"),
    "file_search_call": ("queries", "action"),
    "code_interpreter_call": ("code", "input"),
    "image_generation_call": ("action", "input"),
    "computer_call": ("action",),
    "local_shell_call": ("action",),
    "shell_call": ("action",),
    "apply_patch_call": ("action", "input"),
    "mcp_approval_request": ("arguments", "input", "action", "code"),
    "function_call": ("arguments", "input", "action", "code"),
}
_RUN_BY_THE_SERVER = {
    "mcp_call",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
}
_RESULT_TYPES = {
    "tool_result": ("content", "output"),
    "mcp_list_tools": ("tools", "error"),
    "mcp_approval_response": _RESULT_KEYS,
}
_ACTOR_OF_ROLE = {
    "assistant": "model",
    "user": "user",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


class Item:
    """One item, with the texts of its values."""

    def __init__(self, raw: str) -> None:
        value = load(raw)
        if isinstance(value, dict):
            self.values, self.raw = value, members(raw)
        else:
            kind = "message" if isinstance(value, str) else type(value).__name__
            self.values, self.raw = {"type": kind, "content": value}, {"content": raw}

    def text(self, key: str) -> str | None:
        value = self.values.get(key)
        return value if value is None or isinstance(value, str) else canonical(value)

    @property
    def form(self) -> Form:
        kind, role = self.text("type"), self.text("role")
        if kind in (None, "message"):
            if kind is None and not role:
                return Form("other", "environment", ("content", "output", "summary", "input", "result", "results"))
            actor = _ACTOR_OF_ROLE.get(role or "assistant", "environment")
            return Form("result" if actor == "tool" else "message", actor, ("content", "output"))
        if kind in ("reasoning", "thinking"):
            return Form("reasoning", "model", ("content", "summary", "reasoning_content"))
        if kind in _RESULT_TYPES or (kind not in _CALL_KEYS and kind.endswith(("_output", "_result"))):
            return Form("result", "tool", _RESULT_TYPES.get(kind, _RESULT_KEYS))
        if kind in _CALL_KEYS or kind.endswith("_call"):
            keys = _CALL_KEYS.get(kind, ("arguments", "input", "action", "code"))
            return Form("call", "model", keys, kind in _RUN_BY_THE_SERVER)
        if role:
            actor = _ACTOR_OF_ROLE.get(role, "environment")
            return Form("result" if actor == "tool" else "message", actor, ("content", "output"))
        return Form("other", "environment", ("content", "output", "summary", "input", "result", "results"))

    def body(self, keys: tuple[str, ...] | None = None) -> str | None:
        """The text of the first key of the form that holds something; null and `[]` hold nothing."""
        for key in keys or self.form.keys:
            if self.values.get(key) is not None and self.values[key] != []:
                return self.raw[key]
        return None

    @property
    def name(self) -> str | None:
        kind = self.text("type")
        if self.text("name") is None and kind and kind.endswith("_call"):
            return kind.removesuffix("_call")
        return self.text("name")

    def says(self) -> str:
        body = self.body()
        return "" if body is None else text_of(load(body))

    def calls(self) -> list["Call"]:
        form = self.form
        if form.kind == "call":
            body = self.body()
            value = None if body is None else load(body)
            return [Call(self.name, self.text("call_id") or self.text("id"), value)]
        if form.kind != "message" or form.actor != "model":
            return []
        if self.values.get("tool_calls"):
            return list(_chat_calls(self.values["tool_calls"]))
        said = text_of(self.values.get("content"))
        return [_inline_call(part.partition("</tool_call>")[0].strip()) for part in said.split("<tool_call>")[1:101]]


class Call(NamedTuple):
    tool: str | None
    call_id: str | None
    arguments: Any

    @property
    def text(self) -> str:
        """The arguments as the model wrote them; JSON where they came as an object."""
        return self.arguments if isinstance(self.arguments, str) else plain_text(self.arguments) or ""

    def canonical(self) -> tuple[str | None, bool | None]:
        if self.arguments is None:
            return None, None
        text = self.arguments if isinstance(self.arguments, str) else canonical(self.arguments)
        try:
            return canonical(load(text))[:2000], True
        except ValueError:
            return text[:2000], False


def _chat_calls(calls: list[Fact]) -> Iterator[Call]:
    for call in calls:
        function = call.get("function") or call
        yield Call(function.get("name"), call.get("id"), function.get("arguments"))


def _inline_call(text: str) -> Call:
    try:
        value = load(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return Call(None, None, text)
    name = value.get("name")
    return Call(name if isinstance(name, str) else None, None, value.get("arguments", value.get("parameters")))


def items_of(raw: str | None) -> list[Item]:
    """The items of a list, nested lists flattened; a text or an object stands for one item."""
    if raw is None or raw == "null":
        return []
    if raw.startswith("["):
        return [item for part in elements(raw) for item in (items_of(part) if part.startswith("[") else [Item(part)])]
    return [Item(raw)]


def shape(raw: str | None) -> str:
    """The kind of a result, by its whole text."""
    if raw is None:
        return "empty"
    value = load(raw)
    if not isinstance(value, str):
        return {dict: "object", list: "text"}.get(type(value), "scalar")
    if not value.strip():
        return "empty"
    try:
        held = json.loads(value, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return "text"
    return {dict: "object", list: "list"}.get(type(held), "scalar")


def _refuse(name: str) -> None:
    raise ValueError(name)


def both_ends(text: str) -> str:
    """A text of at most a thousand characters, or its two ends."""
    return text if len(text) <= 1000 else text[:500] + "\n…\n" + text[-500:]


def without_thinking(text: str) -> str:
    """An answer without the thinking that stands before it."""
    for end in re.finditer(r"</think(?:ing)?>", text):
        return text[end.end() :].lstrip()
    return text


# The observations of a row


class Seen:
    """What `ng_trajectory`, the capture and the observations say."""

    def __init__(self, row: Fact, raw: dict[str, str]) -> None:
        trajectory, capture = row.get("ng_trajectory") or {}, row.get("ng_model_call_capture") or {}
        observations = row.get("ng_agent_observations") or {}
        self.there = any(
            key in row and row[key] is not None
            for key in ("ng_trajectory", "ng_model_call_capture", "ng_agent_observations")
        )
        calls = trajectory.get("model_calls") or capture.get("calls") or []
        order = sorted(range(len(calls)), key=lambda place: calls[place].get("started_at") or 0)
        self.calls = [calls[place] for place in order]
        self.records = observations.get("records") or []
        self.tools = [record for record in self.records if record.get("kind") == "tool_call"] + (
            trajectory.get("tool_calls") or []
        )
        self.gaps = sum(len(source.get("gaps") or []) for source in (trajectory, capture, observations))
        self._raw = members(raw.get("ng_trajectory"))
        listed = "model_calls" if trajectory.get("model_calls") else ""
        texts = elements(self._raw.get(listed)) or elements(members(raw.get("ng_model_call_capture")).get("calls"))
        self._call_texts = [texts[place] for place in order]
        self._turns = trajectory.get("turns") or []

    def outcome(self, call: Fact) -> Fact:
        return call.get("response_metadata") or call

    def facts(self) -> Fact:
        outcomes = [self.outcome(call) for call in self.calls]
        failed = [
            outcome
            for outcome in outcomes
            if (outcome.get("status_code") or 0) >= 400
            or outcome.get("error_category")
            or outcome.get("response_status") in ("failed", "error", "cancelled")
        ]
        ends = [
            record["outcome"] for record in self.records if record.get("kind") == "sandbox" and record.get("outcome")
        ]
        compactions = sum(record.get("kind") == "context_compaction" for record in self.records)
        return {
            "model_calls": len(outcomes) or None,
            "failed_model_calls": len(failed) if outcomes else None,
            "finish_reason": outcomes[-1].get("finish_reason") if outcomes else None,
            "sandbox_outcome": next((end for end in ends if end != "completed"), ends[0] if ends else None),
            "compactions": compactions if self.records else None,
            "observation_gaps": self.gaps if self.there else None,
        }

    def span(self) -> tuple[float | None, float | None]:
        events = [*self.calls, *self.tools]
        starts = [event["started_at"] for event in events if event.get("started_at")]
        ends = [event["completed_at"] for event in events if event.get("completed_at")]
        return min(starts, default=None), max(ends, default=None)

    def model(self) -> str | None:
        return next((model for call in self.calls if (model := self.outcome(call).get("model"))), None)

    def steps(self) -> tuple[list[Item], str]:
        """The trajectory of a row without response, from the best source there is."""
        for invocation in map(members, elements(self._raw.get("invocations"))):
            is_root = load(invocation.get("parent_invocation_id", "null")) is None
            if is_root and (items := items_of(invocation.get("conversation"))):
                return items, "conversation"
        for text in reversed(self._call_texts):
            if items := _exchange(members(text)):
                return items, "model_calls"
        parts = (
            ("question", "message", "user"),
            ("reasoning_content", "reasoning", None),
            ("answer", "message", "assistant"),
        )
        items = []
        for turn in self._turns:
            for key, kind, role in parts:
                if text_of(turn.get(key)):
                    items.append(Item(json.dumps({"type": kind, "role": role, "content": turn[key]})))
        return items, "turns" if items else "none"


def _exchange(call: dict[str, str]) -> list[Item]:
    """What was sent in a model call after the prompt, and what came back."""
    items: list[Item] = []
    for side in (members(call.get("request")), members(call.get("response"))):
        for key in ("input", "messages", "output"):
            items += items_of(side.get(key))
        for choice in elements(side.get("choices"))[:1]:
            items += items_of(members(choice).get("message"))
    own = [
        place
        for place, item in enumerate(items)
        if item.values.get("role") == "assistant" or item.values.get("type") not in (None, "message")
    ]
    return items[own[0] :] if own else []


# Tables


class Row:
    """A line that is a JSON object, with everything that its facts are made of."""

    def __init__(self, text: str, place: Fact, problems: list[str]) -> None:
        self.place = place
        self.raw = members(text)
        self.values = load(text)
        self.problems = problems
        self.fields = {key: value for key, value in self.values.items() if key not in STANDARD_KEYS}
        self.request = self.values.get("responses_create_params") or {}
        self.request_raw = members(self.raw.get("responses_create_params"))
        self.has_response = self.values.get("response") is not None
        self.response = self.values.get("response") or {}
        self.response_raw = members(self.raw.get("response"))
        self.seen = Seen(self.values, self.raw)
        if self.has_response:
            self.items = items_of(self.response_raw.get("output"))
            self.steps_from = "response" if self.response.get("output") is not None else "none"
        else:
            self.items, self.steps_from = self.seen.steps()
        self.records = {record["tool_call_id"]: record for record in self.seen.tools if record.get("tool_call_id")}

    def identity(self) -> Fact:
        index = self.values.get("_ng_task_index")
        ids = {"_ng_task_index": None if integer(index) is not None else index, **self.fields}
        names = ("_ng_task_index", *ID_FIELDS)
        found = next(((word(ids[name]), name) for name in names if word(ids.get(name))), (None, None))
        agent, server = self.values.get("agent_ref"), word(self.values.get("_ng_environment_server"))
        named = agent if isinstance(agent, str) else (agent or {}).get("name")
        return {
            "task_index": integer(index),
            "rollout_index": integer(self.values.get("_ng_rollout_index")),
            "attempt_index": integer(self.values.get("_ng_attempt_index")),
            "stage": word(self.fields.get("stage_index")),
            "row_id": found[0],
            "row_id_field": found[1],
            "agent": named or server,
            "environment": server or word(self.fields.get("task_source")),
            "model": self.response.get("model") or self.request.get("model") or self.seen.model(),
        }

    def reward(self) -> Fact:
        name = "reward" if "reward" in self.values else "score"
        value = self.values.get(name)
        if value is not None and not isinstance(value, (int, float)):
            found = "null" if number(value) is None else f"{number(value):g}"
            kind = "text" if isinstance(value, str) else "not a number"
            self.problems.append(f"{name} is {kind}, read as {found}")
        return {"reward": number(value), "reward_field": name if "reward" in self.values or value is not None else None}

    def sampling(self) -> Fact:
        effort = self.request.get("reasoning") or self.response.get("reasoning") or {}
        limit = first(self.request.get("max_output_tokens"), self.response.get("max_output_tokens"))
        extra = (self.request.get("metadata") or {}).get("extra_body")
        return {
            "temperature": first(self.request.get("temperature"), self.response.get("temperature")),
            "top_p": first(self.request.get("top_p"), self.response.get("top_p")),
            "max_output_tokens": whole(limit),
            "reasoning_effort": effort.get("effort"),
            "seed": json.loads(extra).get("seed") if extra else None,
        }

    def usage(self) -> Fact:
        usage = self.response.get("usage") or {}
        given = first(usage.get("input_tokens"), usage.get("prompt_tokens"))
        made = first(usage.get("output_tokens"), usage.get("completion_tokens"))
        if given is not None and not (given or made or usage.get("total_tokens")):
            self.problems.append("usage is all zero: read as not measured")
            usage, given, made = {}, None, None
        details = [usage.get(f"{side}_tokens_details") or {} for side in ("input", "prompt", "output", "completion")]
        return {
            "input_tokens": whole(given),
            "output_tokens": whole(made),
            "reasoning_tokens": whole((details[2] or details[3]).get("reasoning_tokens")),
            "cached_tokens": whole((details[0] or details[1]).get("cached_tokens")),
            "total_tokens": whole(usage.get("total_tokens")),
            "cost": usage.get("cost"),
        }

    def evidence(self) -> Fact:
        config = self.fields.get("instance_config")
        nested = config.get("mask_sample") if isinstance(config, dict) else None
        masked = first(self.fields.get("mask_sample"), nested)
        texts = ("_ng_failure_message", "_ng_failure_judge_error", "_ng_failure_response_body", "failure_reason")
        said = [plain_text(self.fields.get(name)) for name in texts]
        return {
            "status": self.response.get("status"),
            "incomplete": (self.response.get("incomplete_details") or {}).get("reason"),
            "error": plain_text(self.response.get("error")) or plain_text(self.fields.get("error")),
            "masked": masked if isinstance(masked, bool) else None,
            "failure_class": word(self.fields.get("_ng_failure_class")),
            "failure_kind": word(self.fields.get("failure_kind")),
            "failure_stage": word(self.fields.get("_ng_failure_stage")),
            "failure_text": next((text for text in said if text and text != "none"), None),
        }

    def timing(self) -> Fact:
        start, end = self.seen.span()
        elapsed = first(
            *(number(self.fields.get(name)) for name in ("elapsed_seconds", "total_run_time", "agent_run_time"))
        )
        return {
            "started_at": start or self.response.get("created_at"),
            "completed_at": end or self.response.get("completed_at"),
            "elapsed_seconds": first(elapsed, end - start if start and end else None),
        }

    def prompt(self) -> list[Item]:
        items = []
        if self.request.get("instructions"):
            items.append(Item(json.dumps({"role": "system", "content": self.request["instructions"]})))
        given = self.request_raw.get("input")
        if given is not None and given.startswith('"'):
            return [*items, Item(json.dumps({"role": "user", "content": load(given)}))]
        return items + items_of(given)

    def hashes(self) -> Fact:
        items = self.prompt()
        marks = [_mark(item) for item in items]
        leading = next((place for place, item in enumerate(items) if item.form.actor != "system"), len(items))
        metadata = self.request.get("metadata")
        asks_apart = metadata and not marks
        tools, origin = self.request.get("tools"), "request"
        if not tools:
            tools, origin = self.response.get("tools"), "response"
        state = next(
            (value for name, value in self.fields.items() if END_STATE.search(name) and value is not None), None
        )
        return {
            "prompt_hash": digest(canonical(marks or metadata)) if marks or metadata else None,
            "system_hash": digest(canonical(marks[:leading])) if leading else None,
            "question_hash": digest(canonical(marks[leading:] or metadata)) if marks[leading:] or asks_apart else None,
            "tools_hash": digest(canonical(tools)) if tools else None,
            "tools_from": origin if tools else None,
            "skills_hash": (self.values.get("skills_ref") or {}).get("hash"),
            "end_state_hash": None if state is None else digest(canonical(state)),
        }

    def answer(self) -> Fact:
        for place in range(len(self.items) - 1, -1, -1):
            item = self.items[place]
            if item.form[:2] == ("message", "model") and not item.calls():
                text = without_thinking(item.says())
                if text.strip():
                    return {"answer_step": place, "answer": text[:2000], "answer_hash": digest(text.strip())}
        return dict.fromkeys(("answer_step", "answer", "answer_hash"))

    def end(self) -> Fact:
        last = self.items[-1] if self.items else None
        results = [step for step, item in enumerate(self.items) if item.form.kind == "result"]
        return {
            "end_kind": last.form.kind if last else None,
            "end_actor": last.form.actor if last else None,
            "end_text": both_ends(last.says()) if last else None,
            "last_result_step": results[-1] if results else None,
            "last_result": both_ends(self.items[results[-1]].says()) if results else None,
        }

    def rollout(self) -> Fact:
        facts = {**self.place, **self.identity(), **self.reward(), **self.sampling(), **self.usage()}
        facts |= {**self.evidence(), **self.timing(), **self.seen.facts(), **self.hashes(), **self.answer()}
        facts |= self.end()
        facts |= {"prompt_bytes": size(self.request_raw.get("input")), "steps_from": self.steps_from}
        return facts | {"steps": len(self.items), "problems": "; ".join(self.problems) or None}

    def owed(self) -> Fact:
        facts = self.place | self.identity() | self.hashes()
        who = ("row", "line", "task_index", "rollout_index", "row_id", "agent")
        hashes = ("prompt_hash", "question_hash", "tools_hash", "skills_hash")
        return {name: facts[name] for name in who + hashes}

    def steps(self) -> Iterator[Fact]:
        for step, item in enumerate(self.items):
            yield {
                "row": self.place["row"],
                "step": step,
                "kind": item.form.kind,
                "actor": item.form.actor,
                "type": item.text("type") or item.text("role") or "untyped",
                "name": item.name,
                "status": item.text("status"),
                "bytes": size(item.body()),
            }

    def actions(self) -> Iterator[Fact]:
        """Calls in order; a result answers the oldest open call with its id."""
        calls = [(step, place, call) for step, item in enumerate(self.items) for place, call in enumerate(item.calls())]
        answers: dict[tuple[int, int], int] = {}
        for step, item in enumerate(self.items):
            if item.form.kind == "result":
                call_id = item.text("call_id") or item.text("tool_call_id")
                for at, place, call in calls:
                    waiting = at < step and (at, place) not in answers and not self.items[at].form.own
                    if waiting and call.call_id == call_id:
                        answers[at, place] = step
                        break
        for step, place, call in calls:
            yield {"row": self.place["row"], "step": step, "place": place, "tool": call.tool} | self._action(
                step, call, answers.get((step, place))
            )

    def _action(self, step: int, call: Call, answer: int | None) -> Fact:
        arguments, is_json = call.canonical()
        item, body = self.items[step], None
        if item.form.own and (own := item.body(_OWN_RESULT_KEYS)) is not None:
            answer, body = step, own
        elif answer is not None:
            body = self.items[answer].body()
        record = (self.records.get(call.call_id) if call.call_id else None) or {}
        status = None if answer is None else self.items[answer].text("status")
        return {
            "arguments": arguments,
            "arguments_json": is_json,
            "result_step": answer,
            "result_kind": "missing" if answer is None else shape(body),
            "result_bytes": None if answer is None else size(body),
            "result_status": record.get("status") or status,
            "error_type": record.get("error_type"),
            "duration_ms": record.get("duration_ms"),
        }

    def field_facts(self) -> Iterator[Fact]:
        for name, value in self.fields.items():
            for full_name, part in _opened(name, value, self.raw[name], 4):
                yield {"row": self.place["row"], "name": full_name, **_field(part)}


def _opened(name: str, value: Any, raw: str, depth: int) -> Iterator[tuple[str, Any]]:
    """An object's own fields; not of one too deep, too large, or a rollout of its own."""
    parts = members(raw)
    closed = not depth or parts.keys() & {"response", "responses_create_params"}
    if not isinstance(value, dict) or not value or closed or sum(map(size, parts.values())) > LARGEST_OPENED:
        yield name, value
        return
    for key, part in value.items():
        yield from _opened(f"{name}.{key}", part, parts[key], depth - 1)


def _field(value: Any) -> Fact:
    if value is None:
        return {"kind": "null", "number": None, "text": None, "hash": None}
    if isinstance(value, bool):
        return {"kind": "boolean", "number": float(value), "text": None, "hash": None}
    if isinstance(value, (int, float)):
        inexact = isinstance(value, int) and abs(value) > 2**53
        return {"kind": "number", "number": number(value), "text": str(value) if inexact else None, "hash": None}
    if isinstance(value, str):
        return {
            "kind": "text",
            "number": None,
            "text": value[:1000],
            "hash": digest(value) if len(value) > 1000 else None,
        }
    text = canonical(value)
    return {
        "kind": "list" if isinstance(value, list) else "object",
        "number": None,
        "text": text[:1000],
        "hash": digest(text),
    }


def _mark(item: Item) -> list[Any]:
    """What makes a prompt item what it is."""
    said = [] if item.body() is None else load(item.body() or "null")
    parts = [part for part in said if isinstance(part, dict)] if isinstance(said, list) else []
    keys = ("image_url", "input_audio", "audio_url", "video_url", "file_id", "file_data", "source")
    media = [part[key] for part in parts for key in keys if part.get(key)]
    mark = [item.form.kind, item.form.actor, item.says(), [[call.tool, call.text] for call in item.calls()]]
    return [*mark, media] if media else mark


def lines_of(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Number, first byte and bytes of every line that is not blank."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    at = 0
    for number_, line in enumerate(data.split(b"\n"), 1):
        text = line.removeprefix(b"\xef\xbb\xbf") if at == 0 else line
        if text.strip():
            yield number_, at + len(line) - len(text) + len(text) - len(text.lstrip()), text.strip()
        at += len(line) + 1


def extract(path: str | Path) -> Tables:
    """All facts of a file, table by table in file order; the numbers of the lines that hold no row as `skipped`."""
    tables: Tables = {name: [] for name in ("rollouts", "steps", "actions", "fields", "inputs", "skipped")}
    for line, offset, data in lines_of(Path(path)):
        problems: list[str] = []
        try:
            text = _text(data, problems)
            is_row = isinstance(json.loads(text, parse_constant=partial(_note, problems=problems)), dict)
        except ValueError:
            is_row = False
        if not is_row:
            tables["skipped"].append({"line": line})
            continue
        row = Row(text, {"row": offset, "bytes": len(data), "line": line}, problems)
        facts: dict[str, Callable[[], Iterator[Fact]]] = {
            "steps": row.steps,
            "actions": row.actions,
            "fields": row.field_facts,
        }
        for name, make in facts.items():
            tables[name].extend(make())
        tables["inputs"].append(row.owed())
        row.problems = list(problems)
        tables["rollouts"].append(row.rollout())
    return tables


def _text(data: bytes, problems: list[str]) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        problems.append("bytes that are not UTF-8 were replaced")
        return data.decode(errors="replace")


def _note(name: str, problems: list[str]) -> None:
    note = f"{name} was read as null"
    if note not in problems:
        problems.append(note)


def main() -> None:
    for path in sys.argv[1:]:
        counts = ", ".join(f"{len(rows)} {name}" for name, rows in extract(path).items())
        print(f"{path}: {counts}")


if __name__ == "__main__":
    main()
