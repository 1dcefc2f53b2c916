"""Estimate how much the cost of a function varies between two blocks of captures, from within the sides.

Sides captured one after the other are two blocks. Each side can be split into an earlier and a later half, which are blocks
of one binary: the variation of its functions between the halves beyond sampling is what they would vary between the sides
without a change (caches fill, data grows, load shifts). The estimate is pooled over functions and shrunk towards each
function's own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets

F64 = NDArray[np.float64]

# A side is split from this many captures on; a half with fewer counts of a function is not used for it.
FEWEST_CAPTURES, FEWEST_COUNTS = 4, 5.0
# The pooled estimate weighs as much as this many halves of the function.
POOLED_WORTH = 2.0
# The sides are twice as far apart as the halves of one: a semivariogram with the exponent 1/2 has grown by this.
GROWTH = 2**0.5


@dataclass(frozen=True)
class _Halves:
    """Per row: squared log ratio of the halves beyond sampling, the sampling variance, and which rows are known."""

    excess: F64
    sampling: F64
    known: NDArray[np.bool_]


def block_variance(rows: F64, sets: ProfileSets, basis: Normalization, quantum: float, least_cv: float) -> F64:
    """Return the relative variance of the difference between the sides due to time alone, per row of `rows`.

    `rows` is (subjects x profiles) in raw values; `least_cv` is the minimum variation of every program between blocks.
    """
    least = 2 * least_cv**2
    times = sets.times() if sets.timed else None
    halves = [
        half
        for number, mask in enumerate((sets.is_base, ~sets.is_base))
        if (half := _halves(rows[:, mask], basis.weights[mask], times[number] if times else None, quantum)) is not None
    ]
    if not halves:
        return np.full(len(rows), least)
    excess: F64 = np.stack([each.excess for each in halves])
    sampling: F64 = np.stack([each.sampling for each in halves])
    known: NDArray[np.bool_] = np.stack([each.known for each in halves])
    weight = np.where(known, 1 / np.square(sampling + least), 0.0)
    pooled = max(least, float((weight * excess).sum() / weight.sum())) if weight.sum() else least
    estimate: F64 = (POOLED_WORTH * pooled + np.where(known, excess, 0.0).sum(axis=0)) / (
        POOLED_WORTH + known.sum(axis=0)
    )
    variance: F64 = np.maximum(estimate * GROWTH, least)
    return variance


def _halves(rows: F64, weights: F64, times: F64 | None, quantum: float) -> _Halves | None:
    count = len(weights)
    if count < FEWEST_CAPTURES:
        return None
    order = np.arange(count) if times is None or len(times) != count else np.argsort(times, kind="stable")
    parts = order[: count // 2], order[count - count // 2 :]
    values = [rows[:, part].sum(axis=1) for part in parts]
    known = (values[0] >= FEWEST_COUNTS * quantum) & (values[1] >= FEWEST_COUNTS * quantum)
    if not (known.any() and all(weights[part].sum() > 0 for part in parts)):
        return None
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        sampling = np.where(known, quantum / values[0] + quantum / values[1], np.inf)
        rates = [value / float(weights[part].sum()) for value, part in zip(values, parts, strict=True)]
        logs = np.where(known & np.isfinite(rates).all(axis=0), np.log(rates[1] / rates[0]), 0.0)
    logs[known] -= _weighted_median(logs[known], 1 / sampling[known])
    return _Halves(np.where(known, np.square(logs) - sampling, 0.0), sampling, known)


def _weighted_median(values: F64, weights: F64) -> float:
    order = np.argsort(values)
    middle = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    return float(values[order][min(int(middle), len(values) - 1)])
