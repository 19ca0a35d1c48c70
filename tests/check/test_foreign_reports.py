"""Reports in another hand's words: all that is true is left alone, and nearly all that is false is found."""

from blade.check.checking import check
from tests.check.conftest import Known
from tests.check.foreign import PROSE, TABLES, Line, report

_PLACES = {"## What we saw\n\n- ": PROSE, "## In tables\n\n": TABLES}


def test_a_true_report_in_other_words_is_not_contradicted(known: Known) -> None:
    found = check(report(), known.truth)
    assert [each.document() for each in found.contradictions] == []
    assert found.counts["supported"] >= 2 * len([*PROSE, *TABLES]) * 0.9


def test_nine_of_ten_planted_errors_in_other_words_are_found(known: Known) -> None:
    missed: list[Line] = []
    for place, lines in _PLACES.items():
        for line in lines:
            found = check(f"# How hasty compares with steady\n\n{place}{line.altered}\n", known.truth)
            missed += [] if found.contradictions else [line]
    assert len(missed) <= 0.1 * len([*PROSE, *TABLES]), missed
