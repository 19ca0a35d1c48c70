"""Error texts as templates: what is particular to one rollout is masked, and texts of one form fall together.

The result depends on the set of texts alone, not on their order: texts are masked, cut into words and split by length,
then by the position with the fewest different words, until what is left differs in single words only (after the
partitioning of Makanju et al. 2009, with a bound on what counts as a choice rather than a value).
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

LONGEST: Final = 240
"""Characters of a text that are looked at: an error says first what it is."""

ANY: Final = "…"
"""Stands for a word that differs."""

_MOST_CHOICES: Final = 6
"""Different words at one place that are told apart; more are values."""

_SHARED: Final = 0.5
"""Share of words, masks left aside, that texts of one template have in common."""

_PARTICULAR: Final = re.compile(
    r"(?P<keep>(?<![\w.:-])(?<!line )[45]\d\d\b(?![\w.:-]| ?(?:ms|s|kb|mb|bytes|lines?|tokens?|rows?|items?)\b))"
    r"|https?://[^\s'\"<>]{1,200}"
    r"|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"
    r"|(?<!\w)'[^'\n]{0,120}'(?!\w)|\"[^\"\n]{0,120}\"|`[^`\n]{0,120}`|“[^”\n]{0,120}”"
    r"|(?:[\w.@~-]{0,60}/){1,12}[\w.@-]{1,80}"
    r"|[\w.:-]{0,60}\d[\w.:-]{0,60}"
)
"""Links, addresses, quoted text, paths, and words that hold a digit, but for the codes of errors."""


def masked(text: str) -> str:
    """The first line of a text, with what is particular to it masked."""
    line = text.strip()[:LONGEST].split("\n", 1)[0]
    return " ".join(_PARTICULAR.sub(lambda match: match["keep"] or ANY, line).split())


def mine(texts: Iterable[str]) -> dict[str, str]:
    """Of each text its template; the same set of texts gives the same templates in any order."""
    forms = {text: masked(text) for text in set(texts)}
    by_length: dict[int, list[tuple[str, ...]]] = {}
    for words in sorted({tuple(form.split(" ")) for form in forms.values()}):
        by_length.setdefault(len(words), []).append(words)
    template = {line: " ".join(made) for group in by_length.values() for line, made in _split(group)}
    return {text: template[tuple(form.split(" "))] for text, form in forms.items()}


def _split(lines: Sequence[tuple[str, ...]]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Each of some lines of equal length with its template."""
    waiting = [list(lines)]
    while waiting:
        group = waiting.pop()
        choices = [len(set(column)) for column in zip(*group, strict=True)]
        masks = sum(set(column) == {ANY} for column in zip(*group, strict=True))
        place = _place_to_split(choices, masks, len(group))
        if place is None:
            made = tuple(words[0] if len(set(words)) == 1 else ANY for words in zip(*group, strict=True))
            yield from ((line, made) for line in group)
            continue
        parts: dict[str, list[tuple[str, ...]]] = {}
        for line in group:
            parts.setdefault(line[place], []).append(line)
        waiting.extend(parts.values())


def _place_to_split(choices: list[int], masks: int, lines: int) -> int | None:
    """The position that tells kinds of texts apart; None where they are of one kind. `masks` positions say nothing."""
    varied = [(count, place) for place, count in enumerate(choices) if count > 1]
    if not varied:
        return None
    fewest, place = min(varied)
    told = len(choices) - masks
    if told and len(varied) > (1 - _SHARED) * told:
        return place
    return place if fewest <= min(_MOST_CHOICES, lines // 4) else None
