"""A comparison as Markdown, short enough for a pull request."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from blade import numbers
from blade.cli.gates import Gate
from blade.cli.text import one_line
from blade.measure import sentences

if TYPE_CHECKING:
    from blade.measure.comparison import Comparison

_LONGEST: Final = 120
_MOST_FLIPS: Final = 10
_MOST_SLICES: Final = 5
_MOST_TASKS: Final = 5
_SIGNS: Final = {"better": "🟢", "worse": "🔴", "no difference shown": "⚪", "not comparable": "⚠️"}


_SENTENCES: Final[dict[str, Callable[["Comparison"], str]]] = {
    "scoreboard": sentences.scoreboard,
    "could show": sentences.could_show,
    "to settle": sentences.to_settle,
    "tasks": lambda one: sentences.tasks(one, _MOST_TASKS),
}
"""Labels as on the terminal, and who writes each."""


def summary(found: Sequence["Comparison"], gates: Sequence[Gate]) -> str:
    """All comparisons and gates."""
    lines = [f"### Compared with {code(found[0].baseline)}", ""]
    lines += [
        "| candidate | verdict | pass@1 | points | p | tasks | set-up |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(one) for one in found]
    for one in found:
        lines += ["", *_details(one, len(found))]
    if gates:
        lines += ["", *(f"- {'✅' if gate.holds else '❌'} {code(gate.asked)} {plain(gate.said)}" for gate in gates)]
    return "\n".join(lines)


def _row(one: "Comparison") -> str:
    rates = "" if None in one.rates else " → ".join(numbers.percent(rate) for rate in one.rates)
    points = "" if one.delta.value is None else numbers.points(one.delta.value)
    cells = [
        code(one.candidate),
        f"{_SIGNS[one.verdict]} **{one.verdict}**",
        rates,
        f"{points} {numbers.point_range(one.delta.low, one.delta.high)}".strip(),
        "" if one.delta.p_adjusted is None else numbers.probability(one.delta.p_adjusted, bare=True),
        f"{one.common.tasks:,}",
        one.comparable.verdict,
    ]
    return _cells(cells)


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _details(one: "Comparison", candidates: int) -> Iterator[str]:
    yield f"**{code(one.candidate)}**: {plain(sentences.verdict(one, candidates))}; {plain(one.why)}."
    yield ""
    for warning in one.warnings:
        yield f"- ⚠️ {plain(warning)}"
    for label, write in _SENTENCES.items():
        if sentence := write(one):
            yield f"- {label}: {plain(sentence)}"
    for each in sentences.differences(one):
        yield f"- {plain(each.what)}: {' → '.join(code(sentences.value(side)) for side in sentences.sides(each))}"
    yield from _slices(one)
    yield from _flips(one)


def _slices(one: "Comparison") -> Iterator[str]:
    tried = [each for each in one.slices if each.p_adjusted is not None]
    beyond = [each for each in tried if each.p_adjusted is not None and each.p_adjusted < 0.05]
    if one.slices:
        yield f"- slices: {sentences.slices(len(one.slices), len(tried), len(beyond))}"
    for each in sorted(beyond, key=lambda each: each.p_adjusted or 0.0)[:_MOST_SLICES]:
        told = f"{numbers.points(each.delta)} points {numbers.point_range(each.low, each.high)}"
        yield f"  - {code(f'{each.field} = {each.value}')}: {told}, {numbers.counted(each.tasks, 'task')}"


def _flips(one: "Comparison") -> Iterator[str]:
    if not one.flips:
        return
    yield ""
    yield "<details>"
    yield f"<summary>{sentences.flips(one.flips)}</summary>"
    yield ""
    header = ["task", "baseline", "candidate", "a rollout to open"]
    yield _cells(header)
    yield _cells(["---"] * len(header))
    for flip in one.flips[:_MOST_FLIPS]:
        passed = (f"{passed}/{measured}" for passed, measured in (flip.baseline, flip.candidate))
        shown = code(f"blade show {flip.refs[0]}") if flip.refs else ""
        yield _cells([code(flip.task), *passed, shown])
    if len(one.flips) > _MOST_FLIPS:
        yield ""
        yield f"and {len(one.flips) - _MOST_FLIPS:,} more"
    yield ""
    yield "</details>"


def code(text: str) -> str:
    """A text of the data as a code span, where nothing in it is markup and nobody is called by name."""
    shown = one_line(text, _LONGEST).replace("`", "'").replace("|", "\\|")
    return f"`{shown}`" if shown else "``` ```"


def plain(text: str) -> str:
    """A sentence that may hold texts of the data, without markup."""
    shown = one_line(text, 4 * _LONGEST)
    for character in "\\`*_[]|~":
        shown = shown.replace(character, "\\" + character)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "@\u2060")
