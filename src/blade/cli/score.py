"""`blade score`: how much of the golden report's truth a candidate holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli import text
from blade.cli.options import (
    json_option,
    judging_options,
    measure_settings,
    print_json,
    scan_options,
    scan_settings,
)

if TYPE_CHECKING:
    from blade.check.scoring.score import Golden, Score


@click.command("score")
@click.argument("more", nargs=-1, metavar="[RUN]...")
@click.option("--report", required=True, metavar="FILE", help="The candidate, a Markdown file.")
@click.option("--golden", required=True, metavar="FILE", help="The golden report, a Markdown file.")
@click.option("--anchor-facts", required=True, metavar="FILE", help="The anchor facts of the golden report.")
@click.option("--output-dir", metavar="DIR", help="Where reward.json is written.")
@click.option("--runs", multiple=True, metavar="RUN...", help="The runs: evidence and claims are held against them.")
@judging_options
@json_option
@scan_options
def command(
    more: tuple[str, ...],
    report: str,
    golden: str,
    anchor_facts: str,
    output_dir: str | None,
    runs: tuple[str, ...],
    threshold: float | None,
    as_json: bool,
    **scan: Any,
) -> None:
    """Score a candidate: facts that it holds, less those that it contradicts; evidence that is there.

    A fact is met where its names, its figures and what it tells stand together in one passage.
    """
    from blade.check.anchors.fact import parse
    from blade.check.files import read_text, write_json
    from blade.check.scoring.score import Fact, Golden

    candidate = read_text(report)
    facts = parse(read_text(anchor_facts, what="file of anchor facts"), file=anchor_facts)
    known = Golden(read_text(golden), [Fact(fact.id, fact.fact) for fact in facts])
    found = _scored(candidate, known, [*runs, *more], threshold, scan)
    document = found.document()
    if output_dir:
        write_json(Path(output_dir) / "reward.json", {"reward": found.final, **document})
    if as_json:
        print_json(document)
    else:
        click.echo("\n".join(_lines(found)))


def _scored(
    candidate: str, known: "Golden", paths: list[str], threshold: float | None, scan: dict[str, Any]
) -> "Score":
    from blade.check.scoring.score import score

    if not paths:
        return score(candidate, known)
    from blade import doors
    from blade.check.checking import check
    from blade.check.claims.cited import CitedRollouts
    from blade.check.claims.from_store import truth_of

    settings = measure_settings(threshold=threshold)
    with doors.load(paths, scan_settings(**scan)) as store:
        truth = truth_of(store, settings, report=candidate)
        share = check(candidate, truth).share_contradicted
        return score(candidate, known, CitedRollouts(truth), contradicted=share)


def _lines(found: "Score") -> list[str]:
    width = text.terminal_width()
    lines = [click.style(f"final score {found.final:.3f}", bold=True)]
    lines += text.labelled("checklist", _told(found.checklist), width)
    lines += text.labelled("holistic", _told(found.holistic), width)
    lines += text.labelled("note", found.note, width)
    for hit in found.hits:
        verdict = "met" if hit.met else "contradicted" if hit.contradicted else "not met"
        place = f", line {hit.line}" if hit.line and hit.score else ""
        lines += text.labelled(verdict, f"{hit.id} ({hit.score:.2f}{place}): {hit.fact}", width, most_lines=2)
    return lines


def _told(values: dict[str, float]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in values.items())
