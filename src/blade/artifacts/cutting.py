"""A file cut into its lines, which are views of the blocks that were read: a copy costs half as much as reading."""

import io
from collections.abc import Iterator
from typing import Final

Text = bytes | memoryview
"""The bytes of a line."""

UTF8_MARK: Final = b"\xef\xbb\xbf"
LINE_END: Final = ord("\n")
_SPACE: Final = frozenset(b" \t\n\r\x0b\x0c")

_BLOCK: Final = 512 * 1024
"""Bytes that are read at once: large enough that few lines reach over an end, small enough to stay in a cache."""


def cut(file: io.BufferedReader, longest: int) -> Iterator[tuple[int, Text | None]]:
    """Size and text of every line; None for one that is too long, of which no more than `longest` bytes are held."""
    begun: list[Text] = []  # the parts of a line that reaches over the ends of blocks
    held = 0
    while block := file.read1(_BLOCK):
        view = memoryview(block)
        start = 0
        while end := block.find(b"\n", start) + 1:
            size = held + end - start
            text = b"".join((*begun, view[start:end])) if held else view[start:end]
            yield size, text if size <= longest + 1 else None
            begun, held, start = [], 0, end
        held += len(block) - start
        begun = [*begun, view[start:]] if held <= longest else []
    if held:
        yield held, b"".join(begun) if held <= longest else None


def trimmed(text: Text, *, at_start: bool) -> tuple[int, Text]:
    """A line without what stands around it, and how much was cut off in front; copied only where it must be.

    Its line end stays where nothing else has to go; `at_start` is of the first line of a file, which may have a mark.
    """
    ends_in_space = len(text) > 1 and text[-2] in _SPACE
    if not (text[0] in _SPACE or ends_in_space or (at_start and text[:3] == UTF8_MARK)):
        return 0, text
    whole = bytes(text)
    rest = whole.removeprefix(UTF8_MARK).lstrip() if at_start else whole.lstrip()
    return len(whole) - len(rest), rest.rstrip()
