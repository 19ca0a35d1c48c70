"""Pictures in a real browser: what is estimated without one holds there, and all text is on the sheet."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blade.report import charts
from blade.report.charts.drawing import lettering
from tests.report.charts.examples import EXAMPLES

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)

_TEXTS = """() => [...document.querySelectorAll('svg')].flatMap(svg => [...svg.querySelectorAll('text')].map(text => {
    const box = text.getBBox(), sheet = svg.viewBox.baseVal, style = getComputedStyle(text);
    return [text.textContent, parseFloat(style.fontSize), style.fontWeight, text.getComputedTextLength(),
            box.x, box.y, sheet.width - box.x - box.width, sheet.height - box.y - box.height];
}))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="the driver of browsers is not installed")
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS.split())
        yield opened
        opened.close()


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("face", ["DejaVu Sans", "Liberation Sans", "serif"])
def test_text_is_no_wider_than_was_reckoned_and_on_the_sheet(browser: Any, name: str, face: str) -> None:
    page = browser.new_page(viewport={"width": 900, "height": 700})
    drawn = charts.picture(EXAMPLES[name], prefix="p")
    page.set_content(f"<!doctype html><style>:root{{--sans:{face}}}</style><body>{drawn}")
    found = page.evaluate(_TEXTS)
    page.close()
    assert len(found) > 8
    for text, size, weight, wide, *room in found:
        assert wide <= lettering.width(text, size, bold=int(weight) > 400) + 0.5, text
        assert min(room) >= -1, text
