"""Statements in other words that say the opposite of a fact."""

from collections.abc import Iterator

from blade.check.scoring.cast import Cast
from blade.check.scoring.matching import Match, Wanted
from blade.check.text.figures import OF
from blade.check.text.names import TASK
from blade.check.text.said import Said, causes

_SAME_SUBJECT = 0.8
_SAME_STORY = 0.45
_SURELY_SAME_STORY = 0.7
_SAME_FIGURES = 0.5
_ALL_FIGURES = 0.9


def is_of_others(wanted: Wanted, match: Match, cast: Cast) -> bool:
    """Whether a passage speaks of other runs than the fact, or gives its runs each other's outcomes."""
    if match.window is None:
        return False
    ours, theirs = cast.named(wanted.said), cast.named(match.window.said) or cast.named(match.window.above)
    if ours and theirs and not ours & theirs:
        return True
    wants, gives = cast.outcomes(wanted.said), cast.outcomes(match.window.said)
    shared = [run for run in wants if run in gives]
    return len(wants) > 1 and len(shared) > 1 and all(not wants[run] & gives[run] for run in shared)


def opposed(wanted: Wanted, match: Match, cast: Cast) -> Iterator[str]:
    """In what a statement about the subject of a fact contradicts it."""
    if match.window is None or match.names < _SAME_SUBJECT or not _is_about(wanted, match):
        return
    same = match.story >= _SURELY_SAME_STORY and match.figures >= _ALL_FIGURES
    if same and is_of_others(wanted, match, cast):
        yield "runs"
        return
    window = match.window
    said = window.said
    found = causes(said) or causes(window.above)
    if wanted.causes and found and not wanted.causes & found and _one_task(wanted, said):
        yield "causes"
    if _other_outcome(wanted, said):
        yield "figures"
    if match.story >= _SAME_STORY and _same_numbers(wanted, match) and _turned(wanted.said, said):
        yield "directions"
    if match.story >= _SAME_STORY and said.denials > wanted.said.denials:
        yield "negation"


def _same_numbers(wanted: Wanted, match: Match) -> bool:
    """Whether the statement has the fact's figures; where there are none, it must tell the same in nearly all words."""
    return match.figures >= _SAME_FIGURES if wanted.figures else match.story >= _SURELY_SAME_STORY


def _is_about(wanted: Wanted, match: Match) -> bool:
    tasks = {name.id for name in wanted.names if name.kind == TASK}
    return bool(tasks) or match.story >= _SAME_STORY


def _tasks(said: Said) -> set[str]:
    return {name.key for name in said.named if name.kind == TASK}


def _one_task(wanted: Wanted, said: Said) -> bool:
    """Whether both speak of one task, so that a cause can belong to no other."""
    return len({name.key for name in wanted.names if name.kind == TASK}) == 1 and len(_tasks(said)) <= 1


def _other_outcome(wanted: Wanted, said: Said) -> bool:
    """Whether the fact and the statement give different outcomes out of equally many rollouts."""
    if not _one_task(wanted, said):
        return False
    ours = [(value, whole) for value, whole, figure in wanted.said.passes if figure.kind == OF]
    theirs = [(value, whole) for value, whole, figure in said.passes if figure.kind == OF]
    alike = [value for value, whole in theirs if whole in {of for _, of in ours}]
    return len(ours) == 1 and len(alike) == 1 and alike[0] != ours[0][0]


def _turned(ours: Said, theirs: Said) -> bool:
    """Whether one axis points one way only in both, and not the same way."""
    for axis in ("outcome", "extreme", "level", "change"):
        one, other = ours.signs.get(axis, frozenset()), theirs.signs.get(axis, frozenset())
        if len(one) == len(other) == 1 and one != other and not ours.passes:
            return True
    return False
