"""`blade why`: why did the score change?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from blade import numbers
from blade.cli import text
from blade.cli.options import (
    json_option,
    measure_and_scan,
    measure_options,
    paths_argument,
    print_json,
    scan_options,
    warn,
)
from blade.explain import phrases
from blade.measure import sentences
from blade.ref import encode

if TYPE_CHECKING:
    from blade.explain.records import Explained, Quote, Term

_Shown = TypeVar("_Shown")

_Quotes = Mapping[tuple[str, str], "Quote | None"]
"""Of a run and a mode the words that show it."""

_SHOWN: Final = 8
_FLOWS: Final = 6


@click.command("why")
@paths_argument
@click.option("--baseline", metavar="NAME", help="The run to compare with; by default the first.")
@click.option("--by-id", is_flag=True, help="Pair tasks by their ids alone, whatever became of their prompts.")
@click.option("--full", is_flag=True, help="Show every term, flow and slice, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    baseline: str | None,
    by_id: bool,
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Why the scores of the runs at RUN... differ from that of the first of them.

    The difference is split by failure mode and by cause, so that the terms sum to it; each has an interval.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    found = doors.why(paths or (".",), settings, options, baseline=baseline, by_id=by_id)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    width = text.terminal_width()
    for warning in found.warnings:
        warn(warning)
    quotes = {(run.run, mode.mode): mode.example for run in found.runs for mode in run.modes}
    reports = [_Report(one, width, full=full, quotes=quotes) for one in found.comparisons]
    lines = [line for report in reports for line in (*report.lines(), "")]
    click.echo("\n".join(lines).rstrip("\n"))


class _Report:
    """One candidate against the baseline: the answer first, then what it is made of."""

    def __init__(self, one: "Explained", width: int, *, full: bool, quotes: _Quotes) -> None:
        self._one, self._width, self._full, self._quotes = one, width, full, quotes

    def lines(self) -> Iterator[str]:
        one = self._one
        yield click.style(text.one_line(f"{one.candidate} against {one.baseline}", self._width), bold=True)
        for number, sentence in enumerate(one.answer):
            yield from self._told("" if number else "answer", sentence)
        yield from self._told("verdict", sentences.verdict(one))
        yield from self._terms()
        yield from self._causes()
        yield from self._rewards()
        yield from self._told("scoreboard", sentences.scoreboard(one))
        yield from self._flows()
        yield from self._slices()
        yield from self._setup()
        yield from self._told("could show", sentences.could_show(one))

    def _told(self, label: str, fact: str) -> list[str]:
        return text.labelled(label, fact, self._width, most_lines=40 if self._full else text.MOST_LINES) if fact else []

    def _table(self, label: str, header: list[str], rows: list[list[str]], right: set[int]) -> Iterator[str]:
        if rows:
            yield from text.labelled_table(label, header, rows, width=self._width, right=right)

    def _first(self, found: Sequence[_Shown], most: int) -> Sequence[_Shown]:
        return found if self._full else found[:most]

    def _more(self, found: Sequence[Any], most: int, what: str) -> Iterator[str]:
        """How many are not shown, and how to see them."""
        if left := len(found) - len(self._first(found, most)):
            yield from text.indented([f"and {numbers.counted(left, f'more {what}')}: --full"])

    def _terms(self) -> Iterator[str]:
        """What each mode adds, those beyond noise first; the rest as one line, so that the column sums."""
        ordered = sorted(self._one.terms, key=lambda term: (term.within_noise, -abs(term.points)))
        shown = ordered if self._full else ordered[:_SHOWN]
        rest = ordered[len(shown) :]
        rows = [self._term(term) for term in shown]
        if rest:
            points = numbers.points(sum(term.points for term in rest))
            rows.append([points, "", "", "", "", f"{len(rest)} smaller terms: --full"])
        if rows:
            rows.append([numbers.points(self._one.delta.value), "", "", "", "", "in sum"])
        yield from self._table("terms", ["points", "", "noise", "cause", "owner", "mode"], rows, {0})
        told = shown if self._full else [term for term in shown if not term.within_noise] or shown[:1]
        for number, term in enumerate(told):
            yield from self._told("" if number else "evidence", self._evidence(term))

    def _term(self, term: "Term") -> list[str]:
        noise = "within" if term.within_noise else "beyond"
        ends = numbers.point_range(term.low, term.high)
        return [numbers.points(term.points), ends, noise, term.cause, term.owner, term.title]

    def _evidence(self, term: "Term") -> str:
        """A rollout of the run that the mode costs more, with the words that show it there."""
        run = self._one.candidate if term.points < 0 else self._one.baseline
        refs = [ref for ref in term.refs if ref.startswith(f"{encode(run)}:")] or term.refs
        return phrases.evidence(term.title, refs, self._quotes.get((run, term.mode)))

    def _causes(self) -> Iterator[str]:
        rows = [
            [
                numbers.points(term.points),
                numbers.point_range(term.low, term.high),
                "within" if term.within_noise else "beyond",
                term.cause,
            ]
            for term in self._one.cause_terms
        ]
        yield from self._table("causes", ["points", "", "noise", "cause"], rows, {0})

    def _rewards(self) -> Iterator[str]:
        found = sorted(self._one.reward_terms or [], key=lambda term: -abs(term.value))
        rows = [
            [numbers.amount(term.value), numbers.amount_range(term.low, term.high), term.cause, term.title]
            for term in self._first(found, _SHOWN)
        ]
        yield from self._table("mean reward", ["value", "", "cause", "mode"], rows, {0})
        yield from self._more(found, _SHOWN, "term")

    def _flows(self) -> Iterator[str]:
        titles = {term.mode: term.title for term in self._one.terms} | {"passed": "passed"}
        moved = [flow for flow in self._one.flows if flow.from_ != flow.to]
        rows = [
            [
                numbers.points(flow.points, signed=False),
                titles.get(flow.from_, flow.from_),
                titles.get(flow.to, flow.to),
            ]
            for flow in self._first(moved, _FLOWS)
        ]
        yield from self._table("went", ["points", "from", "to"], rows, {0})
        yield from self._more(moved, _FLOWS, "flow")

    def _slices(self) -> Iterator[str]:
        rows = [
            [f"{term.field} = {term.value}", numbers.points(term.points), term.cause, term.title]
            for term in self._first(self._one.slice_terms, _SHOWN)
        ]
        yield from self._table("slices", ["slice", "points", "cause", "mode"], rows, {1})
        yield from self._more(self._one.slice_terms, _SHOWN, "term")

    def _setup(self) -> Iterator[str]:
        setup = self._one.comparable
        yield from self._told("set-up", f"{setup.verdict}: {setup.why}")
        for each in sentences.differences(self._one):
            yield from self._told("", f"{each.what}: {' → '.join(map(sentences.value, sentences.sides(each)))}")
