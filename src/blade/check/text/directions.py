"""Which way a text points: passing or failing, higher or lower, always or never; and what it denies."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.text.tokens import MARK, WORD, Token

# An axis, the words of its one end, and those of the other.
_AXES: Final = (
    (
        "outcome",
        "pass passes passed passing succeed succeeds succeeded succeeding success successes successful successfully "
        "solve solves solved solving solvable",
        "fail fails failed failing failure failures unsuccessful unsuccessfully unsolved",
    ),
    (
        "frequency",
        "always every invariably consistently unfailingly",
        "never none seldom rarely",
    ),
    (
        "extreme",
        "highest most largest biggest greatest maximum maximal top best strongest longest hardest",
        "lowest least smallest fewest minimum minimal bottom worst weakest shortest easiest",
    ),
    (
        "level",
        "higher more larger bigger greater above exceeds exceed exceeded better outperforms outperformed ahead "
        "stronger longer",
        "lower less smaller fewer below under worse underperforms underperformed behind weaker shorter",
    ),
    (
        "change",
        "rise rises rose risen rising increase increases increased increasing gain gains gained improve improves "
        "improved improvement grow grows grew climbs climbed up",
        "fall falls fell fallen falling decrease decreases decreased decreasing lose loses lost decline declines "
        "declined regress regresses regressed regression regressions drop drops dropped shrink shrinks shrank worsens "
        "worsened degrade degrades degraded down",
    ),
    ("order", "before first earlier prior earliest", "after last later afterwards latest"),
    (
        "presence",
        "present exists appears appear appeared appearing with",
        "absent vanishes vanish vanished missing without",
    ),
    (
        "correctness",
        "correct correctly right rightly accurate",
        "wrong wrongly incorrect incorrectly erroneous mistaken",
    ),
    ("strictness", "strict stricter", "lenient laxer lax"),
    ("noise", "significant beyond", "insignificant within"),
)

NEGATIONS: Final = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "neither",
        "nor",
        "cannot",
        "without",
        "hardly",
        "nobody",
        "nothing",
        "nowhere",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "won't",
        "can't",
        "couldn't",
        "wouldn't",
        "shouldn't",
        "hasn't",
        "haven't",
        "hadn't",
        "unlikely",
    ]
)

_DENIALS: Final = (
    ("not", "true"),
    ("not", "correct"),
    ("not", "the", "case"),
    ("is", "false"),
    ("is", "untrue"),
    ("is", "a", "myth"),
    ("contrary", "to"),
    ("no", "truth"),
    ("wrongly", "claimed"),
    ("falsely",),
    ("untrue",),
    ("incorrectly", "claimed"),
    ("would", "be", "wrong"),
)
"""Words in a row that deny a whole sentence."""

_REACH: Final = 4
"""Words that a negation reaches."""

_WORDS: Final[dict[str, tuple[str, int]]] = {}
for _axis, _one, _other in _AXES:
    for _word in _one.split():
        _WORDS.setdefault(_word, (_axis, 1))
    for _word in _other.split():
        _WORDS.setdefault(_word, (_axis, -1))


class Direction(NamedTuple):
    """A word that points one way of an axis."""

    axis: str
    sign: int
    """1 or −1, after what negates it."""
    place: int
    """Of its token."""
    start: int


def directions(tokens: Sequence[Token]) -> Iterator[Direction]:
    """The words that point somewhere, each with its sign."""
    for place, token in enumerate(tokens):
        if token.kind != WORD or token.code:
            continue
        found = _WORDS.get(token.word)
        if not found or _is_idiom(tokens, place):
            continue
        axis, sign = found
        negated = axis != "frequency" and _negations_before(tokens, place) % 2 == 1
        yield Direction(axis, -sign if negated else sign, place, token.start)


def _negations_before(tokens: Sequence[Token], place: int) -> int:
    """How often a word is negated from the left within its clause."""
    count = words = 0
    for token in reversed(tokens[max(0, place - 3 * _REACH) : place]):
        if token.kind == MARK and token.text in ",;:.()—→|":
            break
        words += token.kind == WORD
        if words > _REACH:
            break
        count += token.kind == WORD and token.word in NEGATIONS
    return count


_TO_DO: Final = frozenset(["fail", "fails", "failed", "failing"])


def _is_idiom(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word means something else here: `fails to call` is no verdict, `at most` no superlative."""
    word = tokens[place].word
    after = tokens[place + 1].word if place + 1 < len(tokens) else ""
    before = tokens[place - 1].word if place else ""
    if word in _TO_DO:
        return after == "to"
    if word in ("most", "least"):
        return before == "at" or after == "of"
    if word in ("right", "best") or (word in ("first", "last") and before in ("the", "its") and after != ""):
        return word == "right" and (after in ("away", "after") or before == "the")
    if word == "up":
        return after == "to" or before not in ("is", "are", "was", "were", "goes", "went", "go")
    if word == "down":
        return before not in ("is", "are", "was", "were", "goes", "went", "go")
    if word in ("within", "beyond"):
        return after not in ("noise", "chance", "the")
    if word == "with":
        return True
    if word == "under":
        return True
    return word == "every" and after in ("other", "task", "row", "rollout's")


_BACK: Final = 2
_CLAUSE_ENDS: Final = ",;:.()—→|"


def denied_places(tokens: Sequence[Token]) -> set[int]:
    """The places of words that some negation reaches: the next few of its clause, and the last ones before it."""
    found: set[int] = set()
    for place, token in enumerate(tokens):
        if token.kind == WORD and token.word in NEGATIONS:
            found.update(_reached(tokens, range(place + 1, len(tokens)), _REACH))
            found.update(_reached(tokens, range(place - 1, -1, -1), _BACK))
    return found


def _reached(tokens: Sequence[Token], places: range, most: int) -> Iterator[int]:
    words = 0
    for place in places:
        if tokens[place].kind == MARK:
            if tokens[place].text in _CLAUSE_ENDS:
                return
            continue
        words += 1
        if words > most:
            return
        yield place


def denials(tokens: Sequence[Token]) -> int:
    """How often a text denies something as a whole."""
    words = [token.word for token in tokens if token.kind == WORD]
    return sum(
        tuple(words[place : place + len(phrase)]) == phrase for phrase in _DENIALS for place in range(len(words))
    )


def negations(tokens: Sequence[Token]) -> int:
    """How many words negate something."""
    return sum(token.kind == WORD and token.word in NEGATIONS for token in tokens)
