"""States of budgets, increases per release, and sentences: without a database."""

import pytest

from slowpath.verdicts.budgets.rules import (
    BudgetState,
    Interval,
    Limit,
    ReplicatedValue,
    decide_state,
    is_certain,
    make_increase,
    make_interval,
    welch_degrees,
)
from slowpath.verdicts.budgets.wording import describe_state, format_limit

ABSOLUTE = Limit(0.3, None)
RELEASE = Limit(None, 0.05)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.31, 0.4, BudgetState.EXCEEDED),
        (0.3, 0.5, BudgetState.EXCEEDED),  # a quantile is above the lower bound of its bucket
        (0.2, 0.3, BudgetState.WITHIN),
        (0.29, 0.31, BudgetState.INCONCLUSIVE),
        (0.2, None, BudgetState.INCONCLUSIVE),
        (0.5, None, BudgetState.EXCEEDED),
    ],
)
def test_only_an_interval_beyond_the_limit_decides(low: float, high: float | None, state: BudgetState) -> None:
    assert decide_state(0.3, Interval(low, low, high, low)) is state


def test_an_announcement_needs_the_stricter_bound() -> None:
    assert is_certain(0.3, Interval(0.4, 0.35, 0.5, 0.31))
    assert not is_certain(0.3, Interval(0.4, 0.35, 0.5, 0.29))


def test_an_increase_has_the_error_of_both_builds() -> None:
    base, candidate = ReplicatedValue(0.010, 0.0001, 5), ReplicatedValue(0.011, 0.0001, 5)
    found = make_increase(base, candidate, (2.0, 3.0))
    assert found.value == pytest.approx(0.1)
    assert found.high is not None
    assert found.certain_low < found.low < found.value < found.high
    assert found.low == pytest.approx(0.1 - 2 * 1.1 * (0.01**2 + (1 / 110) ** 2) ** 0.5, abs=0.001)
    assert 4 < welch_degrees(base, candidate) <= 8
    exact = ReplicatedValue(0.010, 0.0, 5)
    assert welch_degrees(exact, exact) == 8


def test_a_value_has_its_own_interval() -> None:
    assert make_interval(ReplicatedValue(1.0, 0.1, 3), (2.0, 4.0)) == Interval(1.0, 0.8, 1.2, 0.6)


def test_sentences_name_value_interval_and_limit() -> None:
    interval = Interval(0.342, 0.331, 0.355, 0.32)
    assert describe_state("p99 is", ABSOLUTE, interval, BudgetState.EXCEEDED) == (
        "p99 is 342 ms, over the budget of 300 ms: significant (95% CI 331 ms to 355 ms)."
    )
    unbounded = Interval(2.0, 1.0, None, 1.0)
    assert "(95% CI over 1.00 s)" in describe_state("p99 is", ABSOLUTE, unbounded, BudgetState.EXCEEDED)
    assert describe_state("p99 is", ABSOLUTE, Interval(0.3, 0.28, 0.32, 0.27), BudgetState.INCONCLUSIVE) == (
        "p99 is 300 ms, against the budget of 300 ms: inconclusive (95% CI 280 ms to 320 ms)."
    )
    increase = Interval(0.08, 0.06, 0.1, 0.05)
    assert describe_state("p99 of a against b:", RELEASE, increase, BudgetState.EXCEEDED) == (
        "p99 of a against b: +8%, over the budget of +5% per release: significant (95% CI +6% to +10%)."
    )
    assert format_limit(RELEASE) == "+5% per release"
