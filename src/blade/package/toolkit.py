"""The five verbs of a benchmark's author with the standard library alone, for the script that skills carry.

They are the verbs of the same names of `blade`, on the same functions; only what is printed is plainer.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from blade.check.anchors import drafting
from blade.check.anchors.fact import document, parse
from blade.check.calibrate import LEAST_SPREAD, SEED, calibrate, write
from blade.check.files import read_text, write_json, write_text
from blade.check.scoring.score import Fact, Golden, score
from blade.check.shallow import shallow
from blade.errors import BladeError
from blade.package import engine
from blade.package.findings import ALL, PHASES
from blade.package.subject import LEAST_FACTS
from blade.package.validate import validate

_USUAL_FACTS: Final = 25

Print = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; returns the exit code: 1 where what was asked for does not hold, 2 where it could not be done."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = _parser().parse_args(arguments)
    try:
        code: int = given.run(given)
    except BladeError as error:
        print(f"blade_toolkit: {error}", file=sys.stderr)
        return 2
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="blade_toolkit.py", description="Make, check and score packages of BLADE.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, add, run, meaning in _VERBS:
        verb = verbs.add_parser(name, help=meaning, description=meaning)
        add(verb)
        verb.add_argument("--json", action="store_true", dest="as_json", help="print the result as JSON")
        verb.set_defaults(run=run)
    return parser


def _say(given: argparse.Namespace, value: Any, lines: Sequence[str]) -> None:
    print(json.dumps(value, ensure_ascii=True, indent=2, default=str) if given.as_json else "\n".join(lines))


# validate


def _add_validate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--benchmark-dir", required=True, metavar="DIR", help="the package")
    verb.add_argument("--phase", default=ALL, choices=(ALL, *PHASES), help="what to check; all by default")
    verb.add_argument("--min-anchor-facts", type=int, default=LEAST_FACTS, metavar="N", help="facts that are wanted")


def _validate(given: argparse.Namespace) -> int:
    found = validate(given.benchmark_dir, phase=given.phase, least_facts=given.min_anchor_facts)
    _say(given, found.document(), found.lines())
    return int(not found.holds)


# extract-anchor-facts


def _add_extract(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--golden", required=True, metavar="FILE", help="the golden report")
    verb.add_argument("--output", required=True, metavar="FILE", help="where the facts are written")
    verb.add_argument("--benchmark", default="", metavar="NAME", help="the benchmark, as the file shall name it")
    verb.add_argument("--model-name", default="", metavar="NAME", help="the model, as the file shall name it")
    verb.add_argument("--num-facts", type=int, default=_USUAL_FACTS, metavar="N", help="facts at most")
    verb.add_argument("--min-facts", type=int, default=LEAST_FACTS, metavar="N", help="exit 1 with fewer")
    verb.add_argument("--runs", nargs="+", default=(), metavar="RUN", help="rollouts to draft from and check against")


def _extract(given: argparse.Namespace) -> int:
    source = read_text(given.golden)
    drafted = _drafted(source, given.runs, given.num_facts)
    found = document(
        drafted.facts,
        benchmark=given.benchmark,
        model=given.model_name or model_of(given.golden),
        method=drafted.method,
        generated_at=datetime.now(UTC).replace(microsecond=0).isoformat(),
    )
    write_json(given.output, found)
    lines = [f"{fact.id} ({fact.difficulty}) {fact.fact}" for fact in drafted.facts]
    _say(given, found, [*lines, f"{given.output}: {len(drafted.facts)} facts; a person has to review them"])
    if len(drafted.facts) < given.min_facts:
        print(f"blade_toolkit: {len(drafted.facts)} facts, and --min-facts wants {given.min_facts}", file=sys.stderr)
        return 1
    return 0


def _drafted(source: str, runs: Sequence[str], most: int) -> drafting.Drafted:
    if not runs:
        return drafting.draft(source, most=most)
    if why := engine.missing():
        print(f"[SKIP] facts from rollouts: {why}", file=sys.stderr)
        return drafting.draft(source, most=most)
    from blade.check.anchors import from_runs
    from blade.measure.run import Settings

    with engine.store_of(runs) as store:
        settings = Settings()
        found = from_runs.draft(store, settings)
        return drafting.draft(source, most=most, found=found, truth=engine.truth_of(store, settings))


def model_of(report: str | Path) -> str:
    """The model that a golden report is named after."""
    return Path(report).stem.replace("-golden-report", "_golden_report").split("_golden_report")[0]


# make-shallow


def _add_shallow(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--input", required=True, metavar="FILE", help="the golden report")
    verb.add_argument("--output", required=True, metavar="FILE", help="where the shallow report is written")


def _shallow(given: argparse.Namespace) -> int:
    made = shallow(read_text(given.input))
    write_text(given.output, made)
    headings = sum(line.startswith("## ") for line in made.splitlines())
    told = {"output": given.output, "sections": headings}
    _say(given, told, [f"{given.output}: {headings} sections"])
    return 0


# score


def _add_score(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--report", required=True, metavar="FILE", help="the candidate")
    verb.add_argument("--golden", required=True, metavar="FILE", help="the golden report")
    verb.add_argument("--anchor-facts", required=True, metavar="FILE", help="the anchor facts of the golden report")
    verb.add_argument("--output-dir", metavar="DIR", help="where reward.json is written")


def _score(given: argparse.Namespace) -> int:
    candidate, golden = read_text(given.report), read_text(given.golden)
    found = score(candidate, Golden(golden, _facts(given.anchor_facts)))
    if given.output_dir:
        write_json(Path(given.output_dir) / "reward.json", {"reward": found.final, **found.document()})
    met = sum(hit.met for hit in found.hits)
    lines = [f"final_score {found.final:.4f}", *(f"  {name} {value:.4f}" for name, value in found.checklist.items())]
    _say(given, found.document(), [*lines, f"{met} of {len(found.hits)} anchor facts are met", found.note])
    return 0


def _facts(path: str) -> list[Fact]:
    return [Fact(fact.id, fact.fact) for fact in parse(read_text(path, what="file of anchor facts"), file=path)]


# calibrate


def _add_calibrate(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--golden-report", required=True, metavar="FILE", help="the golden report")
    verb.add_argument("--anchor-facts", required=True, metavar="FILE", help="its anchor facts")
    verb.add_argument("--shallow-report", metavar="FILE", help="its shallow control; made where there is none")
    verb.add_argument("--output-dir", metavar="DIR", help="where the summary and the cases are written")
    verb.add_argument("--min-spread", type=float, default=LEAST_SPREAD, metavar="X", help="between golden and shallow")
    verb.add_argument("--seed", type=int, default=SEED, metavar="N", help="seed of the made controls")


def _calibrate(given: argparse.Namespace) -> int:
    found = calibrate(
        read_text(given.golden_report),
        _facts(given.anchor_facts),
        shallow=read_text(given.shallow_report) if given.shallow_report else None,
        least_spread=given.min_spread,
        seed=given.seed,
    )
    if given.output_dir:
        write(found, Path(given.output_dir))
    lines = [
        f"[{'PASS' if case.holds else 'FAIL'}] {case.name}: {case.score.final:.3f}, wanted {case.wanted}"
        for case in found.cases
        if case.score
    ]
    spread = f"spread {found.spread:.3f}, wanted at least {found.least_spread:.2f}"
    lines += [f"[{'PASS' if found.spread >= found.least_spread else 'FAIL'}] {spread}", found.note]
    _say(given, found.summary(), lines)
    return int(not found.holds)


_VERBS: Final = (
    ("validate", _add_validate, _validate, "Is the package there, whole and true?"),
    ("extract-anchor-facts", _add_extract, _extract, "Draft the facts that a good report must hold."),
    ("make-shallow", _add_shallow, _shallow, "Make the negative control of a golden report."),
    ("score", _add_score, _score, "How much of the golden report's truth does a report hold?"),
    ("calibrate", _add_calibrate, _calibrate, "Can the score be fooled on this golden report?"),
)
"""Verb, its options, what it does, its one line."""
