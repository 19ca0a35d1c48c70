"""Progress of a scan: a bar on a terminal, a line now and then elsewhere."""

import sys
import time

import click

from blade.cli.text import size
from blade.scan.progress import Progress

_QUIET_SECONDS = 5.0
_LINE_SECONDS = 10.0
_BAR_SECONDS = 0.1


def progress() -> Progress:
    """The display that suits standard error."""
    return Bar() if sys.stderr.isatty() else Lines()


class Lines(Progress):
    """Plain lines, none at all for a scan that is over at once."""

    def begin(self, size: int) -> None:
        self.total, self.done, self.rows = size, 0, 0
        self.started = self.shown = time.monotonic()

    def advance(self, size: int, rows: int) -> None:
        self.done += size
        self.rows += rows
        if time.monotonic() - self.shown > _LINE_SECONDS:
            self.shown = time.monotonic()
            self._show()

    def _show(self) -> None:
        click.echo(self.text(), err=True)

    def end(self) -> None:
        if time.monotonic() - self.started > _QUIET_SECONDS:
            self._show()

    def text(self) -> str:
        """Rows, bytes, rate and time left."""
        seconds = max(1e-6, time.monotonic() - self.started)
        share = min(1.0, self.done / self.total) if self.total else 1.0
        left = seconds / share - seconds if share else 0.0
        rate = size(int(self.done / seconds))
        return f"{self.rows:,} rows  {size(self.done)} of {size(self.total)}  {rate}/s  {left:,.0f} s left"


class Bar(Lines):
    """A bar that is drawn over itself and gone at the end."""

    def advance(self, size: int, rows: int) -> None:
        self.done += size
        self.rows += rows
        if time.monotonic() - self.shown > _BAR_SECONDS:
            self.shown = time.monotonic()
            self._show()

    def _show(self) -> None:
        share = min(1.0, self.done / self.total) if self.total else 1.0
        bar = "━" * int(24 * share)
        click.echo(f"\r\x1b[K{bar:<24} {self.text()}", err=True, nl=False)

    def end(self) -> None:
        click.echo("\r\x1b[K", err=True, nl=False)
