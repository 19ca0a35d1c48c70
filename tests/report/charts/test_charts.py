"""What holds for every chart, whatever its numbers and labels are."""

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade.report import charts
from blade.report.charts.drawing import ink
from tests.report.charts.examples import EXAMPLES, heat_map
from tests.report.charts.geometry import boxes, sheet_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
KINDS = {kind.name: kind for kind in charts.all_kinds().values()}
"""Every kind of chart: a new one is tested as soon as its module is there."""

_ODD = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "]]></text><image href='http://example.com/x.png'/>",
        '" onload="alert(1)',
        "\x1b[31mred\x1b[0m\x07",
        "a\u202eb\u2066c\u200f",
        "Z" + "\u0301" * 500,
        "\ud800 alone",
        "&amp; & \x00 \ufffe",
        "wide 漢字 かな 🙂",
        "W" * 100_000,
        "",
        " \n\t ",
    ]
)
_TEXTS = st.one_of(_ODD, st.text(max_size=40))
_FLOATS = st.one_of(
    st.floats(-1, 1), st.floats(), st.sampled_from([0.0, -0.0, 1.0, 100.0, 1e-300, 1e300, 1e12, -1e12, float("nan")])
)
_INTS = st.one_of(st.integers(0, 20), st.integers(), st.just(10**5_000))


def _any(hint: Any) -> st.SearchStrategy[Any]:
    """Whatever a type allows, and more: odd texts, numbers that are none, lists of any length."""
    plain = {str: _TEXTS, float: _FLOATS, int: _INTS, bool: st.booleans(), type(None): st.none()}
    if hint in plain:
        return plain[hint]
    if dataclasses.is_dataclass(hint):
        fields = {name: _any(told) for name, told in typing.get_type_hints(hint).items()}
        return st.builds(hint, **fields)
    kind, inside = typing.get_origin(hint), typing.get_args(hint)
    if kind is tuple and inside[1:] == (...,):
        return st.one_of(st.lists(_any(inside[0]), max_size=4), st.lists(_any(inside[0]), max_size=60)).map(tuple)
    if kind is tuple:
        return st.tuples(*map(_any, inside))
    if kind is Mapping:
        return st.dictionaries(st.sampled_from(["always", "sometimes", "never", "missing", "odd"]), _any(inside[1]))
    assert kind in (types.UnionType, typing.Union), hint
    return st.one_of(*map(_any, inside))


def _parsed(svg: str) -> ElementTree.Element:
    svg.encode()
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("wide", [True, False])
def test_every_chart_of_whatever_data_is_well_formed_bounded_and_within_its_sheet(name: str, wide: bool) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_any(KINDS[name].data))
    def holds(chart: Any) -> None:
        root = _parsed(charts.svg(chart, prefix="p", wide=wide))
        right, bottom = sheet_of(root)
        assert 0 < bottom < 10_000
        for box in boxes(root):
            assert -1 <= box.left <= box.right <= right + 1, box
            assert -1 <= box.top <= box.bottom <= bottom + 1, box
        header, rows = charts.table(chart)
        assert all(len(row) == len(header) for row in rows)
        for cell in [*header, *(cell for row in rows for cell in row), charts.text(chart)]:
            assert isinstance(cell, str)
            cell.encode()
            assert len(cell) < 3_000

    holds()


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("wide", [True, False])
def test_an_example_looks_as_it_did(name: str, wide: bool) -> None:
    path = SNAPSHOTS / f"{name.replace(' ', '-')}{'' if wide else '-narrow'}.svg"
    drawn = charts.svg(EXAMPLES[name], prefix=name.replace(" ", "-"), wide=wide).replace("><", ">\n<") + "\n"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
        pytest.fail(f"{path.name} was not there: it is written now, look at it and run the tests again")
    assert drawn == path.read_text(encoding="utf-8"), f"remove {path.name} where the change is meant"


def test_every_kind_has_an_example() -> None:
    assert {type(chart) for chart in EXAMPLES.values()} == {kind.data for kind in KINDS.values()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_lines_of_text_do_not_lie_on_each_other(name: str) -> None:
    for wide in (True, False):
        found = [box for box in boxes(_parsed(charts.svg(EXAMPLES[name], prefix="p", wide=wide))) if "text" in box.what]
        for nth, one in enumerate(found):
            for other in found[nth + 1 :]:
                apart = one.right <= other.left or other.right <= one.left
                assert apart or one.bottom <= other.top + 1 or other.bottom <= one.top + 1, (one, other)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_tells_a_screen_reader_what_it_is(name: str) -> None:
    chart = EXAMPLES[name]
    root = _parsed(charts.svg(chart, prefix="one"))
    assert root.get("role") == "img"
    told = {child.get("id"): child.text for child in root if child.get("id")}
    assert list(told) == root.attrib["aria-labelledby"].split()
    title, description = told.values()
    assert title == chart.title
    assert description == f"{chart.description} {charts.text(chart)}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_picture_needs_no_script_no_style_and_nothing_from_elsewhere(name: str) -> None:
    drawn = charts.picture(EXAMPLES[name], prefix="p")
    assert not re.search(r"<(script|style|image|use|foreignObject|a)\b|\bon\w+=|style=|href|@import", drawn)
    assert set(re.findall(r"https?://[^\"]*", drawn)) == {"http://www.w3.org/2000/svg"}
    assert set(re.findall(r"url\((.)", drawn)) <= {"#"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_ids_of_two_pictures_and_of_two_layouts_are_apart(name: str) -> None:
    drawn = charts.picture(EXAMPLES[name], prefix="one") + charts.picture(EXAMPLES[name], prefix="two")
    ids = re.findall(r'\bid="([^"]+)"', drawn)
    assert len(ids) == len(set(ids)) >= 8
    assert set(re.findall(r"url\(#([^)]+)\)", drawn)) <= set(ids)


def test_a_prefix_that_is_no_id_becomes_one() -> None:
    drawn = charts.svg(EXAMPLES["buckets"], prefix='a b"><script>')
    assert re.findall(r'\bid="([^"]+)"', drawn)[0] == "ca-b---script--title"


@pytest.mark.parametrize("name", EXAMPLES)
def test_colours_come_from_the_page_and_have_a_fallback(name: str) -> None:
    drawn = charts.svg(EXAMPLES[name], prefix="p")
    painted = set(re.findall(r'(?:fill|stroke)="([^"]+)"', drawn)) - {"none"}
    assert all(
        re.fullmatch(r"var\(--[a-z]+,(#[0-9a-f]{6}|currentColor)\)|url\(#p?c?p-[a-z]+\)", one) for one in painted
    )


def test_labels_are_escaped_cleaned_and_bounded() -> None:
    bad = "<img src=x onerror=alert(1)>\u202e\x1b[0m" + "x" * 5_000_000
    example = EXAMPLES["buckets"]
    hostile = type(example)(
        title=bad, description=bad, runs=tuple(type(run)(run=bad, tasks=run.tasks) for run in example.runs)
    )
    drawn = charts.picture(hostile, prefix="p")
    assert "<img" not in drawn
    assert "\u202e" not in drawn
    assert "\x1b" not in drawn
    assert len(drawn) < 30_000
    assert all(len(cell) <= 160 for row in charts.table(hostile)[1] for cell in row)


@pytest.mark.parametrize("tasks", [1_000, 20_000])
def test_a_heat_map_of_many_tasks_stays_small(tasks: int) -> None:
    drawn = charts.picture(heat_map(tasks, 3, repeats=8), prefix="p")
    assert len(drawn) < 90_000


def _luminance(colour: str) -> float:
    """Relative luminance by WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [ink.LIGHT, ink.DARK], ids=["light", "dark"])
def test_colours_stand_out_against_the_paper(palette: dict[str, str]) -> None:
    paper = palette["paper"]
    assert all(contrast(palette[word], paper) >= 4.5 for word in ("ink", "muted"))
    assert all(contrast(palette[word], paper) >= 3 for word in palette if word not in ("paper", "line"))
    assert all(contrast(palette[word], paper) >= 4 for word in ("good", "warn", "bad", "accent")), (
        "counts stand on these"
    )


def _as_seen(colour: str, rows: list[list[float]]) -> list[float]:
    """A colour as somebody with a kind of colour blindness sees it (Machado, Oliveira and Fernandes 2009)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [min(1.0, max(0.0, sum(a * b for a, b in zip(row, parts, strict=True)))) for row in rows]


_BLIND = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}


@pytest.mark.parametrize("palette", [ink.LIGHT, ink.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", _BLIND)
def test_series_and_outcomes_keep_apart_for_colour_blind_eyes(palette: dict[str, str], kind: str) -> None:
    for group in (("good", "bad"), ("accent", "bad"), ("kg", "bi"), ("kg", "ir"), ("ti", "bi")):
        one, other = (_as_seen(palette[word], _BLIND[kind]) for word in group)
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 0.25, group
