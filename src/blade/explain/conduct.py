"""What every rollout did: its calls in order, as numbers, so that equal calls are found without reading them again.

A call that came back with an error did nothing: it is kept apart, since retries and recovered errors are no conduct by
which rollouts differ. Arguments are seen as leaves: the values under each path, in normal form, lists as a whole.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from blade import content
from blade.explain.cases import Cases
from blade.explain.values import normal
from blade.measure.panel import Numbers

MOST_CALLS: Final = 400
"""Calls of one rollout that are looked at."""

_MOST_LEAVES: Final = 60
_DEEPEST: Final = 3
_LONGEST_LEAF: Final = 400
_MOST_AT_ONCE: Final = 200_000
_TIMES: Final = 64
"""Repetitions of one call that are told apart."""


_CALLS: Final = """
SELECT file, row, step::BIGINT AS step, place::BIGINT AS place, coalesce(result_step, step)::BIGINT AS until,
       hash(coalesce(tool, ''), coalesce(arguments, '')) AS key, error IS NOT NULL AS failed
FROM actions WHERE standing = 'row'
"""
_TEXTS: Final = """
WITH wanted AS (SELECT unnest($keys)::UBIGINT AS key)
SELECT key, any_value(tool), any_value(arguments)
FROM (SELECT hash(coalesce(tool, ''), coalesce(arguments, '')) AS key, coalesce(tool, '') AS tool,
             coalesce(arguments, '') AS arguments FROM actions WHERE standing = 'row')
     JOIN wanted USING (key) GROUP BY key ORDER BY key
"""

_WORDS: Final = re.compile(r"[A-Z]?[a-z]{1,40}|[A-Z]{1,40}|\d{1,20}")
_LOOKS_UP: Final = """
get list search find read view show look fetch query check calculate calc describe ls cat grep open browse think count
lookup retrieve inspect status help scan peek head tail glob tree explore locate print display info details verify
validate test tests whoami today now history select load see plan note compute estimate preview available
"""
_LOOKS: Final = frozenset(_LOOKS_UP.split())
_COMMANDS: Final = ("command", "cmd", "commands", "shell", "bash", "script")
_BETWEEN_COMMANDS: Final = re.compile(r"&&|\|\||[;|\n]")
_PREPARES: Final = frozenset(("cd", "sudo", "export", "env", "time", "nohup", "source", "set", "exec", "("))
_SETS: Final = re.compile(r"\w{1,60}=")
_NAME_OF_PROGRAM: Final = re.compile(r"[\w./+-]{1,80}")


class Call(NamedTuple):
    """A call of a tool, as often as it is made."""

    tool: str
    arguments: Any
    """Decoded; the text as it stands where it is no JSON."""
    leaves: dict[str, str]
    """Of each path of the arguments its value in normal form."""


class Did(NamedTuple):
    """One call of a rollout: which, at which step, and the step of its answer."""

    code: int
    step: int
    until: int
    failed: bool


class Conduct:
    """The calls of all rollouts, by rollout and in order."""

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        case, found = cases.rows(_CALLS)
        order = np.lexsort((found["place"], found["step"], case))
        self._keys, code = np.unique(found["key"], return_inverse=True)
        self.code = code[order].astype(np.int64)
        self.step, self.until = (found[name][order].astype(np.int64) for name in ("step", "until"))
        self.failed = found["failed"][order].astype(bool)
        self.starts = np.searchsorted(case[order], np.arange(len(cases) + 1))
        self._calls: dict[int, Call] = {}
        self._added: dict[tuple[str, str], int] = {}

    @staticmethod
    def of(cases: Cases) -> "Conduct":
        """The conduct of these rollouts, gathered once."""
        [found] = cases.once(_gathered)
        return found

    def of_case(self, case: int) -> list[Did]:
        """What one rollout did, bounded."""
        span = slice(int(self.starts[case]), min(int(self.starts[case + 1]), int(self.starts[case]) + MOST_CALLS))
        columns = (self.code[span], self.step[span], self.until[span], self.failed[span])
        return list(map(Did, *(column.tolist() for column in columns)))

    def codes(self, cases: Numbers, *, failed: bool = False) -> Numbers:
        """The different calls of some rollouts that did something; where asked, those that failed too."""
        chosen = np.zeros(len(self.cases), dtype=bool)
        chosen[cases] = True
        owner = np.repeat(chosen, np.diff(self.starts))
        return np.unique(self.code[owner if failed else owner & ~self.failed])

    def signed(self, signature: Numbers) -> list[list[int]]:
        """Of each rollout its effective calls as `signed_as` numbers them, from the signature of every call."""
        owner = np.repeat(np.arange(len(self.cases)), np.diff(self.starts))
        nth = np.arange(len(owner)) - self.starts[owner]
        kept = np.flatnonzero(~self.failed & (nth < MOST_CALLS))
        owner, told = owner[kept], signature[kept]
        order = np.lexsort((told, owner))
        firsts = np.diff(owner[order], prepend=-1).astype(bool) | np.diff(told[order], prepend=-1).astype(bool)
        places = np.arange(len(order))
        before = np.empty(len(order), dtype=np.int64)
        before[order] = places - np.maximum.accumulate(np.where(firsts, places, 0))
        numbers = (told * _TIMES + np.minimum(before, _TIMES - 1)).tolist()
        ends = np.searchsorted(owner, np.arange(len(self.cases) + 1)).tolist()
        return [numbers[start:end] for start, end in pairwise(ends)]

    def made_by(self, cases: Numbers, codes: Numbers) -> tuple[Numbers, Numbers]:
        """Which of some rollouts made any of these calls, and at which step, each time that they did."""
        chosen = np.zeros(len(self.cases), dtype=bool)
        chosen[cases] = True
        owner = np.repeat(np.arange(len(self.cases)), np.diff(self.starts))
        rows = np.flatnonzero(chosen[owner] & ~self.failed & np.isin(self.code, codes))
        return owner[rows], self.step[rows]

    def load(self, codes: Iterable[int]) -> None:
        """Read the texts of these calls, those that are not known yet, all at once."""
        missing = np.array(sorted(set(codes) - self._calls.keys()), dtype=np.int64)
        for first in range(0, len(missing), _MOST_AT_ONCE):
            part = missing[first : first + _MOST_AT_ONCE]
            keys = self._keys[part]
            asked = {"keys": keys.tolist()}
            for key, tool, arguments in self.cases.store.connection.execute(_TEXTS, asked).fetchall():
                self._calls[int(np.searchsorted(self._keys, np.uint64(key)))] = made(tool, arguments)

    def add(self, tool: str, arguments: Any) -> int:
        """The number of a call that somebody expects, whether a rollout makes it or not."""
        key = (tool, leaf_of(arguments) if not isinstance(arguments, dict) else _text_of(arguments))
        if key not in self._added:
            self._added[key] = len(self._keys) + len(self._added)
            self._calls[self._added[key]] = called(tool, arguments)
        return self._added[key]

    def call(self, code: int) -> Call:
        """A call by its number."""
        if code not in self._calls:
            self.load([code])
        return self._calls[code]


def signed_as(signature: int, before: int) -> int:
    """The number of a call with a signature that was made so often before."""
    return signature * _TIMES + min(before, _TIMES - 1)


def _gathered(cases: Cases) -> Iterator[Conduct]:
    yield Conduct(cases)


def made(tool: str, arguments: str) -> Call:
    """A call from its texts."""
    try:
        value = content.value_of(arguments) if arguments else {}
    except ValueError:
        value = arguments
    return called(tool, value)


def called(tool: str, arguments: Any) -> Call:
    """A call with its leaves; one that runs a command is named with the program it runs."""
    program = _program(arguments)
    return Call(f"{tool} {program}" if program else tool, arguments, dict(_leaves(arguments)))


def _program(arguments: Any) -> str:
    """The program that a command runs: a shell looks things up with one and changes them with another."""
    if not isinstance(arguments, dict):
        return ""
    command = next((arguments[key] for key in _COMMANDS if key in arguments), None)
    if isinstance(command, list) and all(isinstance(word, str) for word in command[:9]):
        command = " ".join(command[:9])
    if not isinstance(command, str):
        return ""
    parts = _BETWEEN_COMMANDS.split(command[:_LONGEST_LEAF])
    words = next((found for part in parts if (found := _words_of(part))), [])
    if not words:
        return ""
    name = words[0].rsplit("/", 1)[-1]
    return f"{name} {' '.join(words[1:3])}" if words[1:2] == ["-m"] else name


def _words_of(command: str) -> list[str]:
    """The words of a command that does something, without what only prepares it."""
    words = command.split()
    while words and (words[0] in _PREPARES or _SETS.match(words[0])):
        words = [] if words[0] == "cd" else words[1:]
    return words if words and _NAME_OF_PROGRAM.fullmatch(words[0]) else []


def _leaves(value: Any) -> Iterator[tuple[str, str]]:
    for count, (path, leaf) in enumerate(_each_leaf(value, "", _DEEPEST)):
        if count == _MOST_LEAVES:
            return
        yield path, leaf


def _each_leaf(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth:
        for key in sorted(value):
            if value[key] is not None:
                yield from _each_leaf(value[key], f"{path}.{key}" if path else key, depth - 1)
    elif value is not None:
        yield path, leaf_of(value)


def leaf_of(value: Any) -> str:
    """A value in normal form: values that differ in form alone have one."""
    if isinstance(value, str):
        return normal(value) if len(value) <= _LONGEST_LEAF else content.digest(" ".join(value.split()))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.10g}" if abs(value) < 1e15 else str(value)
    if isinstance(value, list):
        return content.digest("\n".join(sorted(map(leaf_of, value)))) if value else "[]"
    return _text_of(value)


def _text_of(value: Any) -> str:
    """JSON in canonical form; what stands for it where it is long."""
    try:
        text = content.canonical(value)
    except ValueError:
        return "nested too deeply"
    return text if len(text) <= _LONGEST_LEAF else content.digest(text)


def only_looks(tool: str) -> bool:
    """Whether a tool's name says that it looks something up and changes nothing."""
    words = [word.lower() for word in _WORDS.findall(tool)[:6]]
    return bool(words) and (words[0] in _LOOKS or words[-1] in _LOOKS)
