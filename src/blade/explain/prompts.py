"""The prompts of tasks, read from their rows by seek: the store holds only what stands for them."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.rereading import read_again
from blade.measure.panel import Numbers

LONGEST: Final = 200_000
"""Characters of a prompt's message that are read."""


class Prompt(NamedTuple):
    """What a task asks: the text of each message with its actor."""

    task: int
    case: int
    """The rollout that it was read from."""
    messages: list[tuple[str, str]]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.messages)


def prompts_of(cases: Cases, tasks: Iterable[int] | Numbers) -> Iterator[Prompt]:
    """The prompt of each of these tasks that has a row, from its first rollout; in the order of the rows on disk."""
    wanted = np.zeros(cases.tasks, dtype=bool)
    wanted[np.asarray(list(tasks), dtype=np.int64)] = True
    place = np.concatenate([panel.place for panel in cases.panels]) if cases.panels else np.zeros((0, 2))
    there = np.flatnonzero((place[:, 0] >= 0) & wanted[cases.task])
    _, first = np.unique(cases.task[there], return_index=True)
    asked = {cases.place(case): case for case in there[first].tolist()}
    for spot, rollout in read_again(cases.store, asked):
        messages = [(step.actor, step.head(LONGEST)) for step in rollout.prompt]
        yield Prompt(int(cases.task[asked[spot]]), asked[spot], messages)
