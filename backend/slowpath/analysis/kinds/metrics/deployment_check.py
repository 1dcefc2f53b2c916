"""Is a deploy slower? Slower, not slower, or not to be told yet: said at fixed looks, and wrong at most so often in all.

What is judged is the ratio of pooled quantiles by moving-block bootstrap (`quantile_ratio`), with a floor: less than 5 % is
nobody's regression. What is judged is the median and the tail as a whole. Looking several times would find something in the
end; so the error allowed is spent over the looks, little at the first ones (Lan & DeMets 1983), where a window holds two
or three bursts and no resampling knows how different others are. Instances of both builds at the same time are compared with
each other. Where there are none, the time before is compared with the time after: that is wrong far too often when taken
by itself (load, neighbours, the day), so it may say *slower* only when earlier deploys of equal builds have taught how
far apart such windows lie, and carries a doubt else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.random import Generator

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.kinds.metrics.quantile_ratio import RatioReplicates, ratios
from slowpath.analysis.stats.histogram_cells import HistogramCells, same_bounds

DeployVerdict = Literal["slower", "not-slower", "inconclusive"]
Basis = Literal["concurrent", "before-after"]

LOOKS_MIN: Final = (5, 10, 15, 30, 60)
"""Minutes after a deploy at which it is judged; the last word is spoken at the last."""
ERROR_AT: Final = {5: 0.0005, 10: 0.0005, 15: 0.001, 30: 0.06, 60: 0.015}
"""The nominal error at each look. With the floor and the spread of placements, an unchanged build is called slower in 3.5 to
4 % of simulated deploys over all looks (bench `deploys`)."""
TAIL_FROM_MIN: Final = 15
"""Earlier a window holds two or three bursts: only the median is judged."""
MEDIAN_SHARE: Final = 0.2
"""Of the error, the share that the median may spend; the tail has the rest."""
QUANTILES: Final = (0.5, 0.9, 0.99)
JUDGED: Final = (0.5, None)
"""The median and the tail (None); the others are told."""
FLOOR: Final = 1.05
HARM: Final = 1.15
"""*Not slower* means: surely less than this. Placements alone lie 4 % apart, so that 5 % could never be excluded."""
SPREAD: Final = 0.03
"""Standard deviation of log latency between two placements of one build, until a service's own is known."""
LEARNT: Final = 4
"""Past deploys of equal builds from which a service's own spread can be learnt."""
LEAST_MINUTES: Final = 3
LEAST_REQUESTS: Final = 200
"""On each side: below, a p99 rests on one or two requests."""


@dataclass(frozen=True)
class QuantileChange:
    """One quantile (None: the tail) on both sides in seconds, and the interval of their ratio at the error this look may make."""

    quantile: float | None
    base_s: float
    candidate_s: float
    ratio: float
    low: float
    high: float
    most: float
    """The ratio that is not exceeded, by 95 %."""


@dataclass(frozen=True)
class DeploymentCheck:
    """What can be said of a deploy `minutes` after it. `changes` holds the quantiles that could be compared."""

    verdict: DeployVerdict
    basis: Basis
    minutes: int
    changes: tuple[QuantileChange, ...]
    doubts: tuple[Caveat, ...]

    @property
    def worst(self) -> QuantileChange | None:
        """What was judged and says most: the largest lower bound."""
        judged = [change for change in self.changes if change.quantile in JUDGED]
        return max(judged, key=lambda change: change.low, default=None)


def check_deployment(  # noqa: PLR0917 - both sides, how they were got, and when
    base: HistogramCells,
    candidate: HistogramCells,
    basis: Basis,
    minutes: int,
    past_log_ratios: Sequence[float],
    rng: Generator,
) -> DeploymentCheck:
    """Judge a deploy at a look. `minutes` is one of `LOOKS_MIN`.

    For `concurrent` both sides hold the same minutes; otherwise the base holds the time before, as long or longer.
    `past_log_ratios` are log ratios of p99 at earlier deploys of equal builds, judged on the same basis: with at least 4
    of them the spread between placements is the service's own.
    """
    doubts = []
    shared = same_bounds(base, candidate)
    enough = shared is not None and all(_is_enough(side) for side in shared)
    if shared is None:
        doubts.append(Caveat("bounds-differ", "The histograms of both builds have no bucket bounds in common."))
    elif not enough:
        doubts.append(
            Caveat(
                "few-requests",
                f"Fewer than {LEAST_MINUTES} minutes or {LEAST_REQUESTS} requests on one side: "
                "nothing can be told of a tail yet.",
            )
        )
    learnt = len(past_log_ratios) >= LEARNT
    if basis == "before-after" and not learnt:
        doubts.append(
            Caveat(
                "before-after",
                "No instance of the old build ran beside the new one, and no earlier deploys of equal builds tell how far "
                "apart two windows of this service lie: a change of load or neighbours would look the same.",
            )
        )
    if shared is None or not enough:
        return DeploymentCheck("inconclusive", basis, minutes, (), tuple(doubts))
    spread = _spread(past_log_ratios)
    found = ratios(*shared, QUANTILES, spread, rng, paired=basis == "concurrent")
    error = ERROR_AT[minutes]
    changes = [_change(q, each, error * MEDIAN_SHARE) for q, each in found.quantiles.items()]
    if found.tail is not None:
        changes.append(_change(None, found.tail, error * (1 - MEDIAN_SHARE)))
    verdict = _verdict(changes, minutes)
    if verdict == "slower" and basis == "before-after" and not learnt:
        verdict = "inconclusive"
    return DeploymentCheck(verdict, basis, minutes, tuple(changes), tuple(doubts))


def _is_enough(side: HistogramCells) -> bool:
    return len(side.times_ms) >= LEAST_MINUTES and float(np.nansum(side.requests)) >= LEAST_REQUESTS


def _spread(past: Sequence[float]) -> float:
    """Between placements: the service's own where it is known, shrunk towards the usual one (as if of 4 deploys)."""
    usual = 2 * SPREAD**2
    if len(past) < LEARNT:
        return float(np.sqrt(usual))
    own = float(np.mean(np.square(past)))
    return float(np.sqrt((LEARNT * usual + len(past) * own) / (LEARNT + len(past))))


def _change(q: float | None, found: RatioReplicates, error: float) -> QuantileChange:
    low, high = found.bound(error), found.bound(1 - error)
    return QuantileChange(q, found.base_s, found.candidate_s, found.ratio, low, high, found.bound(0.95))


def _verdict(changes: Sequence[QuantileChange], minutes: int) -> DeployVerdict:
    judged = JUDGED if minutes >= TAIL_FROM_MIN else JUDGED[:1]
    if any(change.low > FLOOR for change in changes if change.quantile in judged):
        return "slower"
    return "not-slower" if changes and all(change.most < HARM for change in changes) else "inconclusive"
