"""Claims of a metrics file beside a report: every number that the data know too."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from blade import numbers
from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.truth import Quantity, Truth
from blade.check.files import told
from blade.check.text.names import key_of
from blade.errors import InputError

KIND: Final = "metrics file"

_NAMES: Final = ("run", "model_name", "model", "agent_name", "agent")
_KEYS: Final = {
    "pass_at_1": "pass@1",
    "pass_rate": "pass@1",
    "accuracy": "pass@1",
    "success_rate": "pass@1",
    "mean_reward": "mean reward",
    "average_reward": "mean reward",
    "consistency": "consistency",
    "retry_value": "retry value",
    "coverage": "coverage",
    "total_tasks": "tasks",
    "num_tasks": "tasks",
    "total_rollouts": "rollouts",
    "num_rollouts": "rollouts",
    "measured_rollouts": "measured",
    "passed_rollouts": "passed",
    "failed_rollouts": "failed",
    "not_measured_rollouts": "not measured",
}
_ALSO: Final = {"rollouts": ("rows", "measured"), "failed": ("failing",)}
_SLACK: Final = 0.0006
"""Rates are often kept with three digits."""


def parse(text: str, *, file: str = "") -> dict[str, Any]:
    """The keys of a metrics file."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON: {told(error)}", file=file, hint="a metrics file is a JSON object") from None
    if not isinstance(found, dict):
        raise InputError("no JSON object", file=file, hint="a metrics file is a JSON object of names and numbers")
    return found


def check_metrics(text: str, truth: Truth, *, file: str = "") -> list[Judged]:
    """Every number of a metrics file against the runs."""
    found = parse(text, file=file)
    run = _run_of(found, truth)
    lines = {key: _line(text, key) for key in found}
    if run is None:
        claim = Claim(KIND, file, 1, "run", str(found.get("model_name") or found.get("run") or ""))
        return [not_checkable(claim, f"it does not tell which run it is of: {', '.join(truth.run_names)}")]
    return list(_judged(found, run, truth, lines))


def _run_of(found: Mapping[str, Any], truth: Truth) -> str | None:
    for name in _NAMES:
        spelling = key_of(str(found.get(name) or ""))
        if spelling in truth.aliases:
            return truth.aliases[spelling]
    return truth.run_names[0] if len(truth.runs) == 1 else None


def _line(text: str, key: str) -> int:
    place = text.find(json.dumps(key))
    return text.count("\n", 0, place) + 1 if place >= 0 else 1


def _judged(found: Mapping[str, Any], run: str, truth: Truth, lines: Mapping[str, int]) -> Iterator[Judged]:
    for key, value in found.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        claim = Claim(KIND, f"{key}: {value}", lines[key], f"{run}, {key}", f"{value:g}")
        wanted = list(_meant(key, found, run, truth))
        if not wanted:
            yield not_checkable(claim, "the data know no number of this name")
        elif any(_agrees(float(value), each) for each in wanted):
            yield supported(claim, wanted[0].source)
        else:
            yield contradicted(claim, _shown(wanted[0]), wanted[0].source)


def _meant(key: str, found: Mapping[str, Any], run: str, truth: Truth) -> Iterator[Quantity]:
    what = _what(key, found)
    buckets = {f"{bucket}_tasks": bucket for bucket in ("always", "sometimes", "never", "missing")}
    for each in truth.quantities:
        of_bucket = each.about == known.BUCKET and each.name == buckets.get(key)
        of_whole = each.about == known.WHOLE and each.what in (what, *_ALSO.get(what, ()))
        if each.run == run and (of_bucket or of_whole):
            yield each


def _what(key: str, found: Mapping[str, Any]) -> str:
    """The measure that a key names: `pass_at_4`, `pass_at_k` with its `k`, `pass_hat_2`."""
    if key in _KEYS:
        return _KEYS[key]
    for beginning, sign in (("pass_at_", "@"), ("pass@", "@"), ("pass_hat_", "^"), ("pass^", "^")):
        if key.startswith(beginning):
            k = key[len(beginning) :]
            k = str(found.get("k") or "") if k == "k" else k
            return f"pass{sign}{k}" if k.isdigit() else ""
    return ""


def _agrees(value: float, each: Quantity) -> bool:
    if each.unit == known.COUNT:
        return value == each.value
    return abs(value - each.value) <= _SLACK or abs(value - 100 * each.value) <= 100 * _SLACK


def _shown(each: Quantity) -> str:
    return f"{each.value:,.0f}" if each.unit == known.COUNT else numbers.amount(each.value)
