"""Quantiles and tails are those of scipy."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blade.measure.student import normal_cdf, normal_quantile, student_t_cdf, student_t_quantile

DEGREES = (0.5, 1, 2, 2.5, 3, 9, 19, 99, 499, 1999, 2000, 2001, 5000, 1e6)
PROBABILITIES = (1e-12, 1e-6, 0.001, 0.025, 0.1, 0.4, 0.49, 0.5, 0.51, 0.8, 0.95, 0.975, 0.9995, 1 - 1e-9)
ODD = (0.0, 1.0, -0.1, 1.1, math.nan, math.inf)

degrees = st.floats(0.5, 1e7)
probabilities = st.floats(1e-12, 1 - 1e-12)


@pytest.mark.parametrize("df", DEGREES)
def test_the_quantile_of_t_is_that_of_scipy_at_the_probabilities_that_are_used(df: float) -> None:
    found = [student_t_quantile(p, df) for p in PROBABILITIES]
    assert found == pytest.approx(stats.t.ppf(PROBABILITIES, df).tolist(), rel=1e-10, abs=1e-12)


@given(probabilities, degrees)
@settings(max_examples=150, deadline=None)
def test_the_quantile_of_t_is_that_of_scipy_anywhere(p: float, df: float) -> None:
    assert student_t_quantile(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=1e-9, abs=1e-9)


@given(st.floats(-1e6, 1e6), st.floats(0.5, 1e4))
@settings(max_examples=150, deadline=None)
def test_the_distribution_of_t_is_that_of_scipy(t: float, df: float) -> None:
    assert student_t_cdf(t, df) == pytest.approx(float(stats.t.cdf(t, df)), rel=1e-9, abs=1e-11)


@given(st.floats(1e-6, 0.5), st.floats(0.5, 1e4))
@settings(max_examples=100, deadline=None)
def test_the_quantile_undoes_the_distribution_and_keeps_small_tails_exact(p: float, df: float) -> None:
    assert student_t_cdf(student_t_quantile(p, df), df) == pytest.approx(p, rel=1e-9)


@given(probabilities, degrees)
@settings(max_examples=100, deadline=None)
def test_the_quantile_of_t_lies_further_out_than_the_normal_one_on_the_same_side(p: float, df: float) -> None:
    normal, student = normal_quantile(p), student_t_quantile(p, df)
    assert abs(student) >= abs(normal) * (1 - 1e-9)
    assert (student > 0) == (normal > 0)


@pytest.mark.parametrize("p", [0.6, 0.8, 0.95, 0.975, 0.9995])
def test_the_quantile_of_t_falls_with_the_degrees_of_freedom_also_where_the_method_changes(p: float) -> None:
    found = [student_t_quantile(p, df) for df in (*DEGREES[:-3], 2000.5, 2001, 3000)]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


@given(st.floats(1e-6, 0.5), degrees)
@settings(max_examples=50, deadline=None)
def test_the_quantile_of_t_is_symmetric(tail: float, df: float) -> None:
    assert student_t_quantile(1 - tail, df) == pytest.approx(-student_t_quantile(tail, df), rel=1e-8, abs=1e-12)


def test_the_middle_of_t_is_zero_and_half() -> None:
    assert student_t_quantile(0.5, 7) == 0.0
    assert student_t_cdf(0.0, 7) == 0.5


@pytest.mark.parametrize("df", [0.5, 1, 19, 5000])
def test_nothing_lies_beyond_infinity(df: float) -> None:
    assert student_t_cdf(math.inf, df) == 1.0
    assert student_t_cdf(-math.inf, df) == 0.0


@given(probabilities)
def test_the_normal_quantile_and_distribution_are_those_of_scipy(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(stats.norm.ppf(p)), rel=1e-9, abs=1e-12)
    assert normal_cdf(normal_quantile(p)) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("p", ODD)
def test_a_probability_outside_0_and_1_has_no_quantile(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        student_t_quantile(p, 5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(p)


@pytest.mark.parametrize("df", [0.0, -1.0, math.nan])
def test_t_needs_degrees_of_freedom(df: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_t_quantile(0.9, df)
    with pytest.raises(ValueError, match="degrees of freedom"):
        student_t_cdf(1.0, df)
