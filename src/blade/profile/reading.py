"""A profile read and checked: every problem with its line, the key, what is allowed there, what may have been meant."""

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from blade.errors import InputError
from blade.profile.keys import SECTIONS, Key, Section, section
from blade.profile.lines import Place, lines_of

LARGEST: Final = 1_000_000
"""Bytes of a file that may be a profile."""

MOST_RULES: Final = 200


class Problem(NamedTuple):
    """Something that is wrong with a profile."""

    line: int | None
    where: str
    """The section and the key."""
    text: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line else ""
        return f"{place}{f'{self.where}: ' if self.where else ''}{self.text}" + (f" ({self.hint})" if self.hint else "")


@dataclass(frozen=True)
class Rule:
    """A stage or a failure mode: a name and the rollouts that it holds for."""

    name: str
    when: str
    line: int | None = None
    title: str = ""
    cause: str = ""
    owner: str = ""


@dataclass(frozen=True)
class Profile:
    """What the people of a benchmark know about it."""

    path: str = ""
    name: str = ""
    note: str = ""
    id_fields: tuple[str, ...] = ()
    threshold: float | None = None
    slices: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    stages: tuple[Rule, ...] = field(default=())
    modes: tuple[Rule, ...] = field(default=())


def load_profile(path: str | Path) -> Profile:
    """The profile in a file; `InputError` with the first problem and its line where it has any."""
    profile, problems = read_profile(text_of(Path(path)), str(path))
    if problems:
        first, more = problems[0], len(problems) - 1
        hint = "; ".join(filter(None, (first.hint, f"{more} more: `blade profile check` lists all" if more else "")))
        raise InputError(f"{first.where}: {first.text}", file=str(path), line=first.line, hint=hint)
    return profile


def read_profile(text: str, path: str = "") -> tuple[Profile, list[Problem]]:
    """A profile and everything that is wrong with it; what is wrong is left out of the profile."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Profile(path), [_not_toml(str(error), len(text.splitlines()) or 1)]
    except RecursionError:
        return Profile(path), [Problem(None, "", "nested too deeply")]
    reading = _Reading(lines_of(text))
    return reading.profile(document, path), reading.problems


def text_of(path: Path) -> str:
    """The text of a file that may be a profile."""
    try:
        if path.stat().st_size > LARGEST:
            raise InputError("too large for a profile", file=str(path))
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError("not UTF-8", file=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _not_toml(said: str, lines: int) -> Problem:
    """What the TOML reader says, with its line taken out of the text."""
    text, _, place = said.rpartition(" (at ")
    number = place.removeprefix("line ").split(",")[0]
    line = int(number) if number.isdigit() else lines
    said = text or said
    return Problem(line, "", f"not TOML: {said[:1].lower()}{said[1:]}")


class _Reading:
    """A profile at work: the values that are right, and the problems with the others."""

    def __init__(self, lines: dict[Place, int]) -> None:
        self._lines = lines
        self.problems: list[Problem] = []

    def profile(self, document: dict[str, Any], path: str) -> Profile:
        for name in document:
            if section(name) is None:
                self._unknown_section(name, document[name])
        plain = {each.name: self._plain(each, document.get(each.name, {})) for each in SECTIONS if not each.listed}
        expected, given = (tuple(plain["answers"].get(key, ())) for key in ("expected", "given"))
        if expected and given and len(expected) != len(given):
            said = f"{len(expected)} expected and {len(given)} given: each needs its other"
            self.problems.append(Problem(self._line("answers", 0, "given"), "[answers] given", said))
        made = Profile(
            path=path,
            name=plain["benchmark"].get("name", ""),
            note=plain["benchmark"].get("note", ""),
            id_fields=tuple(plain["tasks"].get("id_fields", ())),
            threshold=plain["pass"].get("threshold"),
            slices=tuple(plain["slices"].get("fields", ())),
            expected=expected,
            given=given,
            patterns=tuple(plain["redact"].get("patterns", ())),
            stages=tuple(self._rules("stage", document.get("stage", []))),
            modes=tuple(self._rules("mode", document.get("mode", []))),
        )
        self.problems.sort(key=lambda problem: problem.line or 0)
        return made

    def _line(self, name: str, nth: int, key: str) -> int | None:
        return self._lines.get((name, nth, key)) or self._lines.get((name, nth, "")) or self._lines.get(("", 0, name))

    def _unknown_section(self, name: str, value: Any) -> None:
        names = [f"[[{each.name}]]" if each.listed else f"[{each.name}]" for each in SECTIONS]
        meant = difflib.get_close_matches(name, [each.name for each in SECTIONS], 1)
        hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(names)}"
        line = self._line(name, 0, "") if isinstance(value, (dict, list)) else self._lines.get(("", 0, name))
        self.problems.append(Problem(line, name, "no section of a profile", hint))

    def _plain(self, of: Section, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            line = self._line(of.name, 0, "")
            self.problems.append(Problem(line, of.name, f"is no section of its own: write [{of.name}] above its keys"))
            return {}
        return self._keys(of, value, 0, f"[{of.name}]")

    def _rules(self, name: str, value: Any) -> Iterator[Rule]:
        of = section(name)
        if of is None or not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.problems.append(Problem(self._line(name, 0, ""), name, f"write [[{name}]] above the keys of each"))
            return
        if len(value) > MOST_RULES:
            self.problems.append(Problem(None, f"[[{name}]]", f"more than {MOST_RULES} of them"))
        taken: set[str] = set()
        for nth, each in enumerate(value[:MOST_RULES]):
            where = f"[[{name}]]{' ' + repr(each['name']) if isinstance(each.get('name'), str) else ''}"
            right = self._keys(of, each, nth, where)
            if right.get("name") in taken:
                self.problems.append(Problem(self._line(name, nth, "name"), where, "another one has this name"))
            elif all(key.name in right for key in of.keys if key.needed):
                taken.add(right["name"])
                yield Rule(line=self._line(name, nth, "when"), **right)

    def _keys(self, of: Section, value: dict[str, Any], nth: int, where: str) -> dict[str, Any]:
        """The keys of a section that are right."""
        for key in of.keys:
            if key.needed and key.name not in value:
                self.problems.append(Problem(self._line(of.name, nth, ""), where, f"{key.name} is missing: {key.what}"))
        return {name: each for name, each in value.items() if self._fits(of, name, each, nth, where)}

    def _fits(self, of: Section, name: str, value: Any, nth: int, where: str) -> bool:
        key, line = of.key(name), self._line(of.name, nth, name)
        if key is None:
            names = [each.name for each in of.keys]
            meant = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(names)}"
            self.problems.append(Problem(line, f"{where} {name}", "no key of this section", hint))
            return False
        if _is_right(key, value):
            return True
        self.problems.append(Problem(line, f"{where} {name}", f"{_shown(value)} is not {key.what}", _meant(key, value)))
        return False


def _is_right(key: Key, value: Any) -> bool:
    try:
        return key.fits(value)
    except TypeError:  # what cannot be looked up is not among what is allowed
        return False


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _meant(key: Key, value: Any) -> str:
    """What may have been meant, where a key allows a few words."""
    if not isinstance(value, str) or not key.what.startswith("one of "):
        return ""
    words = key.what.removeprefix("one of ").split(", ")
    folded = {word.casefold(): word for word in words}
    close = difflib.get_close_matches(value.casefold(), list(folded), 1)
    return f"did you mean {folded[close[0]]}?" if close else ""
