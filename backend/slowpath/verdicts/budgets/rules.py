"""Decisions on budgets. Pure.

A budget is *exceeded* only if the interval of the measured value is above the limit, *within* only if the interval is below
it, and *inconclusive* otherwise. Each kind of budget has the statistics of a verdict that exists:

- A latency: all requests of the last hour pooled, blocks of minutes redrawn, as change points are measured.
- A latency per release: the evaluation of the deployment, whose error rate is spent over five evaluations.
- CPU per request: the profiles of a build are replicates; Student's t.
- CPU per request per release: both builds, the logarithm of their ratio, degrees of freedom by Welch and Satterthwaite.

Announcing is stricter than displaying. A latency is evaluated 96 times a day, so one message in 1,000 days without an excess
leaves each evaluation an error rate of 1 in 96,000. Blocks of five minutes understate how much hours differ if noise lasts
longer, so the hour before, which has no minute in common, must be exceeded too. Builds have the level of their announcements.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from math import exp, log, sqrt
from typing import Final, Literal

SignalName = Literal["p50", "p90", "p99", "cpu"]
StateName = Literal["exceeded", "within", "inconclusive"]

CPU: Final = "cpu"
QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
RANGE: Final = timedelta(minutes=60)
"""The time that a latency is measured over: that of the level before a change point."""
EVALUATE_EVERY: Final = timedelta(minutes=15)
"""As often as the recent time of an open production event is renewed."""
LATENCY_ERROR_RATE: Final = 0.001 / (timedelta(days=1) / EVALUATE_EVERY)
"""One-sided, of an announced evaluation of a latency: 1 in 1,000 per day, divided by the evaluations of a day."""
MOST_OF_SERVICE: Final = 20
MOST_LISTED: Final = 1_000
MOST_SECONDS: Final = 86_400.0
MOST_INCREASE: Final = 10.0
LEAST_REPLICATES: Final = 2


class BudgetState(StrEnum):
    """What the newest measurement shows of a budget."""

    EXCEEDED = "exceeded"
    WITHIN = "within"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Limit:
    """What a budget allows: seconds, or the increase per release as a share (0.05: 5% more); exactly one is set."""

    seconds: float | None
    increase: float | None

    @property
    def value(self) -> float:
        """Return the limit in its unit."""
        value = self.seconds if self.seconds is not None else self.increase
        assert value is not None
        return value

    @property
    def is_per_release(self) -> bool:
        """Return whether it limits the increase per release."""
        return self.increase is not None


@dataclass(frozen=True)
class Interval:
    """A value, its interval, and its lower bound at the level of announcements, in the unit of the limit.

    `high` is None if it has no upper bound.
    """

    value: float
    low: float
    high: float | None
    certain_low: float


@dataclass(frozen=True)
class ReplicatedValue:
    """CPU seconds per request of a build, its standard error, and from how many replicates it is."""

    value: float
    error: float
    replicates: int


def decide_state(limit: float, interval: Interval) -> BudgetState:
    """Return the state of a budget by the interval of its value.

    A bound that equals the limit is on its far side: a quantile is above the lower bound of its bucket.
    """
    if interval.low >= limit:
        return BudgetState.EXCEEDED
    is_below = interval.high is not None and interval.high <= limit
    return BudgetState.WITHIN if is_below else BudgetState.INCONCLUSIVE


def is_certain(limit: float, interval: Interval) -> bool:
    """Return whether a budget is exceeded at the level of announcements."""
    return interval.low >= limit and interval.certain_low >= limit


def welch_degrees(one: ReplicatedValue, other: ReplicatedValue) -> float:
    """Return the degrees of freedom of the difference of two logarithms (Welch and Satterthwaite)."""
    parts = [(each.error / each.value) ** 2 for each in (one, other)]
    below = sum(part**2 / (each.replicates - 1) for part, each in zip(parts, (one, other), strict=True))
    return sum(parts) ** 2 / below if below > 0 else float(one.replicates + other.replicates - 2)


def make_interval(measured: ReplicatedValue, quantiles: tuple[float, float]) -> Interval:
    """Return the interval of a value; `quantiles` of Student's t for the usual and for the announced level."""
    usual, strict = (each * measured.error for each in quantiles)
    value = measured.value
    return Interval(value, value - usual, value + usual, value - strict)


def make_increase(base: ReplicatedValue, candidate: ReplicatedValue, quantiles: tuple[float, float]) -> Interval:
    """Return the interval of the increase from base to candidate, as a share of the base."""
    error = sqrt((base.error / base.value) ** 2 + (candidate.error / candidate.value) ** 2)
    center = log(candidate.value / base.value)
    usual, strict = (each * error for each in quantiles)
    return Interval(exp(center) - 1, exp(center - usual) - 1, exp(center + usual) - 1, exp(center - strict) - 1)
