"""Rows as detectors read them: what a row made by hand shows."""

from typing import Any

from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.detect.detectors import Shown, signals_of
from blade.detect.reading import Reading
from blade.rollout import Place, Rollout
from tests.building import Row, as_line, call, message, result, row


def read(line: Row | str | bytes) -> Reading:
    """The reading of one row."""
    text = as_line(line)
    rollout = RolloutReader().read(text, Place("x.jsonl", 0, len(text), 1))
    assert isinstance(rollout, Rollout), rollout
    return Reading.of(rollout)


def shown(line: Row) -> list[Shown]:
    """Everything that a row shows; every quote is held against its step."""
    reading = read(line)
    found = list(signals_of(reading))
    for each in found:
        if not each.signal.field and each.signal.step is not None:
            assert each.signal.quote in reading.text(each.signal.step), each
    return found


def names(line: Row) -> set[str]:
    """The names of the signals that a row shows."""
    return {each.name for each in shown(line)}


def details(line: Row, name: str) -> list[str]:
    """What exactly a row shows of one signal."""
    return [each.signal.detail for each in shown(line) if each.name == name]


def steps(line: Row, name: str) -> list[int | None]:
    """Where a row shows a signal."""
    return [each.signal.step for each in shown(line) if each.name == name]


def acted(*exchanges: tuple[str, Any, Any], closing: str | None = "It is done.", **more: Any) -> Row:
    """A row of calls with their answers, `(tool, arguments, answer)`, and a last message; None for no answer."""
    items: list[Row] = []
    for number, (tool, arguments, answer) in enumerate(exchanges):
        items.append(call(tool, arguments, f"c{number}"))
        if answer is not None:
            items.append(result(answer, f"c{number}"))
    if closing is not None:
        items.append(message(closing))
    return row(*items, **more)


def offering(*tools: Row, prompt: Any = "Please do it.", **more: Any) -> Row:
    """Keys of a row whose request offers these tools."""
    return {"responses_create_params": {"input": prompt, "tools": list(tools)}, **more}


def tool(name: str, required: tuple[str, ...] = (), **properties: Any) -> Row:
    """A declared tool."""
    schema = {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
    return {"type": "function", "name": name, "parameters": schema}
