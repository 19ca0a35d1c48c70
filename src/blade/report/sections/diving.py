"""How a task that is looked into is shown: what was asked, where the rollouts part, and both side by side."""

from collections.abc import Iterator

from blade import numbers
from blade.report import saying
from blade.report.dives import Dive
from blade.report.pieces import Cause, Chapter, Cited, Code, Excerpt, Jump, Line, Paragraph, Part, Piece, SideBySide
from blade.report.sections.anchors import dive_anchor, mode_anchor


def chapter(dive: Dive) -> Chapter:
    """One task."""
    title: list[Part] = [f"Task {dive.task} of ", Code(dive.run)]
    return Chapter(title=title, anchor=dive_anchor(dive.run, dive.task), pieces=list(_pieces(dive)))


def _pieces(dive: Dive) -> Iterator[Piece]:
    yield Paragraph(lines=[_counts(dive), _mode(dive)])
    if dive.question:
        yield Excerpt(ref=dive.failing.partition("#")[0], title="What was asked", steps=[dive.question])
    if dive.right is None:
        line = "No rollout of any run passes this task, so that there is nothing to hold the failure against."
        yield Paragraph(lines=[line, ["The failing rollout is ", Cited(dive.failing), "."]])
    else:
        yield Paragraph(lines=[dive.how])
    flag = "they part here" if dive.right else "evidence"
    right = _titled(dive.right, "Passing: ", "good", flag) if dive.right else None
    yield SideBySide(left=_titled(dive.left, "Failing: ", "bad", flag), right=right)


def _titled(side: Excerpt, what: str, tone: str, flag: str) -> Excerpt:
    import msgspec

    return msgspec.structs.replace(side, title=[what, Cited(side.ref)], tone=tone, flag=flag)


def _counts(dive: Dive) -> Line:
    """What every run makes of the task."""
    parts: list[Part] = ["Passed "]
    for place, (run, passed, measured) in enumerate(dive.counts):
        parts += [", " if place else "", f"{passed} of {numbers.counted(measured, 'measured rollout')} in ", Code(run)]
    return [*parts, "."]


def _mode(dive: Dive) -> Line:
    mode = dive.mode
    parts: list[Part] = ["The failing rollout has the mode ", Jump(mode_anchor(mode.mode), mode.title), " ("]
    return [*parts, Cause(mode.cause), f": {saying.meaning(mode.cause)}; who can act: {mode.owner})."]
