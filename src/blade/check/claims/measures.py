"""What a figure of a sentence counts or measures."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from blade.check.claims.about import OUTCOME_WHATS
from blade.check.claims.mentions import WHAT, Mention, parts, runs, whats
from blade.check.claims.scene import Sentence
from blade.check.text.figures import COUNT, OF, PERCENT, POINTS, Figure

_BESIDE: Final = 2
"""Tokens between a count and the word before it that says what is counted: `tasks: 24`."""

_BEHIND: Final = 4
"""Tokens behind a figure in which the word stands that says what it counts."""


class _Spot(NamedTuple):
    """A figure with the measures around it."""

    sentence: Sentence
    figure: Figure
    every: list[Mention]
    behind: list[Mention]
    before: list[Mention]

    @property
    def word(self) -> str:
        """The word behind the figure."""
        return self._word(self.figure.after)

    @property
    def last(self) -> str:
        """The word before it."""
        return self._word(self.figure.place - 1)

    def _word(self, at: int) -> str:
        tokens = self.sentence.said.tokens
        return tokens[at].word if 0 <= at < len(tokens) else ""


def whats_of(sentence: Sentence, figure: Figure, begin: int, end: int) -> list[str]:
    """What a figure measures, by the first rule that can tell."""
    every = [each for each in sentence.mentions if each.kind == WHAT]
    tokens = sentence.said.tokens
    stop = next((at for at in range(figure.after, end) if tokens[at].word in _STOPS), end)
    behind = [each for each in every if figure.after <= each.first < min(stop, figure.after + _BEHIND)]
    before = [each for each in every if begin <= each.first < figure.place]
    spot = _Spot(sentence, figure, every, behind, before)
    return next((found for rule in _RULES.get(figure.kind, ()) if (found := rule(spot))), [])


_STOPS: Final = frozenset([",", ";", "(", ")", "and", "while", "but", "against"])


def _odds(spot: _Spot) -> list[str]:
    """`p = 0.03`."""
    tokens = spot.sentence.said.tokens
    before = [token.word for token in tokens[max(0, spot.figure.place - 2) : spot.figure.place]]
    return ["p"] if before in (["p", "="], ["p", "<"]) else []


def _rate(spot: _Spot) -> list[str]:
    """`the mean reward is 0.70`."""
    tokens = spot.sentence.said.tokens
    is_change = any(token.word == "by" for token in tokens[max(0, spot.figure.place - 2) : spot.figure.place])
    is_rate = bool(spot.figure.decimals) and spot.figure.value <= 1 and not is_change
    return whats(each for each in spot.before[-1:] if is_rate and _is_rate(each))


def _is_rate(each: Mention) -> bool:
    return each.key in ("mean reward", "consistency", "coverage", "retry value") or "@" in each.key or "^" in each.key


def _distance(spot: _Spot) -> list[str]:
    """Points between two runs, where nothing else is spoken of."""
    mentions = spot.sentence.mentions
    return ["delta"] if len(runs(mentions)) == 2 and not parts(mentions) else []


def _points(spot: _Spot) -> list[str]:
    near = [each for each in (*spot.before[-1:], *spot.behind[:1]) if each.key in ("delta", "cost", "lost")]
    return whats(near[:1])


def _unexplained(spot: _Spot) -> list[str]:
    return ["unexplained"] if any(each.key == "unexplained" for each in spot.every) else []


def _share(spot: _Spot) -> list[str]:
    """`passes 94 %`, `94 % pass`, `pass@1 … 94 %`."""
    before = [each for each in spot.before if each.key not in _NO_RATES]
    behind = [each for each in spot.behind if each.key not in _NO_RATES]
    metrics_around = metrics(spot.every)
    return whats(before[-1:]) or whats(behind[:1]) or whats(metrics_around)


_NO_RATES: Final = frozenset(["measured", "tasks", "rollouts", "rows", "repeats", "common tasks", "duplicates"])


def _success(spot: _Spot) -> list[str]:
    """`A finishes 94 % of them`: a run, a verb of success, and the figure."""
    tokens, at = spot.sentence.said.tokens, spot.figure.place - 1
    while at >= 0 and tokens[at].word in _FILLERS:
        at -= 1
    is_verb = at >= 0 and tokens[at].word in _SUCCEEDS
    is_of_run = any(each.after == at for each in spot.sentence.mentions if each.kind == "run")
    return ["pass@1"] if is_verb and is_of_run else []


_FILLERS: Final = frozenset(["only", "just", "about", "a", "at", "roughly", "nearly", "almost", "on"])
_SUCCEEDS: Final = frozenset(
    [
        *("finishes", "finished", "completes", "completed", "achieves", "achieved", "gets", "got", "clears", "cleared"),
        *("handles", "handled", "reaches", "reached", "hits", "attains", "scores", "scored", "manages", "managed"),
        *("records", "posts", "lands", "resolves", "resolved", "cracks", "nails", "is"),
    ]
)


def _right(spot: _Spot) -> list[str]:
    """`56 right and 24 wrong`."""
    tokens, after = spot.sentence.said.tokens, spot.figure.after + 1
    ends = after >= len(tokens) or tokens[after].text in ",;.)" or tokens[after].word == "and"
    return [_RIGHT[spot.word]] if ends and spot.word in _RIGHT else []


_RIGHT: Final = {"right": "passed", "correct": "passed", "wrong": "failed", "incorrect": "failed"}


def _flips(spot: _Spot) -> list[str]:
    """`less often on 19 tasks`."""
    found = [each for each in spot.before if each.key in ("better tasks", "worse tasks")]
    return whats(found[-1:]) if first_nouns(spot.behind)[:1] and spot.last in ("on", "in", "for") else []


def _outcome_of(spot: _Spot) -> list[str]:
    """`passes 30 of 40`."""
    beside = [each for each in spot.before[-1:] if each.after == spot.figure.place]
    return whats(beside) if not spot.behind else []


def _of_tasks(spot: _Spot) -> list[str]:
    """`212 of 586 tasks right`, `solves 212 of 586 tasks`: what came of so many tasks, if anything is told."""
    nouns = first_nouns(spot.behind)
    if not nouns or nouns[0].key != "tasks":
        return []
    tokens = spot.sentence.said.tokens
    word = tokens[nouns[0].after].word if nouns[0].after < len(tokens) else ""
    outcomes = [each for each in spot.before[-1:] if each.key in OUTCOME_WHATS]
    return [_RIGHT[word]] if word in _RIGHT else whats(outcomes) or ["some tasks"]


def _became(spot: _Spot) -> list[str]:
    """`6 rollouts of A were never measured`: what is said of so many rollouts is what they are counted for."""
    nouns = first_nouns(spot.behind)
    if not nouns or nouns[0].key != "rollouts":
        return []
    later = [each for each in spot.every if each.first >= nouns[0].after]
    if not later or later[0].key not in _FATES:
        return []
    named = {at for each in spot.sentence.mentions if each.kind == "run" for at in range(each.first, each.after)}
    tokens = spot.sentence.said.tokens
    between = {tokens[at].word for at in range(nouns[0].after, later[0].first) if at not in named}
    return [later[0].key] if between <= _LINKS else []


_FATES: Final = frozenset(["not measured", "missing", "lost"])
_LINKS: Final = frozenset(
    ["of", "in", "from", "for", "the", "run", "is", "are", "was", "were", "been", "have", "has", "that", "got", "went"]
)


def _nouns(spot: _Spot) -> list[str]:
    return whats(first_nouns(spot.behind))


def _titled(spot: _Spot) -> list[str]:
    """`tasks: 24`."""
    is_titled = spot.last in (":", "=", "(")
    return whats(each for each in spot.before[-1:] if is_titled and spot.figure.place - each.after <= _BESIDE)


def _listed(spot: _Spot) -> list[str]:
    """`Failures: A 179, B 374`: what opens the sentence says what is listed of each run."""
    tokens = spot.sentence.said.tokens
    opens = [each for each in spot.every if each.after < len(tokens) and tokens[each.after].text == ":"]
    is_of_run = any(each.after == spot.figure.place for each in spot.sentence.mentions if each.kind == "run")
    return whats(opens) if is_of_run and len(spot.every) == len(opens) == 1 else []


_Rule = Callable[[_Spot], list[str]]
_RULES: Final[dict[str, tuple[_Rule, ...]]] = {
    COUNT: (_odds, _rate, _right, _flips, _became, _nouns, _titled, _listed),
    OF: (_unexplained, _outcome_of, _of_tasks, _became, _nouns, _titled, _listed),
    PERCENT: (_unexplained, _share, _success, _listed),
    POINTS: (_distance, _points),
}
"""For each kind of figure the ways to tell what it measures, the surest first."""


def metrics(mentions: Iterable[Mention]) -> list[Mention]:
    """The first metric, such as `pass@1`, among some mentions."""
    return [each for each in mentions if "@" in each.key or "^" in each.key][:1]


def first_nouns(behind: Sequence[Mention]) -> list[Mention]:
    """`failed rollouts` are failures, `rollouts passed` are passes, `tasks` are tasks."""
    if behind and behind[0].key == "tasks":
        return list(behind[:1])
    outcome = [each for each in behind[:2] if each.key in OUTCOME_WHATS]
    return outcome[:1] or list(behind[:1])
