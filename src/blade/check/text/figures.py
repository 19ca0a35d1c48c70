"""Figures of a text: counts, percentages, points, `a of b`, number words; and whether two of them say the same."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.text.tokens import MARK, NUMBER, RATIO, WORD, Token

COUNT: Final = "count"
PERCENT: Final = "percent"
POINTS: Final = "points"
OF: Final = "of"
"""So many of so many."""

_ONES: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
NUMBER_WORDS: Final = {word: number for number, word in enumerate(_ONES)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "dozen": 12,
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "single": 1,
    "sole": 1,
}
_PARTS: Final = {
    ("half",): 0.5,
    ("one", "third"): 1 / 3,
    ("a", "third"): 1 / 3,
    ("two", "thirds"): 2 / 3,
    ("a", "quarter"): 0.25,
    ("one", "quarter"): 0.25,
    ("three", "quarters"): 0.75,
    ("a", "fifth"): 0.2,
    ("one", "fifth"): 0.2,
}
_FIRST_OF_PARTS: Final = frozenset(words[0] for words in _PARTS)
_HEDGES: Final = frozenset(
    [
        "about",
        "around",
        "roughly",
        "approximately",
        "nearly",
        "almost",
        "some",
        "~",
        "≈",
        "circa",
        "ca",
        "just",
        "over",
        "under",
    ]
)
_BETWEEN: Final = frozenset(["the", "its", "all", "their", "these", "those", "our", "them"])
_OUTCOMES: Final = frozenset(["success", "successes", "pass", "passes", "failure", "failures"])
"""Words that may stand between so many and of how many."""

_PERCENT: Final = frozenset(["%", "percent", "pct"])
_POINTS: Final = frozenset(["pp", "points", "point", "pts", "ppt", "pps"])


class Figure(NamedTuple):
    """A number, as a text gives it."""

    kind: str
    value: float
    of: float | None
    """Of so many, where the text says of how many."""
    decimals: int
    start: int
    end: int
    place: int
    """Of its first token."""
    after: int
    """Of the token behind it."""
    hedged: bool = False
    spelled: bool = False
    bound: bool = False
    """Whether it is an end of an interval."""

    @property
    def share(self) -> float | None:
        """0 to 1, where it says one."""
        if self.kind == PERCENT:
            return self.value / 100
        if self.kind == OF and self.of:
            return self.value / self.of
        return None


def figures(tokens: Sequence[Token]) -> list[Figure]:
    """The figures of a text, in order."""
    return list(_with_bounds(tokens, list(_figures(tokens))))


def _figures(tokens: Sequence[Token]) -> Iterator[Figure]:
    place = 0
    while place < len(tokens):
        found = _all_of(tokens, place) or _ratio(tokens, place) or _number(tokens, place) or _part(tokens, place)
        if found:
            yield found
        place = found.after if found else place + 1


def _ratio(tokens: Sequence[Token], place: int) -> Figure | None:
    token = tokens[place]
    if token.kind != RATIO:
        return None
    value, of = (float(part) for part in token.text.split("/"))
    if len(token.text) > 24 or not of:
        return None
    return Figure(OF, value, of, 0, token.start, token.end, place, place + 1)


def _all_of(tokens: Sequence[Token], place: int) -> Figure | None:
    """`all four`, `none of the 4`, `every one of its four`, `both`."""
    word = tokens[place].word if tokens[place].kind == WORD else ""
    if word == "both":
        return Figure(OF, 2, 2, 0, tokens[place].start, tokens[place].end, place, place + 1, spelled=True)
    if word not in ("all", "none", "no", "each", "every", "neither"):
        return None
    at = place + 1
    if word in ("each", "every", "none", "neither") and _word(tokens, at) == "one":
        at += 1
    if _word(tokens, at) == "of":
        at += 1
    at = _over_owner(tokens, at) if at > place + 1 else at
    while _word(tokens, at) in _BETWEEN:
        at += 1
    number = _value(tokens, at)
    if number is None or (at == place + 1 and word in ("no", "each", "every")) or number <= 1:
        return None
    if number != int(number) or _word(tokens, at + 1) in _PERCENT:
        return None
    value = 0.0 if word in ("none", "no", "neither") else number
    return Figure(OF, value, number, 0, tokens[place].start, tokens[at].end, place, at + 1, spelled=True)


def _over_owner(tokens: Sequence[Token], at: int) -> int:
    """Behind an owner, as in `none of the model's four attempts`."""
    for place in range(at, min(at + 3, len(tokens))):
        if tokens[place].word.endswith(("'s", "s'")):
            return place + 1
    return at


def _number(tokens: Sequence[Token], place: int) -> Figure | None:
    value = _value(tokens, place)
    if value is None:
        return None
    token, spelled = tokens[place], tokens[place].kind == WORD
    signed = -value if _is_negative(tokens, place) else value
    start = tokens[place - 1].start if _has_sign(tokens, place) else token.start
    hedged = _is_hedged(tokens, place)
    decimals = len(token.text.partition(".")[2])
    if of := _whole(tokens, place):
        whole, at = of
        return Figure(OF, value, whole, 0, start, tokens[at].end, place, at + 1, hedged, spelled)
    unit, at = _unit(tokens, place + 1)
    return Figure(unit, signed, None, decimals, start, tokens[at - 1].end, place, at, hedged, spelled)


def _value(tokens: Sequence[Token], place: int) -> float | None:
    if place >= len(tokens):
        return None
    token = tokens[place]
    if token.kind == NUMBER and len(token.text) <= 20:
        return token.value
    if token.kind != WORD or token.code:
        return None
    return NUMBER_WORDS.get(token.word)


def _has_sign(tokens: Sequence[Token], place: int) -> bool:
    return (
        place > 0
        and tokens[place - 1].kind == MARK
        and tokens[place - 1].text in "+-−–±"
        and tokens[place - 1].end == tokens[place].start
        and (place < 2 or tokens[place - 2].end < tokens[place - 1].start or tokens[place - 2].text in "([→|,")
    )


def _is_negative(tokens: Sequence[Token], place: int) -> bool:
    return _has_sign(tokens, place) and tokens[place - 1].text in "-−–"


def _is_hedged(tokens: Sequence[Token], place: int) -> bool:
    return any(token.word in _HEDGES for token in tokens[max(0, place - 2) : place])


def _whole(tokens: Sequence[Token], place: int) -> tuple[float, int] | None:
    """Of how many: `4 of 6`, `4 out of 6`, `four of its six`, `1 in 4`; with the place of the number."""
    at = place + 1
    at += _word(tokens, at) in _OUTCOMES
    word = _word(tokens, at)
    if word == "out" and _word(tokens, at + 1) == "of":
        at += 1
    elif word not in ("of", "in"):
        return None
    at += 1
    while word != "in" and _word(tokens, at) in _BETWEEN:
        at += 1
    whole, part = _value(tokens, at), _value(tokens, place)
    if whole is None and word == "of":
        at = _over_owner(tokens, at)
        at += _word(tokens, at) in _BETWEEN
        whole = _value(tokens, at)
    if whole is None or part is None or whole < part or not whole or (word == "in" and whole > 20):
        return None
    if whole != int(whole) or part != int(part) or _word(tokens, at + 1) in _PERCENT | _POINTS:
        return None
    return whole, at


def _unit(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    word = _word(tokens, at)
    if word in _PERCENT:
        return (POINTS, at + 2) if _word(tokens, at + 1) in _POINTS else (PERCENT, at + 1)
    if word == "per" and _word(tokens, at + 1) == "cent":
        return PERCENT, at + 2
    if word == "percentage" and _word(tokens, at + 1) in _POINTS:
        return POINTS, at + 2
    return (POINTS, at + 1) if word in _POINTS else (COUNT, at)


def _part(tokens: Sequence[Token], place: int) -> Figure | None:
    """`half`, `a third`, `three quarters`."""
    if _word(tokens, place) not in _FIRST_OF_PARTS:
        return None
    for words, value in _PARTS.items():
        if all(_word(tokens, place + number) == word for number, word in enumerate(words)):
            end = place + len(words)
            return Figure(
                PERCENT, 100 * value, None, 0, tokens[place].start, tokens[end - 1].end, place, end, True, True
            )
    return None


def _word(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].word if 0 <= place < len(tokens) else ""


def _with_bounds(tokens: Sequence[Token], found: list[Figure]) -> Iterator[Figure]:
    """Two figures alone in brackets are the ends of an interval."""
    for number, figure in enumerate(found):
        opens = (
            _bracket_before(tokens, figure) and number + 1 < len(found) and _bracket_after(tokens, found[number + 1])
        )
        closes = _bracket_after(tokens, figure) and number > 0 and _bracket_before(tokens, found[number - 1])
        is_bound = opens or closes or _is_beside_an_open_end(tokens, figure)
        yield figure._replace(bound=True) if is_bound else figure


def _is_beside_an_open_end(tokens: Sequence[Token], figure: Figure) -> bool:
    """`[33.8, …]`: the other end of the interval is not known."""
    behind = {token.text for token in tokens[figure.after : figure.after + 3]}
    before = {token.text for token in tokens[max(0, figure.place - 3) : figure.place]}
    return ("…" in behind and _bracket_before(tokens, figure)) or ("…" in before and _bracket_after(tokens, figure))


def _bracket_before(tokens: Sequence[Token], figure: Figure) -> bool:
    return any(token.text == "[" for token in tokens[max(0, figure.place - 2) : figure.place])


def _bracket_after(tokens: Sequence[Token], figure: Figure) -> bool:
    return figure.after < len(tokens) and tokens[figure.after].text == "]"
