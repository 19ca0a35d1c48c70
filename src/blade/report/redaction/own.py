"""The profile's own patterns, in the syntax of RE2, which takes linear time whatever the pattern and the text are."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from blade.errors import InputError

if TYPE_CHECKING:
    pass

LONGEST: Final = 1_000
"""Characters of a pattern."""

_MARKS: Final = "\ufdd0\ufdd1"
"""Characters that no text may hold by the rules of Unicode; they mark where a match begins and ends."""


class OwnPatterns:
    """Patterns of a profile; `spans` says where they match."""

    def __init__(self, patterns: Sequence[str]) -> None:
        import duckdb

        self._connection: duckdb.DuckDBPyConnection = duckdb.connect(config={"enable_external_access": False})
        for pattern in patterns:
            self._check(pattern)
        self._pattern = "|".join(f"(?:{pattern})" for pattern in patterns)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of every match that is not empty."""
        text = text.translate(_CLEAN)
        marked = self._asked("SELECT regexp_replace($text, $pattern, $with, 'g')", text, self._pattern)
        yield from _places(marked)

    def _check(self, pattern: str) -> None:
        import duckdb

        if len(pattern) > LONGEST:
            raise InputError(f"a pattern of the profile has more than {LONGEST:,} characters")
        try:
            matches_nothing = self._asked("SELECT regexp_matches($text, $pattern)", "", pattern)
        except (duckdb.Error, UnicodeError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"a pattern of the profile cannot be read: {pattern}: {reason}") from error
        if matches_nothing:
            raise InputError(f"a pattern of the profile matches the empty text: {pattern}")

    def _asked(self, query: str, text: str, pattern: str) -> str:
        given = {"text": text, "pattern": pattern, "with": f"{_MARKS[0]}\\0{_MARKS[1]}"}
        row = self._connection.execute(query, {name: given[name] for name in given if f"${name}" in query}).fetchone()
        return row[0] if row else ""


_CLEAN: Final = {ord(_MARKS[0]): "?", ord(_MARKS[1]): "?"} | dict.fromkeys(range(0xD800, 0xE000), "?")
"""Of the same length as what they stand for, so that places stay."""


def _places(marked: str) -> Iterator[tuple[int, int]]:
    """Where the marks stand, counted in the text without them."""
    at = marked.find(_MARKS[0])
    seen = 0
    while at >= 0:
        closed = marked.find(_MARKS[1], at)
        start = at - seen
        end = closed - 1 - seen
        if end > start:
            yield start, end
        seen += 2
        at = marked.find(_MARKS[0], closed)
