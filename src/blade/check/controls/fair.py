"""Controls that look different and say the same."""

import re
from typing import Final

from blade.check.controls import editing
from blade.check.controls.registry import FAIR, Source, control
from blade.check.text.blocks import cells

_DECIMAL: Final = re.compile(r"(?<![\w./:#])(\d{1,3}\.\d+)(?= ?(?:%|points|pp\b))")


@control(FAIR)
def sections_reordered(source: Source) -> str:
    """The sections stand in another order, and so do the chapters within them."""
    before, sections = editing.sections(source.golden)
    told = []
    for section in sections:
        head, chapters = editing.sections(section, 3)
        source.stream.shuffle(chapters)
        told.append("\n".join([head, *chapters]))
    source.stream.shuffle(told)
    return "\n".join([before, *told])


@control(FAIR)
def rows_reordered(source: Source) -> str:
    """The rows of every table stand in another order."""
    told = []
    for run in editing.table_runs(source.golden):
        rows = run[2:]
        source.stream.shuffle(rows)
        told += [*run[:2], *rows]
    return "\n".join(told)


@control(FAIR)
def tables_as_bullets(source: Source) -> str:
    """Every table is a list, each item a row with the names of its columns."""
    told = []
    for run in editing.table_runs(source.golden):
        if len(run) < 3:
            told += run
            continue
        header = cells(run[0])
        told += [_item(header, cells(row)) for row in run[2:]]
    return "\n".join(told)


def _item(header: list[str], row: list[str]) -> str:
    told = [f"{name}: {value}" if name else value for name, value in zip(header, row, strict=False) if value]
    return "- " + "; ".join(told)


@control(FAIR)
def numbers_rounded(source: Source) -> str:
    """Percentages and points are whole numbers."""
    return editing.bodies(source.golden, lambda body: _DECIMAL.sub(lambda match: f"{float(match[1]):.0f}", body))
