"""Where the parts of a picture lie, read back from its SVG."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from blade.report.charts.drawing.lettering import SIZE, width

NAMESPACE = "{http://www.w3.org/2000/svg}"

_COMMAND = re.compile(r"([MLHVhvZ])([^A-Za-z]*)")


class Box(NamedTuple):
    """What an element covers."""

    what: str
    left: float
    top: float
    right: float
    bottom: float


def sheet_of(root: ElementTree.Element) -> tuple[float, float]:
    """Width and height of the view box."""
    left, top, wide, high = map(float, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    return wide, high


def boxes(root: ElementTree.Element) -> Iterator[Box]:
    """The box of every shape and of every line of text; patterns are no shapes of the picture."""
    for child in root:
        name = child.tag.removeprefix(NAMESPACE)
        if name == "g":
            yield from boxes(child)
        elif name not in ("title", "desc", "defs"):
            yield _box(name, child)


def _box(name: str, element: ElementTree.Element) -> Box:
    if name == "text":
        return text_box(element)
    xs, ys = zip(*_corners(name, element.attrib), strict=True)
    half = float(element.get("stroke-width", 1)) / 2 if _is_stroke(element) else 0
    return Box(name, min(xs), min(ys) - half, max(xs), max(ys) + half)


def _is_stroke(element: ElementTree.Element) -> bool:
    """Whether a path is drawn by its stroke alone, as thick as a band."""
    return element.get("fill") == "none" and float(element.get("stroke-width", 1)) > 4


def text_box(element: ElementTree.Element) -> Box:
    """The room that a line of text may take in the widest of common faces."""
    size, bold = float(element.get("font-size", SIZE)), element.get("font-weight") is not None
    x, y, wide = float(element.attrib["x"]), float(element.attrib["y"]), width(element.text or "", size, bold=bold)
    left = x - {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", ""), 0)
    return Box(f"text {element.text}", left, y - 0.8 * size, left + wide, y + 0.25 * size)


def _corners(name: str, given: dict[str, str]) -> list[tuple[float, float]]:
    def number(key: str) -> float:
        return float(given.get(key, 0))

    if name == "rect":
        x, y = number("x"), number("y")
        return [(x, y), (x + number("width"), y + number("height"))]
    if name == "line":
        return [(number("x1"), number("y1")), (number("x2"), number("y2"))]
    if name == "circle":
        x, y, r = number("cx"), number("cy"), number("r")
        return [(x - r, y - r), (x + r, y + r)]
    assert name == "path", name
    return list(_through(given["d"])) or [(0, 0)]


def _through(d: str) -> Iterator[tuple[float, float]]:
    x = y = 0.0
    for command, told in _COMMAND.findall(d):
        given = [float(number) for number in told.replace(",", " ").split()]
        if command in "ML":
            x, y = given
        elif command == "H":
            [x] = given
        elif command == "V":
            [y] = given
        elif command == "h":
            x += given[0]
        elif command == "v":
            y += given[0]
        yield x, y
