"""How often the first suspicious step that the engine names is the marked one: `python -m bench.first_step`.

People read failed transcripts and marked the decisive mistake: its step, and who made it. The engine is given the rows
alone. It names steps by what it would show anybody of a rollout, the most telling first: where it leaves what its
benchmark expects, the step of its failure mode, its signals in the order of its steps, and then where what it answers
stands for the first time. Where nothing is suspicious it names nothing, which counts as wrong.

Beside that stand two guesses that read no transcript: one step for all, and one agent for all, chosen with the marks in
hand so that no other constant is better; and a step at random. Published, for the best of those methods that had a
language model read the transcripts of the first of these sets: the agent in 53.5 %, the step in 14.2 %.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import blade
from blade.detect.detectors import all_detectors
from blade.detect.signal import EVIDENCE
from blade.explain.assign import assign
from blade.explain.cases import Cases
from blade.explain.origin import origins
from blade.explain.rereading import read_again
from blade.explain.side_by_side import ONLY_THERE, SAME, beside_expected
from blade.item import Item, form_of
from blade.measure.outcomes import PassRule

DATA: Final = Path(__file__).parents[2] / "shared" / "data"
SETS: Final = (
    "who_when/hand_crafted_dev",
    "who_when/algorithm_generated_dev",
    "agentrx/tau_retail_dev",
)

_SIGNALS: Final = """
SELECT s.file, s.row, signal, coalesce(min(a.step), s.step)::BIGINT AS step
FROM signals s LEFT JOIN actions a ON s.file = a.file AND s.row = a.row AND s.step = a.result_step
WHERE s.standing = 'row' AND s.step IS NOT NULL GROUP BY s.file, s.row, signal, s.step ORDER BY step, signal
"""
"""Where what a tool answers is the signal, the mistake is its call."""


class Mark(NamedTuple):
    """What people marked in one transcript: any of some steps, and who made the mistake."""

    steps: frozenset[int]
    agent: str


class Named(NamedTuple):
    """What the engine names in it: steps, the most suspicious first; who acts at each; how many steps there are."""

    steps: list[int]
    agents: list[str]
    length: int


def marks(path: Path) -> Iterator[tuple[int, Mark]]:
    """The marks of a file by the task of the transcript."""
    for line in path.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        task = told["_ng_task_index"]
        if "mistake_output_index" in told:
            yield task, Mark(frozenset([told["mistake_output_index"]]), told["mistake_agent"].lower())
            continue
        root = told["root_cause"]["failure_id"]
        found = [each for each in told["failures"] if each["failure_id"] == root and each["item"]["where"] == "output"]
        if found:
            yield task, Mark(frozenset([found[0]["item"]["index"]]), found[0]["failed_agent"].lower())


def named(path: Path) -> dict[int, Named]:
    """What the engine names in every failing rollout of a file, by task."""
    with blade.load([path], blade.Options(workers=1)) as store:
        [run] = [summary.run for summary in store.summaries]
        cases = Cases.of(store, [run], PassRule())
        suspected = _suspected(cases)
        found = {}
        places = {cases.place(case): case for case in range(len(cases)) if cases.failed[case]}
        for place, rollout in read_again(store, places):
            items = rollout.items
            steps = dict.fromkeys([*suspected[places[place]], *origins(rollout)])
            steps = [step for step in steps if step < len(items)]
            found[int(rollout.task_index or 0)] = Named(steps, [_agent(items[step]) for step in steps], len(items))
    return found


def _agent(item: Item) -> str:
    """Who acts: the speaker that a message names, else whose kind of item it is."""
    form = form_of(item.type, item.role)
    if form.kind == "message" and item.name:
        return item.name.split(" (")[0].lower()
    return "assistant" if form.actor == "model" else form.actor


def _suspected(cases: Cases) -> dict[int, list[int]]:
    """Of each rollout its suspicious steps, each once, the most telling first."""
    found: dict[int, list[int]] = defaultdict(list)
    for case in range(len(cases)):
        if cases.failed[case]:
            found[case] += _unexpected(cases, case)
    assigned = assign(cases)
    for case, step in enumerate(assigned.steps().tolist()):
        if step >= 0 and assigned.mode[case] >= 0 and assigned.modes[assigned.mode[case]].proof != "rest":
            found[case].append(step)
    telling = {row.name for row in all_detectors().values() if row.role != EVIDENCE}
    case, columns = cases.rows(_SIGNALS)
    for number, signal, step in zip(case.tolist(), columns["signal"], columns["step"].tolist(), strict=True):
        if signal in telling:
            found[number].append(step)
    return defaultdict(list, {case: list(dict.fromkeys(steps)) for case, steps in found.items()})


def _unexpected(cases: Cases, case: int) -> list[int]:
    """Steps at which a rollout leaves what is expected: calls with other arguments, calls too many."""
    rows = [row for row in beside_expected(cases, case) if row.kind not in (SAME, ONLY_THERE)]
    return sorted(row.here.step for row in rows if row.here)


class Rates(NamedTuple):
    """How often something is right, over the marked transcripts."""

    step: float
    three: float
    agent: float


def rates(told: dict[int, Named], marked: dict[int, Mark]) -> Rates:
    """How often the first step, one of the first three, and the agent of the first are those that people marked."""
    pairs = [(told.get(task, Named([], [], 0)), mark) for task, mark in marked.items()]

    def share(is_right: Callable[[Named, Mark], bool]) -> float:
        return sum(is_right(*pair) for pair in pairs) / max(1, len(pairs))

    return Rates(
        share(lambda said, mark: bool(mark.steps & set(said.steps[:1]))),
        share(lambda said, mark: bool(mark.steps & set(said.steps[:3]))),
        share(lambda said, mark: said.agents[:1] == [mark.agent]),
    )


def constant(marked: dict[int, Mark]) -> Rates:
    """The best that one step, three steps and one agent for all can be."""
    steps = Counter(step for mark in marked.values() for step in mark.steps)
    agents = Counter(mark.agent for mark in marked.values())
    best = [step for step, _ in steps.most_common(3)]
    return Rates(
        steps.most_common(1)[0][1] / len(marked),
        sum(bool(mark.steps & set(best)) for mark in marked.values()) / len(marked),
        agents.most_common(1)[0][1] / len(marked),
    )


def at_random(told: dict[int, Named], marked: dict[int, Mark]) -> Rates:
    """What a step at random gets."""
    lengths = [max(1, told[task].length) for task in marked if task in told]
    return Rates(
        sum(1 / length for length in lengths) / len(lengths),
        sum(min(1.0, 3 / length) for length in lengths) / len(lengths),
        float("nan"),
    )


def table(rows: list[tuple[str, str, int, Rates]]) -> str:
    """The rates as a table in Markdown."""
    lines = [
        "| transcripts | by | marked | first step | first three | agent |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, by, count, found in rows:
        told = ["" if rate != rate else f"{100 * rate:.1f} %" for rate in found]
        lines.append(f"| {name} | {by} | {count} | {' | '.join(told)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    if not DATA.is_dir():
        sys.exit(f"the marked transcripts are not in {DATA}")
    rows: list[tuple[str, str, int, Rates]] = []
    everything: tuple[dict[Any, Named], dict[Any, Mark]] = ({}, {})
    for name in SETS:
        told, marked = named(DATA / f"{name}_rollouts.jsonl"), dict(marks(DATA / f"{name}_labels.jsonl"))
        rows += [
            (name, "the engine", len(marked), rates(told, marked)),
            (name, "the best constant", len(marked), constant(marked)),
            (name, "at random", len(marked), at_random(told, marked)),
        ]
        everything[0].update({(name, task): one for task, one in told.items()})
        everything[1].update({(name, task): one for task, one in marked.items()})
    rows.append(("all", "the engine", len(everything[1]), rates(*everything)))
    silent = sum(not everything[0][key].steps for key in everything[1])
    print(table(rows))
    print(f"\nThe engine names no step in {silent} of {len(everything[1])}.")


if __name__ == "__main__":
    main()
