"""The families of tasks: each draws one task from the office and knows the way to solve it.

A family is one function, registered with its category and difficulty. It returns a `Draft`;
the words in which a draft is asked stand in `vocabularies.py`.
"""

from examples.office.families import calendar, desk, questions
from examples.office.families.drafting import FAMILIES

__all__ = ["FAMILIES", "calendar", "desk", "questions"]
