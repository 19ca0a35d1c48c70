"""Which runs, parts and measures a text mentions, by the names that the data have for them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from blade.check.claims import truth as known
from blade.check.claims.truth import Truth
from blade.check.text.names import CAUSE, key_of
from blade.check.text.said import Said
from blade.check.text.tokens import MARK, METRIC, NUMBER, RATIO, REF, WORD, Token

RUN: Final = "run"
WHAT: Final = "what"

_WHATS: Final = {
    "pass@1": ("pass rate", "success rate", "solve rate", "accuracy", "pass at 1", "pass 1", "overall pass rate"),
    "tasks": ("tasks", "task", "problems", "questions"),
    "rollouts": ("rollouts", "rollout", "attempts", "trials"),
    "rows": ("rows", "row"),
    "passed": ("passed", "passes", "passing", "pass", "succeeded", "successes", "successful", "solved", "solves"),
    "failed": ("failed", "failures", "failing", "fails", "fail", "failure", "unsuccessful"),
    "measured": ("measured",),
    "not measured": ("not measured", "never measured", "unmeasured", "not scored", "never scored"),
    "missing": ("missing",),
    "repeats": ("repeats",),
    "duplicates": ("duplicates", "duplicate rows"),
    "mean reward": ("mean reward", "average reward", "avg reward", "mean score", "average score"),
    "consistency": ("consistency",),
    "coverage": ("coverage",),
    "retry value": ("retry value",),
    "calls": ("calls", "called", "times"),
    "delta": ("change", "difference", "delta", "gives back", "gap", "improvement", "regression"),
    "gain": ("gain", "gains"),
    "cost": ("costs", "cost"),
    "lost": ("loses", "lost", "lose", "losing", "drop", "drops", "dropped"),
    "in passes": ("passing rollouts",),
    "unexplained": ("unexplained", "not explained"),
    "better tasks": ("passed more often", "more often", "improved tasks", "tasks improved", "tasks improve"),
    "worse tasks": ("less often", "regressed tasks", "tasks regressed", "tasks regress", "got worse"),
    "common tasks": ("common tasks", "shared tasks"),
}
"""What is measured, and the words for it."""

_EVERY_WHAT: Final = frozenset(phrase for phrases in _WHATS.values() for phrase in phrases)
_ALWAYS_PART: Final = frozenset(["always", "sometimes", "never", "missing"])
_NEAR_BUCKET: Final = frozenset(["pass", "passes", "passed", "passing", "task", "tasks", "bucket"])
_NO_VERBS: Final = frozenset(["and", "or", "in", "of", "for", "with", "by", "does", "do", "did"])
_SIDES: Final = ("baseline", "candidate")


class Mention(NamedTuple):
    """A name in a text."""

    kind: str
    key: str
    first: int
    """Of its tokens."""
    after: int


class Mentions:
    """Finds names: runs, the parts that the data speak of, and measures."""

    def __init__(self, truth: Truth, strangers: Mapping[str, str] | None = None) -> None:
        self._phrases: dict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
        for spelling, run in (strangers or {}).items():
            self._add(spelling, RUN, run)
        for spelling, run in truth.aliases.items():
            self._add(spelling, RUN, run)
        for (about, spelling), name in truth.names.items():
            if about not in (known.WHOLE, known.CAUSE) and spelling not in _EVERY_WHAT:
                self._add(spelling, about, name)
        spent = {each.what for each in truth.quantities if " per " in each.what}
        for what in spent:
            self._add(what, WHAT, what)
        for what, phrases in _WHATS.items():
            for phrase in phrases:
                self._add(phrase, WHAT, what)
        if len(truth.pairs) == 1:
            for side, run in zip(_SIDES, truth.pairs[0][:2], strict=True):
                self._add(side, RUN, run)
        for listed in self._phrases.values():
            listed.sort(key=lambda each: -len(each[0]))

    def _add(self, spelling: str, kind: str, key: str) -> None:
        words = tuple(spelling.split())
        if words and (len(words) > 1 or len(words[0]) > 1):
            self._phrases[words[0]].append((words, kind, key))

    def find(self, said: Said) -> list[Mention]:
        """The mentions of a text in order; where two overlap, the longer one."""
        words = list(_words(said.tokens))
        found: list[Mention] = []
        place = 0
        while place < len(words):
            match = self._at(words, place, said)
            if match:
                phrase, kinds = match
                first, after = words[place][1], words[place + len(phrase) - 1][1] + 1
                found += [Mention(kind, key, first, after) for kind, key in kinds]
                place += len(phrase)
            else:
                place += 1
        found += [
            Mention(WHAT, token.text.lower(), at, at + 1)
            for at, token in enumerate(said.tokens)
            if token.kind == METRIC
        ]
        return sorted([*found, *self._of_causes(said)], key=lambda each: each.first)

    def _at(
        self, words: Sequence[tuple[str, int]], place: int, said: Said
    ) -> tuple[tuple[str, ...], list[tuple[str, str]]] | None:
        best: tuple[str, ...] = ()
        kinds: list[tuple[str, str]] = []
        for phrase, kind, key in self._phrases.get(words[place][0], ()):
            if len(phrase) < len(best):
                break
            if tuple(word for word, _ in words[place : place + len(phrase)]) != phrase:
                continue
            if kind == known.BUCKET and not self._is_bucket(words, place, said):
                continue
            best = phrase
            kinds.append((kind, key))
        return (best, kinds) if kinds else None

    def _is_bucket(self, words: Sequence[tuple[str, int]], place: int, said: Said) -> bool:
        """Whether a word such as `never` names a bucket here."""
        if words[place][0] not in _ALWAYS_PART or len(words) == 1:
            return True
        near = {word for word, _ in words[max(0, place - 2) : place + 3]}
        return bool(near & _NEAR_BUCKET) or (bool(said.figures) and self._ends(words[place][1] + 1, said))

    def _ends(self, at: int, said: Said) -> bool:
        """Whether no verb of its own follows: `1 never`, `15 always and 4 never`, and not `6 never answer`."""
        token = said.tokens[at] if at < len(said.tokens) else None
        return token is None or token.kind in (MARK, NUMBER, RATIO) or token.word in _NO_VERBS

    def _of_causes(self, said: Said) -> Iterable[Mention]:
        for name in said.named:
            if name.kind == CAUSE:
                at = next((place for place, token in enumerate(said.tokens) if token.start >= name.start), 0)
                yield Mention(known.CAUSE, name.key, at, at + 1)


def _words(tokens: Sequence[Token]) -> Iterable[tuple[str, int]]:
    """The words of a text with the places of their tokens; identifiers are cut into theirs."""
    for place, token in enumerate(tokens):
        if token.kind in (MARK, REF, METRIC):
            continue
        if token.kind == WORD:
            yield token.word.removesuffix("'s"), place
        else:
            yield from ((word, place) for word in key_of(token.text).split())


def parts(found: Iterable[Mention]) -> list[tuple[str, str]]:
    """The parts among some mentions, each once."""
    return list(dict.fromkeys((each.kind, each.key) for each in found if each.kind not in (RUN, WHAT)))


def runs(found: Iterable[Mention]) -> list[str]:
    """The runs among some mentions, each once."""
    return list(dict.fromkeys(each.key for each in found if each.kind == RUN))


def whats(found: Iterable[Mention]) -> list[str]:
    """The measures among some mentions, each once."""
    return list(dict.fromkeys(each.key for each in found if each.kind == WHAT))
