"""Figures of tables, and how each is to be read: by its row, its column and its caption."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.claims.about import OF_ROLLOUTS, Reading, is_judgement, main, settled
from blade.check.claims.claim import Judged
from blade.check.claims.measures import first_nouns, metrics
from blade.check.claims.mentions import WHAT, Mention, runs, whats
from blade.check.claims.numbers_held import judge
from blade.check.claims.plainness import counts, is_supposed
from blade.check.claims.scene import Label, Row
from blade.check.claims.truth import SLICE, Truth
from blade.check.text.figures import COUNT, OF, PERCENT, POINTS, Figure
from blade.check.text.names import TASK, key_of
from blade.check.text.tokens import MARK, NAME

_GENERIC: Final = frozenset(
    ["value", "values", "count", "rate", "share", "n", "number", "total", "", "result", "score"]
)
"""Headers that say nothing about what is measured."""


def in_row(row: Row, truth: Truth) -> Iterator[Judged]:
    """The figures of a row that say something of the runs, each with its verdict."""
    cells = row.cells
    if not cells:
        return
    label = cells[0][1]
    labels = [label, *(value for _, value in cells[1:] if not value.said.figures)]
    tasks = any(name.kind == TASK for cell in (cells[0],) for name in [*cell[0].said.named, *cell[1].said.named])
    if tasks or _is_task_header(cells[0][0]):
        return
    for header, value in cells:
        if value is label or _is_task_header(header):
            continue
        for figure in value.said.figures:
            if not counts(figure, value.said, value.mentions):
                continue
            figure = _in_unit_of(header, figure)
            reading = _read_cell(row, header, value, labels, figure, truth)
            if reading is not None:
                text = f"{label.said.inline.text}: {header.said.inline.text}: {value.said.inline.text}"
                yield judge(figure, reading, truth, text, row.line)


def _in_unit_of(header: Label, figure: Figure) -> Figure:
    """A bare number under a header that tells its unit."""
    words = {token.word for token in header.said.tokens}
    if figure.kind == COUNT and words & {"points", "pp", "pts"}:
        return figure._replace(kind=POINTS)
    if figure.kind == COUNT and words & {"%", "percent", "pct"}:
        return figure._replace(kind=PERCENT)
    return figure


def _is_task_header(header: Label) -> bool:
    return header.said.inline.text.strip().lower() in ("task", "task id", "task_id", "task index", "problem")


def _read_cell(
    row: Row, header: Label, value: Label, labels: Sequence[Label], figure: Figure, truth: Truth
) -> Reading | None:
    across = [each for label in labels for each in label.mentions]
    down = header.mentions
    named = runs(down) or [run for label in labels if _is_of_run(label, truth) for run in runs(label.mentions)]
    titled_by = main(labels[0].mentions) or main(down)
    over = titled_by or main(across) or main(value.mentions)
    own = _whats_in_cell(value, figure)
    titled = [label for label in (header, *labels) if _is_titled(label)]
    measures = own or whats(each for label in titled for each in label.mentions)
    above = [each for label in row.above for each in label.mentions]
    if not (over or measures or (named and _of_generic_header(header, over, figure))):
        return None
    told = tuple(named) or tuple(runs(above)) or tuple(truth.run_names)
    is_told = row.is_of_all or bool(named or runs(above))
    measures = (
        measures
        or _of_generic_header(header, over, figure)
        or _metric_above(row, figure)
        or _usual(over, down, above, figure)
    )
    heads = bool(down) or header.said.inline.text.strip().lower() in _GENERIC
    sure = len(over) <= 1 and (len(measures) == 1 or measures == _COUNTED) and not (own and titled) and heads
    loose = measures or whats([*down, *across, *above])
    heads = (
        heads
        and not is_judgement(over, shared=row.shares_labels)
        and (bool(titled_by) or not over)
        and not (is_supposed(header.said) or is_supposed(labels[0].said))
    )
    reading = Reading(told, tuple(over), tuple(loose), sure and heads and is_told and bool(measures))
    return settled(reading, sure=heads)


def _of_generic_header(header: Label, over: Sequence[tuple[str, str]], figure: Figure) -> list[str]:
    """What stands under `rate` beside a run, and under `n` beside a slice."""
    title = header.said.inline.text.strip().lower()
    if title in ("rate", "score", "success", "%", "overall") and figure.kind == PERCENT and not over:
        return ["pass@1"]
    return _COUNTED if title in ("n", "#", "count") and [kind for kind, _ in over] == [SLICE] else []


_COUNTED: Final = ["tasks", "rollouts", "measured"]
"""What `n` may count."""


def _usual(
    over: Sequence[tuple[str, str]], down: Sequence[Mention], above: Sequence[Mention], figure: Figure
) -> list[str]:
    """What a bare figure under the name of a run is: rollouts of a mode, cause or stage, the pass rate of a slice."""
    kinds = {kind for kind, _ in over}
    if len(over) != 1 or not runs(down):
        return []
    if kinds <= OF_ROLLOUTS and figure.kind in (COUNT, OF) and not figure.decimals:
        return ["rollouts"]
    return ["pass@1"] if kinds == {SLICE} and figure.kind == PERCENT and not whats(above) else []


def _metric_above(row: Row, figure: Figure) -> list[str]:
    """The one rate that a caption names, for percentages."""
    if figure.kind != PERCENT:
        return []
    found = next((whats(metrics(label.mentions)) for label in row.above if metrics(label.mentions)), [])
    return found if len(found) == 1 else []


def _is_of_run(label: Label, truth: Truth) -> bool:
    """Whether a label is the name of a run, rather than a path in which it occurs."""
    words = [token for token in label.said.tokens if token.kind != MARK]
    if key_of(label.said.inline.text) in truth.aliases:
        return True
    return len(words) <= 3 and not any("." in token.text or "/" in token.text for token in words)


def _is_titled(label: Label) -> bool:
    """Whether a header or a label is the name of a measure, rather than a text in which one occurs."""
    words = [token for token in label.said.tokens if token.kind != MARK and token.word not in _UNIT_WORDS]
    named = sum(each.after - each.first for each in label.mentions if each.kind == WHAT)
    if any(token.kind == NAME for token in words):
        return False
    return bool(words) and 2 * named >= len(words)


_UNIT_WORDS: Final = frozenset(["in", "of", "points", "percent", "pp", "the", "number"])


def _whats_in_cell(value: Label, figure: Figure) -> list[str]:
    behind = [each for each in value.mentions if each.kind == WHAT and figure.after <= each.first < figure.after + 3]
    return whats(first_nouns(behind))
