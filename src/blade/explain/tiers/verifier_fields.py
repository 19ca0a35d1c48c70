"""The verifier's own words for what went wrong: values of its fields that stand in failures alone."""

from collections.abc import Iterable

import numpy as np

from blade.explain import causes
from blade.explain.cases import Cases
from blade.explain.fields import FieldValue, fields_of, hardly_in_passes, only_in_failures
from blade.explain.last_message import answered_last
from blade.explain.mode import VERDICT, Mode, tier
from blade.explain.templates import ANY, masked


@tier("verifier's fields", place=3)
def find(cases: Cases) -> Iterable[Mode]:
    """A field of the row names what went wrong, and says more than that something did."""
    for field in cases.once(fields_of):
        if field.restates or causes.names_merit(field.name):
            continue
        # A kind of failure that is rare is known by the company it keeps.
        if any(only_in_failures(cases, value) for value in field.values):
            told = (_mode(_held_back(cases, value)) for value in field.values if hardly_in_passes(cases, value))
            yield from (mode for mode in told if mode)


def _held_back(cases: Cases, value: FieldValue) -> FieldValue:
    """The rollouts that a limit may have kept from an answer, where the value names one; all, where it does not."""
    blame = causes.of_words(value.value)
    if blame is None or blame.owner != causes.HARNESS.owner:
        return value
    return value._replace(cases=np.setdiff1d(value.cases, cases.once(answered_last)).astype(np.int64))


def _is_particular(text: str) -> bool:
    """Whether a text is a sentence about one rollout, with its own values in it, rather than a kind of failure."""
    return " " in text.strip() and ANY in masked(text)


def _mode(value: FieldValue) -> Mode | None:
    words = value.field if value.boolean else value.value
    if not value.boolean and (causes.says_only_wrong(value.value) or _is_particular(value.value)):
        return None
    blame = causes.of_words(words)
    if blame is None and value.boolean:
        return None
    blame = blame or causes.MODEL
    return Mode(
        key=f"{value.field} = {value.value}",
        title=f"Verifier's {value.field} = {value.value}"
        if value.boolean
        else f"Verifier's “{value.value}” ({value.field})",
        cause=blame.cause,
        owner=blame.owner,
        proof=VERDICT,
        cases=value.cases,
        steps=np.full(len(value.cases), -1),
        rule=f"the field {value.field} of the row, which no pass has so",
    )
