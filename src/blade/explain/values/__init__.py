"""How values differ, by their types: dates by their shift, numbers by factor and unit, ids by what they name.

The door is `compare`; each of the modules knows one sort of value.
"""

from blade.explain.values.compare import MOST_DIFFERENCES, agree, compare
from blade.explain.values.difference import FORM, KINDS, Difference, is_form_only, mirrored
from blade.explain.values.texts import is_free, normal

__all__ = [
    "FORM",
    "KINDS",
    "MOST_DIFFERENCES",
    "Difference",
    "agree",
    "compare",
    "is_form_only",
    "is_free",
    "mirrored",
    "normal",
]
