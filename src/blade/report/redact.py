"""Redaction: what is private in a text becomes a placeholder, the same thing always the same one.

On by default for everything that is written. Redact plain text, before it is escaped for HTML or Markdown: a
placeholder has angle brackets.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from blade.ref import encode
from blade.report.redaction.own import OwnPatterns
from blade.report.redaction.passage import Passage
from blade.report.redaction.people import Home, homes, mentions
from blade.report.redaction.rule import MEANING, OWN, USER, Found, rules_for

PLACEHOLDER: Final = re.compile(rf"<(?:{'|'.join(MEANING)})-[0-9]{{1,9}}>")

_MOST_NAMES: Final = 100
"""Names of users that are looked for away from paths."""

_MOST_PASSES: Final = 6
"""What a placeholder sets free from its neighbours is found by another look; no text that people write needs more."""

_FOLDED: Final = ("email", "host", "user")
"""Kinds that are the same thing in capitals."""

_HEAD: Final = 3
"""Characters by which what would be redacted in ids is found again; nothing that is redacted is shorter."""

_JOINS: Final = re.compile(r"[.@_-]?[^\W_]")
"""What makes that which stands before it a part of something longer."""


class Redactor:
    """Redacts the texts of one report; `keep` are ids that stay as they are, `patterns` the profile's own.

    `spare` says of a kind and a text that would be redacted whether it stays.
    """

    def __init__(
        self,
        patterns: Sequence[str] = (),
        keep: Collection[str] = frozenset(),
        spare: Callable[[str, str], bool] | None = None,
    ) -> None:
        self._spare = spare
        self._own = OwnPatterns(patterns) if patterns else None
        self._numbers: dict[str, dict[str, int]] = {}
        self._names: dict[str, None] = {}
        self._keep = frozenset[str]()
        self._risky: set[str] = set()
        self._lengths: list[int] = []
        self._inside: dict[str, set[int]] = {}
        self._written = frozenset(keep) | {encode(id_) for id_ in keep}
        self._look_into(self._written)
        self._names.clear()
        self._keep = frozenset(keep)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many different things of each kind were redacted."""
        return {kind: len(self._numbers[kind]) for kind in MEANING if kind in self._numbers}

    def learn(self, texts: Iterable[str]) -> None:
        """Read the names of users from paths, so that texts redacted before the path is met have none of them."""
        for text in texts:
            for home in homes(Passage(text)):
                self._learn(home)

    def _look_into(self, ids: frozenset[str]) -> None:
        """Note what would be redacted in ids, so that it stays; all ids are looked through as one text."""
        lines = sorted(id_ for id_ in ids if "\n" not in id_)
        ends = list(accumulate(len(line) + 1 for line in lines))
        suspected = {lines[bisect_right(ends, found.start)] for found in self._found("\n".join(lines))}
        for id_ in sorted(suspected | (ids - set(lines))):
            self._protect(id_, self._found(id_))

    def _protect(self, id_: str, found: Iterable[Found]) -> None:
        """Note what would be redacted in an id, by how it begins and where it stands."""
        for one in found:
            self._inside.setdefault(id_[one.start : one.end][:_HEAD], set()).add(one.start)
            self._risky.add(id_)
        self._lengths = sorted({len(risky) for risky in self._risky})

    def text(self, text: str) -> str:
        """A text with placeholders for what is private. Redacted again, it stays as it is."""
        if len(text) < 4 or text in self._keep:
            return text
        for _ in range(_MOST_PASSES):
            found = self._found(text)
            if not found:
                break
            text = self._replaced(text, found)
        return text

    def found(self, text: str) -> list[Found]:
        """What would be replaced in a text at first sight, in order."""
        return [] if len(text) < 4 or text in self._keep else self._found(text)

    def _found(self, text: str) -> list[Found]:
        """What is private, in order; of two things that overlap the one that was found first."""
        candidates = list(self._candidates(text))
        if not candidates:
            return []
        taken, kept = bytearray(len(text)), []
        for match in PLACEHOLDER.finditer(text) if "<" in text else ():
            taken[match.start() : match.end()] = b"\1" * len(match[0])
        for found in candidates:
            if found.start < found.end and taken.find(1, found.start, found.end) < 0 and not self._is_kept(text, found):
                taken[found.start : found.end] = b"\1" * (found.end - found.start)
                kept.append(found)
        return sorted(kept)

    def _candidates(self, text: str) -> Iterator[Found]:
        if self._own:
            for start, end in self._own.spans(text):
                yield Found(start, end, OWN)
        passage = Passage(text)
        for rule in rules_for(passage):
            yield from rule.find(passage)
        for home in homes(passage):
            self._learn(home)
            if home.is_private:
                yield Found(home.start, home.end, USER)
        yield from mentions(text, [name for name in self._names if name in text])

    def _is_kept(self, text: str, found: Found) -> bool:
        """Whether it is an id, or stands in an id that stands here."""
        value = text[found.start : found.end]
        if value in self._keep or (self._spare and self._spare(found.kind, value)):
            return True
        return any(
            found.start >= offset and self._id_at(text, found.start - offset)
            for offset in self._inside.get(value[:_HEAD], ())
        )

    def _id_at(self, text: str, start: int) -> bool:
        """Whether an id in which something would be redacted stands at a place, and nothing longer than it."""
        if text[max(0, start - 1) : start].isalnum():
            return False
        ends = (start + length for length in self._lengths)
        return any(text[start:end] in self._risky and not _JOINS.match(text, end) for end in ends)

    def _learn(self, home: Home) -> None:
        name = home.name
        if name in self._names or name in self._keep or not home.is_telling or len(self._names) >= _MOST_NAMES:
            return
        self._names[name] = None
        for id_ in self._written if self._keep else ():
            if name in id_:
                self._protect(id_, mentions(id_, [name]))

    def _replaced(self, text: str, found: list[Found]) -> str:
        parts, end = [], 0
        for one in found:
            parts += [text[end : one.start], self._placeholder(one.kind, text[one.start : one.end])]
            end = one.end
        return "".join([*parts, text[end:]])

    def _placeholder(self, kind: str, value: str) -> str:
        numbers = self._numbers.setdefault(kind, {})
        number = numbers.setdefault(value.lower() if kind in _FOLDED else value, len(numbers) + 1)
        return f"<{kind}-{number}>"
