"""Runs that a report speaks of and that were not given: names that stand where names of runs stand."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from blade.check.claims.truth import Truth
from blade.check.passages import ROW, Passage, Report
from blade.check.text.blocks import ITEM
from blade.check.text.names import key_of
from blade.check.text.tokens import REF, tokens
from blade.errors import RefError
from blade.ref import Ref

_MOST: Final = 20
_LONGEST: Final = 60
_MOST_WORDS: Final = 4
_HEADERS: Final = frozenset(["run", "runs", "model", "models", "agent", "system", "candidate", "name", "build", ""])
_AGAINST: Final = (" against ", " vs ", " vs. ", " versus ", " compared with ", " compared to ")
_NO_RUNS: Final = frozenset(
    [
        *(
            "all",
            "both",
            "total",
            "totals",
            "mean",
            "average",
            "overall",
            "sum",
            "difference",
            "change",
            "delta",
            "note",
        ),
        *(
            "baseline",
            "candidate",
            "other",
            "others",
            "rest",
            "none",
            "each",
            "median",
            "it",
            "before",
            "after",
            "today",
        ),
        *("summary", "result", "results", "conclusion", "overview", "task", "tasks", "failures", "passes", "cost"),
    ]
)


def strangers(report: Report, truth: Truth) -> dict[str, str]:
    """Of each spelling the name as the report has it."""
    known = set(truth.aliases) | {
        key_of(each) for run in truth.runs for each in (run.name, run.model, run.agent) if each
    }
    parts = {spelling for _, spelling in truth.names}
    found: dict[str, str] = {}
    for name in (*_of_refs(report, truth), *_of_columns(report, known), *_of_titles(report, known)):
        key = key_of(name)
        if key and key not in known | parts | _NO_RUNS and _is_name(key):
            found.setdefault(key, name)
    return dict(list(found.items())[:_MOST])


def _is_name(key: str) -> bool:
    return len(key) <= _LONGEST and len(key.split()) <= _MOST_WORDS and not key.replace(" ", "").isdigit()


def _of_refs(report: Report, truth: Truth) -> Iterator[str]:
    """The runs of refs whose tasks there are."""
    for passage in report.passages:
        if ":" not in passage.text.text or "/" not in passage.text.text:
            continue
        for token in tokens(passage.text):
            if token.kind == REF and (ref := _parsed(token.text)) and ref.task in truth.task_ids:
                yield ref.run


def _parsed(text: str) -> Ref | None:
    try:
        return Ref.parse(text)
    except RefError:
        return None


def _of_columns(report: Report, known: set[str]) -> Iterator[str]:
    """What stands in one column with runs that were given."""
    columns: dict[int, list[str]] = defaultdict(list)
    for passage in report.passages:
        if passage.kind == ROW and passage.cells and key_of(passage.cells[0].header) in _HEADERS:
            columns[passage.group].append(passage.cells[0].text.text.strip())
    for listed in columns.values():
        yield from _beside_runs(listed, known)


def _of_titles(report: Report, known: set[str]) -> Iterator[str]:
    """Headings and openings such as `A:` beside those of runs that were given, and `A against B`."""
    levels: dict[int, list[str]] = defaultdict(list)
    for heading in report.headings:
        levels[heading.level].append(heading.text)
        yield from _against(heading.text, known)
    lists: dict[int, list[str]] = defaultdict(list)
    for passage in report.passages:
        lists[passage.group] += _opening(passage)
    for listed in (*levels.values(), *lists.values()):
        yield from _beside_runs(listed, known)


def _opening(passage: Passage) -> Iterator[str]:
    """`A` of the item `A: 12 of 40`."""
    name, _, rest = passage.text.text[: 2 * _LONGEST].partition(":")
    if passage.kind == ITEM and len(name.split()) == 1 and rest.strip()[:1].isdigit():
        yield name.strip()


def _beside_runs(listed: Iterable[str], known: set[str]) -> Iterator[str]:
    """The others, where one of some names is that of a run; titles of something else stand beside no run."""
    keys = {key_of(name): name for name in listed}
    if known & set(keys):
        yield from (name for key, name in keys.items() if key not in known and len(key.split()) <= 2)


def _against(text: str, known: set[str]) -> Iterator[str]:
    for word in _AGAINST:
        first, found, second = text.partition(word)
        sides = [first.strip(" ,.:"), second.strip(" ,.:")]
        if found and sum(key_of(side) in known for side in sides) == 1:
            yield from (side for side in sides if key_of(side) not in known and len(side.split()) == 1)
