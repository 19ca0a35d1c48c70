"""Pictures of findings, as inline SVG from typed data. One module for each chart, found by being here.

A chart is a frozen dataclass: a title, a description, and the numbers. `svg` draws it, `table` is the same as a table
to put behind it, `text` is one sentence for who cannot see it. `picture` draws both layouts; with `STYLE` a page shows
the one that fits. Texts in a chart are cleaned, bounded and escaped here; who wants them redacted does so before.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from blade.report.charts.kind import Chart, Kind, Table

STYLE: Final = (
    ".chart{display:block;width:100%;height:auto;max-width:58rem}"
    ".chart-narrow{display:none;max-width:28rem}"
    "@media (max-width:40rem){.chart-wide{display:none}.chart-narrow{display:block}}"
)
"""CSS that shows one of the two layouts of `picture`."""


def svg(chart: Chart, *, prefix: str, wide: bool = True) -> str:
    """A chart as inline SVG. `prefix` keeps its ids apart from all others of the page."""
    return kind_of(chart).svg(chart, prefix=prefix, wide=wide)


def picture(chart: Chart, *, prefix: str) -> str:
    """Both layouts of a chart, for a page that holds `STYLE`."""
    return svg(chart, prefix=prefix) + svg(chart, prefix=prefix, wide=False)


def table(chart: Chart) -> Table:
    """The numbers behind a picture: header and rows."""
    return kind_of(chart).table(chart)


def text(chart: Chart) -> str:
    """What a picture shows, in one sentence."""
    return kind_of(chart).text(chart)


def kind_of(chart: Chart) -> Kind:
    """The row of the registry that a chart belongs to."""
    return all_kinds()[type(chart)]


@cache
def all_kinds() -> Mapping[type, Kind]:
    """Every kind of chart, by the type of its data."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    kinds = [module.KIND for module in modules if hasattr(module, "KIND")]
    return MappingProxyType({kind.data: kind for kind in kinds})
