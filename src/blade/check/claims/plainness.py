"""What a figure is not: the end of a range, a limit, a supposition, a count of some rollouts only."""

from collections.abc import Sequence
from typing import Final

from blade.check.claims import truth as known
from blade.check.claims.mentions import WHAT, Mention
from blade.check.claims.scene import Sentence
from blade.check.text.figures import COUNT, OF, Figure
from blade.check.text.names import QUOTE
from blade.check.text.said import Said


def counts(figure: Figure, said: Said, mentions: Sequence[Mention]) -> bool:
    """Whether a figure is a number of the report's own: no end of an interval or a range, and no part of a name."""
    if figure.bound or _is_article(figure) or _is_of_range(figure, said) or _is_limit(figure, said):
        return False
    if any(each.kind != WHAT and each.first <= figure.place < each.after for each in mentions):
        return False
    return not any(name.kind == QUOTE and name.start <= figure.start < name.end for name in said.named)


def _is_of_range(figure: Figure, said: Said) -> bool:
    """`2 to 4`, `3–5`."""
    tokens = said.tokens
    after = tokens[figure.after].word if figure.after < len(tokens) else ""
    before = tokens[figure.place - 1].word if figure.place else ""
    numbers_around = {other.place for other in said.figures} | {other.after for other in said.figures}
    return (after in ("to", "–", "-") and figure.after + 1 in numbers_around and figure.kind == COUNT) or (
        before in ("to", "–") and figure.place - 1 in numbers_around and figure.kind == COUNT
    )


def _is_limit(figure: Figure, said: Said) -> bool:
    """`at least 4`, `more than 80 %`: the number is where something begins or ends."""
    before = tuple(token.word for token in said.tokens[max(0, figure.place - 2) : figure.place])
    return before in _LIMITS


_LIMITS: Final = frozenset(
    (one, other)
    for one, other in (
        *(("at", "least"), ("at", "most"), ("up", "to"), ("no", "more")),
        *((word, "than") for word in ("more", "less", "fewer", "greater", "higher", "lower", "better")),
    )
)


def _is_article(figure: Figure) -> bool:
    """`the one run`, `both`: words rather than numbers."""
    return figure.spelled and (figure.value == 1 or (figure.value == 2 and figure.of == 2))


OF_PAIRS: Final = frozenset(["delta", "common tasks", "better tasks", "worse tasks"])


def is_supposed(said: Said) -> bool:
    """Whether a text speaks of what could be, rather than of what is."""
    words = {token.word for token in said.tokens}
    return bool(_SUPPOSED & words) or ("too" in words and bool(_SUPPOSED_TOO & words))


_SUPPOSED: Final = frozenset(["would", "could", "might", "may", "if", "unless", "without", "suppose", "enough"])


_SUPPOSED_TOO: Final = frozenset(["few", "little", "small"])


def is_count_of_all(sentence: Sentence, figure: Figure) -> bool:
    """Whether a count can be one of everything in a run: `has 80 rollouts`, and not `failed on 4 rollouts`."""
    if figure.kind != COUNT or figure.decimals:
        return True
    tokens = sentence.said.tokens
    behind = tokens[figure.after].word if figure.after < len(tokens) else ""
    if behind not in _THINGS:
        return True
    before = [token.word for token in tokens[max(0, figure.place - 2) : figure.place]]
    if not before or before[-1] in _OPENS or not before[-1].isalpha():
        return True
    return before[-1] in _ON and before[0] in _EVALUATED


_THINGS: Final = frozenset(["rollouts", "tasks", "rows", "attempts", "problems", "trials", "repeats"])


_OPENS: Final = frozenset(
    [
        *(
            "has",
            "have",
            "had",
            "holds",
            "with",
            "over",
            "of",
            "made",
            "comprises",
            "contains",
            "covers",
            "are",
            "were",
        ),
        *("all", "the", "its", "across", "and", "both", "these", "those", "includes", "spans", "measured", "ran"),
        *("total", "same", "identical"),
    ]
)
_ON: Final = frozenset(["on", "in", "at", "from"])


_EVALUATED: Final = frozenset(["run", "ran", "evaluated", "tested", "scored", "measured", "based"])


def is_between(sentence: Sentence, over: Sequence[tuple[str, str]]) -> bool:
    """Whether a figure is of what is lost from one stage to the next."""
    return any(kind == known.STAGE for kind, _ in over) and bool(_WAY & set(sentence.said.words))


_WAY: Final = frozenset(["between", "before", "after", "from"])


def is_plainly_said(sentence: Sentence, figure: Figure, end: int, measures: Sequence[str], *, of_part: bool) -> bool:
    """Whether nothing beside a figure makes it one of some rollouts only: `29 rollouts without a verdict`."""
    tokens = sentence.said.tokens
    qualifying = [] if of_part else _qualifying(sentence, figure, measures)
    if any(each.after + 1 == figure.place and tokens[each.after].text == ":" for each in qualifying):
        return False
    if figure.kind == COUNT and figure.place and tokens[figure.place - 1].text in ("(", "of"):
        return False
    if figure.kind == COUNT and figure.spelled and not any(each.first == figure.after for each in sentence.mentions):
        return False
    nouns = [each for each in sentence.mentions if each.kind == WHAT and figure.after <= each.first < end]
    if figure.kind == COUNT and nouns and nouns[0].key == "tasks":
        of_part = False
    if of_part:
        end = nouns[0].first if nouns else figure.after
    plain = [each for each in sentence.mentions if each not in qualifying]
    mentioned = {at for each in plain for at in range(each.first, each.after)}
    for at in range(figure.after, end):
        if tokens[at].text == "," and at + 1 < end and tokens[at + 1].word in _GO_ON:
            return False
        if tokens[at].text in ",;:()[—→" or tokens[at].word in ("and", "while", "but", "than", "as"):
            return True
        if at not in mentioned and tokens[at].word not in _PLAIN:
            return False
    return True


def _qualifying(sentence: Sentence, figure: Figure, measures: Sequence[str]) -> list[Mention]:
    """What makes a count of rollouts or tasks one of some of them: `were lost`, `fail with …`, `missing: …`."""
    if figure.kind not in (COUNT, OF):
        return []
    return [
        each
        for each in sentence.mentions
        if each.kind == WHAT
        and each.key in _FATES
        and (each.key not in measures or (each.key in _VAGUE and each.first > figure.after))
    ]


_VAGUE: Final = frozenset(["lost", "missing"])
"""What may be said of rollouts that the data count under another name."""

_FATES: Final = _VAGUE | {"passed", "failed", "measured", "not measured", "calls", "cost", "duplicates", "unexplained"}
_GO_ON: Final = frozenset(["all", "each", "which", "that", "none", "every", "most", "lost", "missing", "unmeasured"])
"""Words behind a comma that tell which rollouts were counted."""

_PLAIN: Final = frozenset(
    [
        *("in", "of", "for", "by", "on", "the", "its", "all", "a", "run", "runs", "per", "is", "are", "was", "were"),
        *("over", "out", "from", "to", "it", "at", ".", "%", "pass@1", "that", "there", "here"),
        *("right", "wrong", "correct", "incorrect"),
    ]
)
