"""The negative control of a golden report: what it would be if nobody had read a rollout."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.text.blocks import HEADING, TABLE, Block, blocks
from blade.check.text.inline import plain
from blade.check.text.names import TASK
from blade.check.text.said import Said
from blade.check.text.tokens import tokens

_AGGREGATE: Final = frozenset(["aggregate", "aggregated", "overall", "headline", "metrics"])
_RESULTS: Final = frozenset(["results", "result", "metrics", "scores", "numbers"])
_FUNNEL: Final = frozenset(["funnel"])
_TASK_HEADERS: Final = frozenset(
    ["task", "task id", "task_id", "task index", "task_index", "problem", "question", "item", "ref"]
)


def shallow(source: str) -> str:
    """Title, second-level headings, and the tables of aggregate results and workflow funnel; nothing else."""
    lines: list[str] = []
    within = ""
    for block in blocks(source):
        if block.quoted:
            continue
        if block.kind == HEADING and block.level <= 2:
            within = plain(block.text).text
            lines += [f"{'#' * block.level} {block.text}", ""]
        elif block.kind == TABLE and _is_aggregate(within) and not _is_by_task(block):
            lines += [*_table(block), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _is_aggregate(title: str) -> bool:
    words = {token.word for token in tokens(title)}
    return (
        bool(words & _FUNNEL)
        or bool(words & _AGGREGATE)
        or ("results" in words and len(words) <= 2 and bool(words & _RESULTS))
    )


def _is_by_task(block: Block) -> bool:
    """Whether the rows of a table are tasks or rollouts."""
    header = plain(block.rows[0][0]).text.strip().lower()
    if header in _TASK_HEADERS:
        return True
    named = sum(any(name.kind == TASK for name in Said(plain(row[0])).named) for row in block.rows[1:])
    return named * 2 > len(block.rows) - 1


def _table(block: Block) -> Iterator[str]:
    header, *rows = block.rows
    yield _row(header)
    yield _row(["---"] * len(header))
    yield from map(_row, rows)


def _row(found: Sequence[str]) -> str:
    return f"| {' | '.join(found)} |"
