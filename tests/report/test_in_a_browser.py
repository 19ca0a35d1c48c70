"""The page as people see it: nothing loaded, nothing broken, at any width, by day and by night, on paper."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.report.making import report, two_runs
from tests.report.test_hostile import ATTACKS, poisoned_runs

_CONTRAST = """() => {
    const channel = value => value / 255 <= .03928 ? value / 255 / 12.92 : ((value / 255 + .055) / 1.055) ** 2.4;
    const light = ([red, green, blue]) => .2126 * channel(red) + .7152 * channel(green) + .0722 * channel(blue);
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const over = (above, below) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = `rgb(${below.join(',')})`; canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = above; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const behind = element => {
        const chain = [];
        for (let one = element; one; one = one.parentElement) chain.unshift(getComputedStyle(one).backgroundColor);
        const nothing = matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255];
        return chain.reduce((below, above) => over(above, below), nothing);
    };
    const poor = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || element.closest('svg, .skip') || !element.checkVisibility()) continue;
        const style = getComputedStyle(element), back = behind(element), ink = over(style.color, back);
        const [one, other] = [light(ink), light(back)].sort((a, b) => b - a);
        const ratio = (one + .05) / (other + .05), size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) poor.push([walker.currentNode.data.trim(), ratio, element.className]);
    }
    return poor;
}"""
"""Texts whose contrast with what lies behind them is below WCAG AA."""

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two runs."""
    directory = tmp_path_factory.mktemp("seen")
    report(two_runs(directory / "runs", tasks=16), directory / "out")
    return directory / "out" / "report.html"


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens a page; afterwards nothing was logged, nothing failed and nothing was asked of a network."""
    contexts, trouble = [], []

    def open_page(path: Path, *, width: int = 1200, scheme: str = "light", anchor: str = "", **more: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        page.on(
            "request", lambda request: trouble.append(request.url) if request.url != path.as_uri() + anchor else None
        )
        page.goto(path.as_uri() + anchor)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 800, 1200, 1600])
def test_the_page_holds_at_every_width_by_day_and_by_night(opened: Open, place: Path, width: int, scheme: str) -> None:
    page = opened(place, width=width, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("[...document.querySelectorAll('details')].forEach(one => one.open = true)") is None
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(_CONTRAST) == []


def test_the_first_screen_answers_why_the_score_changed(opened: Open, place: Path) -> None:
    page = opened(place, width=1200)
    seen = page.evaluate(
        """() => [...document.querySelectorAll('h1, .figures dd, main li, main figure')]
            .filter(one => one.getBoundingClientRect().top < 900).map(one => one.innerText).join('\\n')"""
    )
    data = json.loads((place.parent / "analysis.json").read_text())["comparisons"][0]
    assert data["answer"][0] in seen
    assert "beyond noise" in seen
    assert data["answer"][1].split(":")[0] in " ".join(seen.split())


def test_every_link_leads_to_a_place_that_can_be_seen(opened: Open, place: Path) -> None:
    page = opened(place)
    unseen = page.evaluate(
        """() => [...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href')).filter(href => {
            const place = document.getElementById(decodeURIComponent(href.slice(1)));
            return !href.startsWith('#') || !place;
        })"""
    )
    assert unseen == []
    link = page.locator("main a.ref").first
    href = link.get_attribute("href")
    link.click()
    box = page.evaluate("id => document.getElementById(id).getBoundingClientRect().top", href[1:])
    assert -20 <= box < 900
    assert page.evaluate("document.querySelector(':target').id") == href[1:]


def test_the_contents_are_beside_the_text_where_there_is_room(opened: Open, place: Path) -> None:
    first = "nav a"
    assert opened(place, width=1600).locator(first).first.is_visible()
    narrow = opened(place, width=400)
    assert not narrow.locator(first).first.is_visible()
    narrow.locator("nav summary").click()
    assert narrow.locator(first).first.is_visible()


def test_headings_go_down_step_by_step_and_every_table_and_picture_has_a_name(opened: Open, place: Path) -> None:
    page = opened(place)
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(one => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('table')].every(one => one.caption?.textContent.trim())")
    assert page.evaluate("[...document.querySelectorAll('th')].every(one => one.scope === 'col')")
    assert page.evaluate("[...document.querySelectorAll('svg')].every(one => one.getAttribute('role') === 'img')")
    assert page.evaluate("document.querySelectorAll('main, header, nav, footer').length") == 4
    assert page.evaluate("document.documentElement.lang") == "en"


def test_it_prints_with_the_evidence_and_without_what_paper_cannot_do(opened: Open, place: Path) -> None:
    page = opened(place)
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 8 < paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") + paper.count(b"/Type/Page") < 80
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("article.evidence").first.is_visible()


@pytest.mark.parametrize("attack", ["ended script", "svg", "style", "attribute", "bidi"])
def test_a_hostile_transcript_does_nothing(opened: Open, tmp_path: Path, attack: str) -> None:
    report(poisoned_runs(tmp_path / "runs", ATTACKS[attack]), tmp_path / "out", redact=False)
    page = opened(tmp_path / "out" / "report.html", width=400)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert page.locator("h1").is_visible()
    assert page.evaluate("document.scripts.length + document.styleSheets.length") == 1


def test_it_can_be_read_without_its_style_and_by_keyboard(opened: Open, place: Path) -> None:
    page = opened(place)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#executive-summary"
