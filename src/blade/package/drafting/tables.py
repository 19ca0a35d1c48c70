"""Markdown tables of what was found in runs."""

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table; bars and line breaks in cells are made harmless."""
    lines = [f"| {' | '.join(header)} |", f"| {' | '.join('---' for _ in header)} |"]
    return [*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows), ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|") or " "


def code(text: str, most: int = 60) -> str:
    """Text as code on one line, cut where it is long."""
    flat = " ".join(text.split()).replace("`", "'")
    return f"`{flat if len(flat) <= most else flat[: most - 1] + '…'}`" if flat else ""
