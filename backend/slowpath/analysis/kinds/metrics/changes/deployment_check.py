"""Decide at fixed times whether a deployment is slower.

Slower, not slower or inconclusive, with a total error rate. The tested value is the ratio of pooled quantiles by
moving-block bootstrap (`quantile_ratio`), with a floor of 5%, for the median and for the tail as a whole. Repeated
evaluations would find something in the end, so the error rate is spent over them, little at first (Lan & DeMets 1983),
when a time range has two or three bursts and resampling cannot show how much others differ. Instances of both builds at
the same time are compared with each other. Without those, the time before is compared with the time after: that alone
is wrong far too often (load, neighbors, time of day), so it may return *slower* only if earlier deployments of equal
builds have shown how much such time ranges differ, and otherwise has a caveat.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator
from typing_extensions import TypedDict

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.kinds.metrics.changes.quantile_ratio import RatioReplicates, ratios
from slowpath.analysis.stats.histogram_cells import HistogramCells, same_bounds

DeployVerdict = Literal["slower", "not-slower", "inconclusive"]
Basis = Literal["concurrent", "before-after"]

LOOKS_MIN: Final = (5, 10, 15, 30, 60)
"""Minutes after a deployment at which it is evaluated; the last evaluation is final."""
ERROR_AT: Final = {5: 0.0005, 10: 0.0005, 15: 0.001, 30: 0.06, 60: 0.015}
"""The nominal error at each evaluation. With the floor and the variation between deployments, an unchanged build is
called slower in 3.5 to 4% of simulated deployments over all evaluations (bench `deploys`).
"""
TAIL_FROM_MIN: Final = 15
"""Earlier, a time range has two or three bursts: only the median is tested."""
MEDIAN_SHARE: Final = 0.2
"""Share of the error for the median; the tail has the rest."""
QUANTILES: Final = (0.5, 0.9, 0.99)
TESTED: Final = (0.5, None)
"""The median and the tail (None); the others are only reported."""
FLOOR: Final = 1.05
HARM: Final = 1.15
"""*Not slower* means: certainly less than this. Deployments alone vary by 4%, so 5% could never be excluded."""
SPREAD: Final = 0.03
"""Standard deviation of log latency between two deployments of one build, until a service's own is known."""
LEARNT: Final = 4
"""Past deployments of equal builds needed to estimate a service's own variation."""
LEAST_MINUTES: Final = 3
LEAST_REQUESTS: Final = 200
"""Per side: with fewer, a p99 depends on one or two requests."""


@dataclass(frozen=True)
class QuantileChange:
    """One quantile (None: the tail) of both sides in seconds, and their ratio's interval at this evaluation's error."""

    quantile: float | None
    base_s: float
    candidate_s: float
    ratio: float
    low: float
    high: float
    most: float
    """The ratio that is not exceeded, with 95% confidence."""


@dataclass(frozen=True)
class DeploymentCheck:
    """The evaluation of a deployment `minutes` after it.

    `changes` are the quantiles that could be compared.
    """

    verdict: DeployVerdict
    basis: Basis
    minutes: int
    changes: tuple[QuantileChange, ...]
    caveats: tuple[Caveat, ...]

    @property
    def worst(self) -> QuantileChange | None:
        """Return the tested change with the largest lower bound."""
        tested = [change for change in self.changes if change.quantile in TESTED]
        return max(tested, key=lambda change: change.low, default=None)


class CheckedQuantile(TypedDict):
    """One quantile of both sides in seconds, and the ratio with its interval; `signal` is p50, p90, p99 or tail."""

    signal: str
    base_s: float
    candidate_s: float
    ratio: float
    low: float
    high: float


class CheckCaveat(TypedDict):
    """Why the evaluation may mislead."""

    id: str
    sentence: str


class DeploymentCheckDocument(TypedDict):
    """An evaluation as stored and sent. `signal` to `high` are of the tested quantile with the largest lower bound."""

    verdict: DeployVerdict
    sentence: str
    basis: Basis
    minutes: int
    signal: str | None
    ratio: float | None
    low: float | None
    high: float | None
    changes: list[CheckedQuantile]
    caveats: list[CheckCaveat]


def check_deployment(  # noqa: PLR0917 - both sides, how they were got, and when
    base: HistogramCells,
    candidate: HistogramCells,
    basis: Basis,
    minutes: int,
    past_log_ratios: Sequence[float],
    rng: Generator,
) -> DeploymentCheck:
    """Evaluate a deployment. `minutes` is one of `LOOKS_MIN`.

    For `concurrent` both sides cover the same minutes; otherwise the base is the time before, as long or longer.
    `past_log_ratios` are log ratios of p99 at earlier deployments of equal builds, on the same basis: with at least 4 of them the
    variation between deployments is the service's own.
    """
    caveats = []
    shared = same_bounds(base, candidate)
    enough = shared is not None and all(_is_enough(side) for side in shared)
    if shared is None:
        caveats.append(Caveat("bounds-differ", "The histograms of both builds have no common bucket bounds."))
    elif not enough:
        caveats.append(
            Caveat(
                "few-requests",
                f"Fewer than {LEAST_MINUTES} minutes or {LEAST_REQUESTS} requests on one side: "
                "not enough to evaluate the tail yet.",
            )
        )
    learnt = len(past_log_ratios) >= LEARNT
    if basis == "before-after" and not learnt:
        caveats.append(
            Caveat(
                "before-after",
                "No instance of the old build ran at the same time, and no earlier deployments of equal builds show how much "
                "two time ranges of this service differ: a change of load or neighbors would look the same.",
            )
        )
    if shared is None or not enough:
        return DeploymentCheck("inconclusive", basis, minutes, (), tuple(caveats))
    spread = _spread(past_log_ratios)
    replicates = ratios(*shared, QUANTILES, spread, rng, paired=basis == "concurrent")
    error = ERROR_AT[minutes]
    changes = [_change(q, each, error * MEDIAN_SHARE) for q, each in replicates.quantiles.items()]
    if replicates.tail is not None:
        changes.append(_change(None, replicates.tail, error * (1 - MEDIAN_SHARE)))
    verdict = _verdict(changes, minutes)
    if verdict == "slower" and basis == "before-after" and not learnt:
        verdict = "inconclusive"
    return DeploymentCheck(verdict, basis, minutes, tuple(changes), tuple(caveats))


def _is_enough(side: HistogramCells) -> bool:
    return len(side.times_ms) >= LEAST_MINUTES and float(np.nansum(side.requests)) >= LEAST_REQUESTS


def _spread(past: Sequence[float]) -> float:
    """Return the variation between deployments.

    The service's own if known, shrunk towards the usual one (as of 4).
    """
    usual = 2 * SPREAD**2
    if len(past) < LEARNT:
        return float(np.sqrt(usual))
    own = float(np.mean(np.square(past)))
    return float(np.sqrt((LEARNT * usual + len(past) * own) / (LEARNT + len(past))))


def _change(q: float | None, replicates: RatioReplicates, error: float) -> QuantileChange:
    low, high = replicates.bound(error), replicates.bound(1 - error)
    return QuantileChange(
        q, replicates.base_s, replicates.candidate_s, replicates.ratio, low, high, replicates.bound(0.95)
    )


def _verdict(changes: Sequence[QuantileChange], minutes: int) -> DeployVerdict:
    quantiles = TESTED if minutes >= TAIL_FROM_MIN else TESTED[:1]
    if any(change.low > FLOOR for change in changes if change.quantile in quantiles):
        return "slower"
    return "not-slower" if changes and all(change.most < HARM for change in changes) else "inconclusive"
