"""Which failure mode a text means that does not give its title: the one that most of its words are of."""

from collections.abc import Iterable, Sequence
from typing import Final

from blade.check.claims.mentions import RUN
from blade.check.claims.scene import Sentence
from blade.check.text.names import key_of
from blade.check.text.words import concept, is_content

_COPULAS: Final = frozenset(["is", "was", "are", "were", "remains", "stays"])
_FEWEST: Final = 2
_MOST_OF: Final = 0.5
_ENDS: Final = frozenset([",", ";", "(", "—", "with"])
_PLAIN: Final = frozenset(
    ["failure", "failures", "mode", "modes", "rollout", "rollouts", "fail", "fails", "run", "runs"]
)


def words_of_subject(sentence: Sentence, place: int) -> frozenset[str]:
    """What stands behind `the most frequent failure mode is`, as concepts."""
    tokens = sentence.said.tokens
    begin = next((at + 1 for at in range(place, len(tokens)) if tokens[at].word in _COPULAS), len(tokens))
    end = next((at for at in range(begin, len(tokens)) if tokens[at].text in _ENDS), len(tokens))
    runs = {at for each in sentence.mentions if each.kind == RUN for at in range(each.first, each.after)}
    return _concepts(key_of(tokens[at].text) for at in range(begin, end) if at not in runs)


def _concepts(texts: Iterable[str]) -> frozenset[str]:
    words = {word for text in texts for word in text.split()}
    return frozenset(concept(word) for word in words - _PLAIN if is_content(word) and not word.isdigit())


def meant(words: frozenset[str], titles: Sequence[str]) -> list[str]:
    """The titles that have most of some words, or most of whose words they are; the best, and those as good."""
    if len(words) < _FEWEST:
        return []
    shares = {}
    for title in titles:
        own = _concepts([key_of(title)])
        common = len(words & own)
        if common >= _FEWEST and common >= _MOST_OF * min(len(words), len(own)):
            shares[title] = common
    best = max(shares.values(), default=0)
    return [title for title, common in shares.items() if common == best]


def shares_words(words: frozenset[str], title: str) -> bool:
    """Whether a title has any of some words."""
    return bool(words & _concepts([key_of(title)]))
