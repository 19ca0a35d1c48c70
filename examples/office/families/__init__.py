"""The families of tasks: each draws one task from the office and knows the way to solve it.

A family is one function, registered with its category and difficulty. It returns a `Draft`;
`tasks.py` makes tasks of drafts, with the families in turn.
"""

from examples.office.families import calendar, desk, questions
from examples.office.families.drafting import FAMILIES, Draft, Family, family

__all__ = ["FAMILIES", "Draft", "Family", "calendar", "desk", "family", "questions"]
