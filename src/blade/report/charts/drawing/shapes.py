"""SVG elements as text. Only presentation attributes: a strict content-security policy would drop inline styles."""

from html import escape
from typing import Final

from blade.report.charts.drawing import ink
from blade.report.charts.drawing.lettering import SIZE

MARKERS: Final = ("circle", "diamond", "square", "triangle", "cross", "bar")
"""Shapes that tell series apart without colour."""


def place(value: float) -> str:
    """A coordinate, to a hundredth, without needless zeros."""
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


def element(name: str, *inside: str, **attributes: str | float | None) -> str:
    """An element; attributes that are None are left out, and an underscore in a name is a hyphen."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else place(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{told}>{''.join(inside)}</{name}>" if inside else f"<{name}{told}/>"


def words(
    x: float,
    y: float,
    text: str,
    *,
    size: float = SIZE,
    anchor: str | None = None,
    fill: str = ink.INK,
    bold: bool = False,
    halo: str | None = None,
) -> str:
    """A line of text; `y` is its base line, `anchor` is `middle` or `end`, `halo` sets it off from what lies below."""
    set_off: dict[str, str | float | None] = {}
    if halo:
        set_off = {"stroke": halo, "stroke_width": 4, "stroke_linejoin": "round", "paint_order": "stroke"}
    return element(
        "text",
        escape(text),
        x=x,
        y=y,
        text_anchor=anchor,
        fill=fill,
        font_size=None if size == SIZE else size,
        font_weight="600" if bold else None,
        **set_off,
    )


def lines_of(
    x: float, y: float, lines: list[str], *, leading: float = 16, bold: bool = False, fill: str = ink.INK
) -> str:
    """Lines of text below each other, the first at `y`."""
    return "".join(words(x, y + leading * nth, line, bold=bold, fill=fill) for nth, line in enumerate(lines))


def rect(x: float, y: float, wide: float, high: float, fill: str, **more: str | float | None) -> str:
    """A rectangle; a size below 0 is 0."""
    return element("rect", x=x, y=y, width=max(0.0, wide), height=max(0.0, high), fill=fill, **more)


def tip(text: str) -> str:
    """What a pointer that rests on an element is told, as the first child of it."""
    return element("title", escape(text))


def line(x1: float, y1: float, x2: float, y2: float, stroke: str = ink.LINE, **more: str | float | None) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **more)


def path(d: str, **more: str | float | None) -> str:
    """A path; filled with nothing unless it is said."""
    return element("path", d=d, **({"fill": "none"} | more))


def polyline(points: list[tuple[float, float]]) -> str:
    """The path through some points."""
    return "M" + "L".join(f"{place(x)} {place(y)}" for x, y in points) if points else ""


def band(ends: list[tuple[float, float, float]], fill: str, *, opacity: float = 0.12) -> str:
    """What lies between two lines: at each place the lower and the upper end."""
    outline = [(x, high) for x, _, high in ends] + [(x, low) for x, low, _ in reversed(ends)]
    return path(polyline(outline) + "Z", fill=fill, fill_opacity=opacity) if len(ends) > 1 else ""


def whisker(x1: float, x2: float, y: float, *, reach: float = 4, stroke: str = ink.INK, width: float = 1.25) -> str:
    """An interval that lies, with its two ends."""
    ends = f"M{place(x1)} {place(y - reach)}v{place(2 * reach)}M{place(x2)} {place(y - reach)}v{place(2 * reach)}"
    return _set_off(f"M{place(x1)} {place(y)}H{place(x2)}{ends}", stroke, width)


def upright(x: float, y1: float, y2: float, *, reach: float = 4, stroke: str = ink.INK, width: float = 1.25) -> str:
    """An interval that stands, with its two ends."""
    ends = f"M{place(x - reach)} {place(y1)}h{place(2 * reach)}M{place(x - reach)} {place(y2)}h{place(2 * reach)}"
    return _set_off(f"M{place(x)} {place(y1)}V{place(y2)}{ends}", stroke, width)


def _set_off(d: str, stroke: str, width: float) -> str:
    """A line with an edge of paper, so that it shows on a fill of any colour."""
    edge = path(d, stroke=ink.PAPER, stroke_width=width + 2.5, stroke_opacity=0.7)
    return edge + path(d, stroke=stroke, stroke_width=width)


def marker(shape: str, x: float, y: float, *, fill: str = ink.INK, r: float = 5, stroke: str = ink.PAPER) -> str:
    """One of `MARKERS`, with an edge that sets it off from what lies below it."""
    if shape == "circle":
        return element("circle", cx=x, cy=y, r=r, fill=fill, stroke=stroke)
    outline = {
        "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "triangle": [(0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        "bar": [(-0.45, -1.2), (0.45, -1.2), (0.45, 1.2), (-0.45, 1.2)],
        "cross": _CROSS,
    }[shape]
    return path(polyline([(x + r * dx, y + r * dy) for dx, dy in outline]) + "Z", fill=fill, stroke=stroke)


_CROSS: Final = [
    *[(-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4), (0.4, 0.4)],
    *[(0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4), (-1.1, -0.4), (-0.4, -0.4)],
]
