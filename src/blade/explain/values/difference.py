"""What a difference between two values is called; the same difference has the same words wherever it is found."""

from typing import Final, NamedTuple


class Difference(NamedTuple):
    """How one value differs from another, at one place of it."""

    kind: str
    """A word of `KINDS`."""
    words: str
    """What the first value is, seen from the second: `one year before`."""
    path: str = ""
    """Where in a nested value: keys joined by dots, `[]` for the members of a list; empty for the value itself."""

    def at(self, path: str) -> "Difference":
        """The same difference, seen from the value that holds this one under `path`."""
        return self._replace(path=f"{path}.{self.path}" if path and self.path else path or self.path)


KINDS: Final = {
    "form": "the same value, written in another way",
    "date": "another day, told by how far it is off",
    "time": "another time of day or another time zone",
    "scale": "a number by a factor of units off: cents for euros, minutes for hours",
    "number": "another number, sign or degree of rounding",
    "unit": "another unit or currency",
    "entity": "another id, address, link or path: another thing is named",
    "choice": "another one of a few words",
    "text": "another text",
    "members": "a list with other members",
    "order": "the same members in another order",
    "missing": "a part is left out",
    "added": "a part is there that should not be",
    "renamed": "the value stands under another key",
    "type": "a value of another type",
}
"""Kinds of differences and their meaning."""

FORM: Final = "form"

_MIRRORED: Final = (
    ("before", "after"),
    ("earlier", "later"),
    ("as large", "as small"),
    ("larger", "smaller"),
    ("one more", "one less"),
    ("left out", "added"),
    ("leaves members out", "adds members"),
    ("shortened", "with more text"),
    ("rounded", "less rounded"),
    ("true instead of false", "false instead of true"),
    ("as text", "not as text"),
    ("as a list", "not as a list"),
)

_OTHER_WAY: Final = {**dict(_MIRRORED), **{second: first for first, second in _MIRRORED}}


def mirrored(words: str) -> str:
    """The words for the same two values, seen from the other one."""
    if words in _OTHER_WAY:
        return _OTHER_WAY[words]
    for end, other in _OTHER_WAY.items():
        if words.endswith(f" {end}"):
            return words.removesuffix(end) + other
    return words


def is_form_only(differences: list[Difference]) -> bool:
    """Whether two values that differ so are the same once their form is set aside."""
    return all(difference.kind == FORM for difference in differences)
