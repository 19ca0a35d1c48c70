"""Editing a report's text without breaking its Markdown: lines, words, numbers, pieces."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_RULE: Final = re.compile(r"[\s|:-]+")
_MARKER: Final = re.compile(r"\s*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+|>\s?)*")


def lines(text: str, edit: Callable[[str], str]) -> str:
    """Every line edited but those that only give shape."""
    return "\n".join(line if _is_shape(line) else edit(line) for line in text.split("\n"))


def _is_shape(line: str) -> bool:
    return not line.strip() or bool(_RULE.fullmatch(line)) or line.lstrip().startswith(("```", "~~~", "<a id", "<!--"))


def bodies(text: str, edit: Callable[[str], str]) -> str:
    """What stands behind the marks of headings, items and quotes, edited."""

    def edited(line: str) -> str:
        marker = _MARKER.match(line)
        end = marker.end() if marker else 0
        return line[:end] + edit(line[end:])

    return lines(text, edited)


def words(text: str, instead: Mapping[str, str]) -> str:
    """Words exchanged for others, in the same case."""

    def exchanged(match: re.Match[str]) -> str:
        found = instead.get(match[0].lower())
        return match[0] if found is None else _cased(found, match[0])

    return _WORD.sub(exchanged, text)


def _cased(word: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word


def numbers(text: str, edit: Callable[[str], str]) -> str:
    """Every number edited."""
    return _NUMBER.sub(lambda match: edit(match[0]), text)


def phrases(text: str, instead: Mapping[str, str]) -> str:
    """Phrases exchanged for others, all at once, the longest first."""
    known = sorted((phrase for phrase in instead if phrase), key=len, reverse=True)
    if not known:
        return text
    pattern = re.compile("|".join(rf"(?<![\w]){re.escape(phrase)}(?![\w])" for phrase in known))
    return pattern.sub(lambda match: instead[match[0]], text)


def sections(text: str, level: int = 2) -> tuple[str, list[str]]:
    """What stands before the first heading of a level, and the sections that begin with one."""
    mark = "#" * level + " "
    before: list[str] = []
    found: list[list[str]] = []
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if line.startswith(mark) and not fenced:
            found.append([line])
        else:
            (found[-1] if found else before).append(line)
    return "\n".join(before), ["\n".join(each) for each in found]


def table_runs(text: str) -> Iterator[list[str]]:
    """The lines of a text in runs: those of a table together, others one by one."""
    run: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            run.append(line)
            continue
        if run:
            yield run
            run = []
        yield [line]
    if run:
        yield run
