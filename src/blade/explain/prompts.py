"""The prompts of tasks, read from their rows by seek: the store holds only what stands for them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from blade.artifacts.files import RowSource
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.explain.cases import Cases
from blade.measure.panel import Numbers
from blade.rollout import Place, Rollout

LONGEST: Final = 200_000
"""Characters of a prompt's message that are read."""

_PATHS: Final = "SELECT DISTINCT file, path FROM rollouts"


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
    chosen = there[first]
    order = np.lexsort((place[chosen, 1], place[chosen, 0]))
    paths = dict(cases.store.connection.execute(_PATHS).fetchall())
    yield from _read(cases, chosen[order], place, paths)


def _read(cases: Cases, chosen: Numbers, place: Numbers, paths: dict[int, str]) -> Iterator[Prompt]:
    source: RowSource | None = None
    opened = -1
    reader = RolloutReader()
    try:
        for case in chosen.tolist():
            file, row = place[case].tolist()
            if file != opened:
                if source:
                    source.close()
                source, opened = RowSource(Path(paths[file])), file
            found = reader.read(source.line_at(row), Place(paths[file], row, 0, 0)) if source else None
            if isinstance(found, Rollout):
                messages = [(step.actor, step.head(LONGEST)) for step in found.prompt]
                yield Prompt(int(cases.task[case]), case, messages)
    finally:
        if source:
            source.close()
