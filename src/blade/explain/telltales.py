"""Where there is no pass to hold a rollout against: what gives a divergence away all the same.

Some divergences have words of their own. Where nearly every call that shows one holds a word in the argument that
differs, and hardly any pass calls the tool with that word, a call with it shows the divergence in whatever task.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.conduct import Call, Conduct
from blade.explain.divergence import ARGUMENT, EXTRA
from blade.explain.mode import first_places
from blade.explain.patterns import Pattern
from blade.measure.panel import Numbers

FEWEST: Final = 5
"""Rollouts that show a divergence at one place, for its words to be looked at."""

NEARLY_ALL: Final = 0.8
HARDLY_ANY: Final = 0.01

_WORD: Final = re.compile(r"[^\W_]{2,40}")
_MOST_WORDS: Final = 60
_MOST_PASSES: Final = 4_000


class Telltale(NamedTuple):
    """A word in an argument of a tool."""

    tool: str
    path: str
    """Empty for any argument."""
    word: str


def recognised(cases: Cases, pattern: Pattern, held: Numbers) -> Pattern:
    """The pattern with those rollouts, among the ones that were not held against anything, that give it away."""
    if pattern.family not in (ARGUMENT, EXTRA):
        return pattern
    conduct = Conduct.of(cases)
    left = np.flatnonzero(cases.measured & ~cases.mask(held))
    telltales = frozenset(_telltales(cases, conduct, pattern)) if len(left) else frozenset()
    if not telltales:
        return pattern
    codes = conduct.codes(left)
    conduct.load(codes.tolist())
    telling = [code for code in codes.tolist() if _is_given_away(conduct.call(code), telltales)]
    more, steps = conduct.made_by(left, np.array(telling, dtype=np.int64))
    shown = first_places(np.concatenate([pattern.cases, more]), np.concatenate([pattern.steps, steps]))
    return pattern._replace(cases=shown[0], steps=shown[1])


def _telltales(cases: Cases, conduct: Conduct, pattern: Pattern) -> Iterator[Telltale]:
    """Words that nearly all calls of the pattern hold, and hardly any call of a pass."""
    places = {(each.tool, _argument(each.path) if pattern.family == ARGUMENT else "") for each in pattern.exact}
    shown: dict[tuple[str, str], int] = Counter()
    words: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for case, step in zip(pattern.cases.tolist(), pattern.steps.tolist(), strict=True):
        if cases.passed[case]:
            continue
        for did in conduct.of_case(case):
            call = conduct.call(did.code)
            for tool, path in places if did.step == step else ():
                if call.tool == tool:
                    shown[tool, path] += 1
                    words[tool, path].update(_words(call, path))
    for place, count in shown.items():
        usual = {word for word, times in words[place].items() if times >= NEARLY_ALL * count}
        if count >= FEWEST and usual:
            yield from (Telltale(*place, word) for word in sorted(usual - _in_passes(cases, conduct, *place)))


def _argument(path: str) -> str:
    return path.split(".[]")[0].removesuffix("[]")


def _words(call: Call, path: str) -> set[str]:
    """The words of an argument; of all of them, where none is named."""
    texts = [leaf for name, leaf in call.leaves.items() if not path or name == path]
    return {word for text in texts for word in _WORD.findall(text)[:_MOST_WORDS]}


def _in_passes(cases: Cases, conduct: Conduct, tool: str, path: str) -> set[str]:
    """Words with which more than hardly any passing rollout calls a tool."""
    passes = np.flatnonzero(cases.passed)
    passes = passes[:: max(1, len(passes) // _MOST_PASSES)]
    codes = conduct.codes(passes)
    conduct.load(codes.tolist())
    words = {code: _words(conduct.call(code), path) for code in codes.tolist() if conduct.call(code).tool == tool}
    counted: Counter[str] = Counter()
    callers = 0
    for case in passes.tolist():
        own = [words[did.code] for did in conduct.of_case(case) if did.code in words and not did.failed]
        callers += bool(own)
        counted.update(set().union(*own))
    return {word for word, times in counted.items() if times > HARDLY_ANY * callers}


def _is_given_away(call: Call, telltales: frozenset[Telltale]) -> bool:
    return any(each.tool == call.tool and each.word in _words(call, each.path) for each in telltales)
