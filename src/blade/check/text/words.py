"""Words of a report: which carry meaning, and which mean the same to a reader of evaluations."""

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from blade.check.text.thesaurus import GROUPS

_FUNCTION_TEXT: Final = """
    a an the this that these those there here it its it's they them their theirs he she his her hers him we us
    our you your i me my one ones who whom whose which what when where why how and or but nor so yet if then
    else than as at by for from in into of off on onto out over to up upon with within without about above after
    against along among around before behind below beneath beside besides between beyond during except inside
    like near outside per since through throughout till toward towards under until via is are was were be been
    being am do does did doing done has have had having will would shall should can could may might must not no
    nor don't doesn't didn't isn't aren't wasn't weren't won't can't cannot couldn't wouldn't shouldn't hasn't
    haven't hadn't each every all any some both either neither such same other others another own only just also
    too very more most much many few less least several again once even still already ever never always often
    rather quite thus hence therefore however though although because while whereas whether e.g i.e etc vs
    versus respectively namely hereby it'll they're that's there's let's 's s t d ll re ve
"""
FUNCTION: Final = frozenset(_FUNCTION_TEXT.split())
"""Words that hold sentences together."""

_LINKING_TEXT: Final = """
    a an the this that these those it its they their and or but so if than as at by for from in into of on to up
    with without about after before because while where when which who what is are was were be been has have had
    do does did not no none never all each every any some both only also more most less then there here even
    still through between under over during against within per how its off out until vs
"""
LINKING: Final = frozenset(_LINKING_TEXT.split())
"""The most frequent of them: running text holds plenty, a list of words hardly any."""

_ARTICLES: Final = frozenset(["a", "an", "the", "its", "their", "every", "each", "this", "these"])
_CANNOT_FOLLOW_TEXT: Final = """
    of is are was were and or the a an its their to in on at by for from into with that than as be been has have
    had do does did but if so because while where when which who whose it they them he she we you i this these
    those then every each . , ; : ) ? !
"""
_CANNOT_FOLLOW: Final = frozenset(_CANNOT_FOLLOW_TEXT.split())


def is_content(word: str) -> bool:
    """Whether a word says something by itself."""
    return len(word) > 1 and word not in FUNCTION


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending; what is left is no word of its own."""
    bare = word.lower().removesuffix("'s").replace("'", "")
    if len(bare) < 4 or not bare.isalpha():
        return bare
    for ending, instead in _ENDINGS:
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            bare = bare[: len(bare) - len(ending)] + instead
            break
    if len(bare) > 3 and bare[-1] == bare[-2] and bare[-1] not in "ls":
        bare = bare[:-1]
    bare = bare[:-1] if len(bare) > 3 and bare[-1] == "e" else bare
    bare = bare[:-1] + "i" if len(bare) > 3 and bare[-1] == "y" else bare
    return bare[:8]


_ENDINGS: Final = (
    ("ations", ""),
    ("ation", ""),
    ("ments", ""),
    ("ment", ""),
    ("nesses", ""),
    ("ness", ""),
    ("ings", ""),
    ("ing", ""),
    ("iers", "y"),
    ("ies", "y"),
    ("ied", "y"),
    ("edly", ""),
    ("ily", "y"),
    ("ally", "al"),
    ("ly", ""),
    ("sses", "ss"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("xes", "x"),
    ("ed", ""),
    ("ions", ""),
    ("ion", ""),
    ("us", "us"),
    ("ss", "ss"),
    ("is", "is"),
    ("s", ""),
)


def _concepts() -> dict[str, str]:
    found: dict[str, str] = {}
    for words in GROUPS:
        for word in words:
            found.setdefault(stem(word), f"={words[0]}")
    return found


_CONCEPTS: Final = _concepts()


@lru_cache(maxsize=50_000)
def concept(word: str) -> str:
    """What stands for a word and for all that mean the same."""
    found = stem(word)
    return _CONCEPTS.get(found, found)


def broken_pairs(words: Sequence[str]) -> int:
    """Neighbours that no sentence has, such as “the of”: plenty where words were shuffled."""
    return sum(
        first in _ARTICLES and second in _CANNOT_FOLLOW and not (first in ("this", "these") and second != "of")
        for first, second in itertools.pairwise(words)
    )


def articles(words: Sequence[str]) -> int:
    """Words that a noun should follow."""
    return sum(word in _ARTICLES for word in words)
