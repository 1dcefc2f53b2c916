"""Verdicts of reliable scripts and of flaky tests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.bisect.verdict_rates import log_likelihood_at_random, log_likelihood_of_rates


def rated(alarms: int, passed: int, seen: int, missed: int) -> float:
    return float(log_likelihood_of_rates(*(np.array([float(one)]) for one in (alarms, passed, seen, missed)))[0])


def test_nothing_measured_says_nothing() -> None:
    assert rated(0, 0, 0, 0) == pytest.approx(0.0)
    assert log_likelihood_at_random(0, 0) == pytest.approx(0.0)


@given(st.integers(1, 5))
def test_the_likelihoods_of_all_orders_of_verdicts_add_up_to_one(count: int) -> None:
    """Of verdicts on one good build: whatever the rates are, one of the results occurs."""
    orders = [[number >> at & 1 for at in range(count)] for number in range(2**count)]
    total = sum(np.exp(rated(sum(one), count - sum(one), 0, 0)) for one in orders)
    assert total == pytest.approx(1.0)


def test_half_of_the_bad_verdicts_missed_is_explained_by_a_flaky_test() -> None:
    """A hypothesis with eight good verdicts and four of eight on bad builds is better than one with wrong verdicts at random."""
    assert rated(0, 8, 4, 4) > rated(4, 12, 0, 0) + np.log(2)
    assert rated(0, 8, 4, 4) > rated(2, 6, 2, 6)
