"""A report as statements with what they stand under, and the windows in which things stand together."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from blade.check.passages import ROW, Passage, Report
from blade.check.text.blocks import CODE, ITEM
from blade.check.text.inline import Inline
from blade.check.text.names import TASK
from blade.check.text.said import Said, is_shuffled, merged
from blade.check.text.sentences import sentences

_MOST_WORDS: Final = 130
"""Words of a window: what is farther apart does not stand together."""

_SHORT: Final = 8
"""Words of a sentence that is as good as a heading."""

_LONGEST: Final = 110
"""Words of a sentence that somebody wrote."""


class Statement:
    """One sentence, item or row."""

    def __init__(self, passage: Passage, said: Said, above: Said, *, in_order: bool = True) -> None:
        self.passage, self.said, self.above, self.in_order = passage, said, above, in_order

    @property
    def line(self) -> int:
        return self.passage.line

    @cached_property
    def is_readable(self) -> bool:
        """Whether it is a statement at all, and no heap of words."""
        if self.passage.kind in (ROW, CODE):
            return True
        return self.in_order and self.said.runs_on and len(self.said.words) <= _LONGEST


class Window:
    """Statements that stand together."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.said = merged([each.said for each in statements])
        self.above = statements[0].above

    @property
    def line(self) -> int:
        return self.statements[0].line


def statements(report: Report) -> list[Statement]:
    """Everything that a report states, in order."""
    above: dict[tuple[str, ...], Said] = {}
    found = []
    for passage in report.passages:
        parts = _parts(passage)
        opening = _opening(parts)
        in_order = not is_shuffled([token for said in parts for token in said.tokens], least=3)
        for said in parts:
            over = (*passage.headings[2:], passage.lead, "" if said is parts[0] else opening)
            if over not in above:
                above[over] = Said.of(". ".join(over))
            found.append(Statement(passage, said, above[over], in_order=in_order or passage.kind in (ROW, CODE)))
    return found


def _opening(parts: Sequence[Said]) -> str:
    """What a paragraph is about, where its first words say so: a short sentence, or the tasks that it names."""
    if not parts:
        return ""
    if len(parts[0].words) <= _SHORT:
        return parts[0].inline.text
    return ", ".join(f"task {name.key}" for name in parts[0].named if name.kind == TASK)


def _parts(passage: Passage) -> list[Said]:
    if passage.kind in (ROW, CODE):
        return [_read(_bounded(passage.text))]
    return [_read(text) for _, text in sentences(passage.text)]


@lru_cache(maxsize=4_096)
def _read(text: Inline) -> Said:
    """What a text says; candidates that are made of one golden report say the same over and over."""
    return Said(text)


def _bounded(inline: Inline) -> Inline:
    return inline if len(inline.text) < 6_000 else Inline(inline.text[:6_000])


def windows(found: Sequence[Statement]) -> list[Window]:
    """What stands together: each statement, neighbours in a paragraph, paragraphs, items of a list, small chapters."""
    readable = [each for each in found if each.is_readable]
    made = [Window([each]) for each in readable]
    for passage in _runs(readable, lambda each: id(each.passage)):
        made += [Window(pair) for pair in _pairs(passage)] if len(passage) > 2 else []
        made += _whole(passage)
    for group in _runs(readable, lambda each: (each.passage.group, each.passage.kind == ITEM)):
        if group[0].passage.kind == ITEM:
            made += [Window(pair) for pair in _neighbours(group) if _has_one_subject(pair)]
            made += _whole(group) if _has_one_subject(group) else []
    for chapter in _runs(readable, lambda each: each.passage.headings if len(each.passage.headings) > 2 else None):
        if len(chapter[0].passage.headings) > 2 and _has_one_subject(chapter):
            made += _whole(chapter)
    return made


def _runs(found: Sequence[Statement], key: Callable[[Statement], object]) -> Iterator[list[Statement]]:
    """Statements one after the other that have one key."""
    run: list[Statement] = []
    for each in found:
        if run and key(run[-1]) != key(each):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _pairs(found: Sequence[Statement]) -> Iterator[list[Statement]]:
    return ([one, other] for one, other in itertools.pairwise(found))


def _neighbours(items: Sequence[Statement]) -> Iterator[list[Statement]]:
    """Items of a list next to each other, where both say something."""
    return (pair for pair in _pairs(items) if pair[0].passage is not pair[1].passage and all(map(_says, pair)))


def _has_one_subject(found: Sequence[Statement]) -> bool:
    """Whether no two of them speak of different tasks."""
    subjects = {frozenset(name.key for name in each.said.named if name.kind == TASK) for each in found}
    above = {frozenset(name.key for name in each.above.named if name.kind == TASK) for each in found}
    return len((subjects | above) - {frozenset()}) <= 1


def _says(statement: Statement) -> bool:
    return len(statement.said.words) > 3


def _whole(found: Sequence[Statement]) -> list[Window]:
    words = sum(len(each.said.words) for each in found)
    if len(found) < 2 or words > _MOST_WORDS or sum(map(_says, found)) < 0.6 * len(found):
        return []
    return [Window(found)]
