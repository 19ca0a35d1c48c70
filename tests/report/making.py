"""Reports of small runs that are made by hand, and what stands in them."""

import json
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema_rs

import blade
from blade.report.schema import analysis_schema
from blade.report.writing import Written
from tests.building import Row, call, here, message, result, row, write

SECTIONS = [
    "Executive Summary",
    "Artifact Inventory",
    "Aggregate Results",
    "Workflow Funnel",
    "Task Outcome Buckets",
    "Dominant Failure Modes",
    "Sometimes-Pass Deep Dives",
    "Never-Pass Deep Dives",
    "Cross-Model Comparison",
    "Recommendations",
    "Reproducibility Notes",
]

VALIDATOR = jsonschema_rs.validator_for(analysis_schema())


def booked(task: int, rollout: int, *, passes: bool, **more: Any) -> Row:
    """A rollout that books a room: on the right day where it passes, a year early where it fails."""
    year = 2031 if passes else 2030
    return row(
        call("find_room", json.dumps({"seats": task}), "c1"),
        result(f"room {task} is free", "c1"),
        call("book_room", json.dumps({"room": task, "day": f"{year}-05-02"}), "c2"),
        result("booked", "c2"),
        message("The room is booked."),
        task=task,
        rollout=rollout,
        prompt=f"Book a room for {task} people on 2 May.",
        reward=float(passes),
        **more,
    )


def run_of(path: Path, passes: Iterable[Iterable[bool]], **more: Any) -> Path:
    """A run whose tasks pass as told, rollout by rollout."""
    rows = [
        booked(task, rollout, passes=ok, **more)
        for task, tries in enumerate(passes)
        for rollout, ok in enumerate(tries)
    ]
    return write(path, rows)


def two_runs(directory: Path, *, tasks: int = 12) -> Path:
    """A baseline that nearly always passes, and a candidate that books a year early in two tries of three."""
    run_of(directory / "before_rollouts.jsonl", [[True, True, task != 3] for task in range(tasks)])
    run_of(
        directory / "later_rollouts.jsonl",
        [[task % 4 == 0, False, task % 3 > 0 and task < 8] for task in range(tasks)],
    )
    return directory


def report(paths: Any, out: Path, **options: Any) -> Written:
    """A report that keeps nothing of its scan."""
    return blade.write_report(paths, out, options=here(), **options)


def analysis(out: Path) -> Any:
    """The data of a report, held against its schema."""
    found = json.loads((out / "analysis.json").read_text(encoding="utf-8"))
    assert [str(error) for error in VALIDATOR.iter_errors(found)] == []
    return found


def markdown(out: Path) -> str:
    return (out / "report.md").read_text(encoding="utf-8")


def page(out: Path) -> "Page":
    return Page((out / "report.html").read_text(encoding="utf-8"))


class Page(HTMLParser):
    """A page as a browser takes it apart: elements, ids, links, texts."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.source = source
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.headings: list[str] = []
        self._heading = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("h1", "h2", "h3", "h4"):
            self._heading = tag
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._heading:
            self._heading = ""

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._heading:
            self.headings[-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]

    @property
    def links(self) -> list[str]:
        return [attributes.get("href") or "" for tag, attributes in self.elements if tag == "a"]
