"""Signs that a whole report tells true things of other tasks or runs, or with the verdicts turned round."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from blade.check.scoring.cast import Cast
from blade.check.scoring.copies import Copy
from blade.check.scoring.matching import Match, Wanted
from blade.check.scoring.opposing import is_of_others
from blade.check.scoring.shelf import Shelf
from blade.check.text.names import TASK
from blade.check.text.said import Said

_FEWEST: Final = 3
"""Things that can be compared before a share of them says anything."""

_MET: Final = 0.6
_SPOKEN_OF: Final = 0.5
_SAME_STORY: Final = 0.6
_AXES: Final = ("outcome", "frequency", "extreme", "level")

Pairs = Sequence[tuple[Wanted, Match]]


def of_other_runs(pairs: Pairs, cast: Cast) -> float:
    """Of the facts about one run the share that stands in passages about others."""
    told = [(wanted, match) for wanted, match in pairs if match.credit >= _MET and _names_runs(wanted, match, cast)]
    return _share([is_of_others(wanted, match, cast) for wanted, match in told])


def _names_runs(wanted: Wanted, match: Match, cast: Cast) -> bool:
    if match.window is None or len(cast.named(wanted.said)) != 1:
        return False
    return bool(cast.named(match.window.said) or cast.named(match.window.above))


def of_other_tasks(pairs: Pairs, shelf: Shelf) -> float:
    """Of the facts about one task the share that is told of another one, where that is no fact of its own."""
    by_task: dict[str, list[Wanted]] = defaultdict(list)
    for wanted, _ in pairs:
        for task in wanted.tasks:
            by_task[task.id].append(wanted)
    found = []
    for wanted, match in pairs:
        if len(wanted.tasks) != 1:
            continue
        if match.credit >= _SPOKEN_OF:
            found.append(False)
        elif any(_is_elsewhere(wanted, other, by_task) for other in shelf.about(wanted)):
            found.append(True)
    return _share(found)


def _is_elsewhere(wanted: Wanted, match: Match, by_task: dict[str, list[Wanted]]) -> bool:
    """Whether a statement tells a fact's whole story of another task."""
    if match.window is None or match.story < _SAME_STORY or (wanted.figures and match.figures < _SAME_STORY):
        return False
    if not wanted.figures and len(wanted.concepts) < _FEWEST:
        return False
    window = match.window
    tasks = _tasks(window.said) or _tasks(window.above)
    if len(tasks) != 1 or tasks & {task.id for task in wanted.tasks}:
        return False
    return not any(own.match(window).credit >= _SPOKEN_OF for task in tasks for own in by_task[task])


def _tasks(said: Said) -> set[str]:
    return {name.id for name in said.named if name.kind == TASK}


def turned_round(copies: Sequence[Copy]) -> float:
    """Of what points one way in copies and originals, axis by axis, the largest share that points the other way."""
    near = [(copy.original.said, copy.statement.said) for copy in copies]
    return max(_share([one != other for one, other in _signs(near, axis)]) for axis in _AXES)


def _signs(near: Iterable[tuple[Said, Said]], axis: str) -> Iterable[tuple[frozenset[int], frozenset[int]]]:
    for ours, theirs in near:
        one, other = ours.signs.get(axis, frozenset()), theirs.signs.get(axis, frozenset())
        if len(one) == len(other) == 1:
            yield one, other


def runs_of_copies(copies: Iterable[Copy], cast: Cast) -> float:
    """Of the copies that name runs the share that names others in their places."""
    told = []
    for copy in copies:
        ours, theirs = ([run for _, run in cast.places(each.said)] for each in (copy.original, copy.statement))
        if ours and len(ours) == len(theirs):
            told.append(ours != theirs)
    return _share(told)


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if len(found) >= _FEWEST else 0.0
