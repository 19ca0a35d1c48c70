"""Every golden report of a package calibrated: can the score be fooled on it?"""

from collections.abc import Callable
from pathlib import Path

from blade.check.anchors.fact import parse
from blade.check.calibrate import Calibration, calibrate
from blade.check.scoring.score import Fact
from blade.errors import InputError
from blade.package.layout import layout_of
from blade.package.reading import text_at


def calibrate_package(root: Path, *, tell: Callable[[str], None] = lambda _: None) -> dict[str, Calibration]:
    """The calibration of each golden report that has anchor facts, by its model."""
    found = {}
    for golden in layout_of(root).goldens:
        texts = [text_at(path, root).text for path in (golden.report, golden.anchors, golden.shallow)]
        report, anchors, shallow = texts
        if not report or not anchors:
            continue
        try:
            facts = [Fact(fact.id, fact.fact) for fact in parse(anchors, file=str(golden.anchors))]
        except InputError:
            continue
        tell(f"calibrating {golden.model}")
        found[golden.model] = calibrate(report, facts, shallow=shallow or None)
    return found
