"""What the rows hold as the extracted answer, and what a vote over it would give."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from blade.measure.outcomes import NOT_MEASURED, PASSED
from blade.measure.panel import Numbers, Panel

if TYPE_CHECKING:
    from blade.scan.store import Store

_KNOWN: Final = (
    "extracted_answer", "predicted_answer", "parsed_answer", "final_answer", "model_answer", "extracted",
    "parsed_option", "predicted_label", "prediction", "predicted",
)  # fmt: skip
_LIKE: Final = re.compile(
    r"(extracted|predicted|parsed|final|pred|hyp)_?"
    r"(answer|option|label|choice|letter|value|verdict|judge?ment|grade|count|number|result|text)",
    re.IGNORECASE,
)

_FIELDS: Final = """
SELECT name, count(*) FILTER (kind <> 'null'), count(*) FROM fields
WHERE run = $run AND standing = 'row' AND kind IN ('text', 'number', 'boolean', 'null') AND NOT contains(name, '.')
GROUP BY name
"""
_ANSWERS: Final = """
SELECT file, row, coalesce(hash, text, number::VARCHAR) FROM fields
WHERE run = $run AND standing = 'row' AND name = $name AND kind <> 'null'
"""


def answer_field(store: "Store", run: str) -> str | None:
    """The field that holds the extracted answer, found by its name; None where there is none."""
    found = {name: filled for name, filled, _ in store.connection.execute(_FIELDS, {"run": run}).fetchall() if filled}
    known = next((name for name in _KNOWN if name in found), None)
    return known or max(
        (name for name in found if _LIKE.fullmatch(name)), key=lambda name: (found[name], name), default=None
    )


def with_answers(store: "Store", panel: Panel, name: str) -> Panel:
    """The panel with the extracted answers that a field holds."""
    rows = store.connection.execute(_ANSWERS, {"run": panel.run, "name": name}).fetchall()
    found = {(file, row): value for file, row, value in rows}
    return replace(panel, answers=[found.get((file, row)) for file, row in panel.place.tolist()])


def majority_at(k: int, panel: Panel) -> Numbers:
    """Of each task with k measured rollouts what the most frequent answer of the first k scores.

    Answers that are equally frequent share; a task without any answer among the k scores 0. Where rollouts pass
    without an extracted answer, the answer is not what every task is judged by: then only tasks that have any count.
    """
    votes: dict[int, Counter[str]] = defaultdict(Counter)
    passes: dict[int, Counter[str]] = defaultdict(Counter)
    turns, outcomes = panel.turn.tolist(), panel.outcome.tolist()
    for rollout, task in enumerate(panel.task.tolist()):
        answer = panel.answers[rollout]
        if 0 <= turns[rollout] < k and answer is not None:
            votes[task][answer] += 1
            passes[task][answer] += outcomes[rollout] == PASSED
    enough = np.flatnonzero((panel.measured >= k) & _judged_by_answer(panel)).tolist()
    return np.array([_vote(votes[task], passes[task]) for task in enough])


def _judged_by_answer(panel: Panel) -> Numbers:
    """Of each task whether its verdict is about the extracted answer."""
    has = np.array([answer is not None for answer in panel.answers], dtype=bool) & (panel.outcome != NOT_MEASURED)
    if not (~has & (panel.outcome == PASSED)).any():
        return np.ones(len(panel.tasks), dtype=bool)
    return np.bincount(panel.task[has], minlength=len(panel.tasks)) > 0


def _vote(votes: Counter[str], passes: Counter[str]) -> float:
    most = max(votes.values(), default=0)
    scores = [passes[answer] / count for answer, count in votes.items() if count == most]
    return sum(scores) / len(scores) if scores else 0.0
