"""Claims of numbers: what a figure counts or measures, of which part of which run; and whether it is so."""

from collections.abc import Iterator

from blade.check.claims.cells import in_row
from blade.check.claims.claim import Judged
from blade.check.claims.scene import Scene
from blade.check.claims.spoken import in_sentence


def find(scene: Scene) -> Iterator[Judged]:
    """Every figure that says something of the runs."""
    for sentence in scene.sentences:
        yield from in_sentence(sentence, scene.truth)
    for row in scene.rows:
        yield from in_row(row, scene.truth)
