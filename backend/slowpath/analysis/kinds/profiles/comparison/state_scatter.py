"""Estimate how much the functions of a program vary between two blocks of time, to detect one that differs more.

Sides captured one after the other differ by more than sampling: caches fill, data grows, a compaction runs, the request mix
shifts. Such a change of state moves many functions by different factors, while a change of the code moves one function with
its callees and leaves the others alone. So a subject is compared with the rest of the program: its cost must differ from
the median of the rest by more than the functions of the rest vary about that median. Functions inside the subject are
excluded: a change of the code may be in any part of it. The scatter is the scale of a Student t with few degrees of
freedom, because a few functions vary much more than most, fitted with a weak prior learned on A/A captures.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.categories.stack_attribution import StackAttribution
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets
from slowpath.analysis.kinds.profiles.sets.stack_values import Mask, StackValues
from slowpath.analysis.kinds.profiles.stacks.stack_frames import I32
from slowpath.analysis.stats.t_distribution import t_two_sided

F64 = NDArray[np.float64]

# Parts with fewer counts on both sides together are not used; of many parts the largest suffice.
FEWEST_COUNTS, MOST_PARTS = 20.0, 400
# With fewer parts, scatter cannot be separated from one change of the code that moved several of them.
FEWEST_PARTS = 7
# Replaces a count of zero on a side.
HALF = 0.5
# Degrees of freedom of the t distribution of parts, and of the one that a subject is tested with.
TAIL_DF, SCALE_DF = 4.0, 8.0
# The prior of the scale: its size, and the number of parts it counts as (chosen on the benchmark's tuning programs).
PRIOR_SCALE, PRIOR_PARTS = 0.04, 1.0
# The variance of a median over that of a mean.
OF_MEDIAN = 1.57
_SCALES = np.geomspace(0.005, 3.0, 60)


@dataclass(frozen=True)
class Contrast:
    """A subject against the rest.

    Log ratio of its change to the median change of the rest, with its variances. `sampling` and `state` are variances.
    `sampling` and `state` are variances.
    """

    log_ratio: float
    sampling: float
    state: float

    def df(self, sampling_df: float) -> float:
        """Return the degrees of freedom of the variance by Satterthwaite (1946)."""
        return (self.sampling + self.state) ** 2 / (self.sampling**2 / sampling_df + self.state**2 / SCALE_DF)

    def p_value(self, sampling_df: float) -> float:
        """Return the two-sided p-value of the difference over the mean (the log ratio if small, 2 if a side has nothing)."""
        statistic = 2 * np.tanh(self.log_ratio / 2) / np.sqrt(self.sampling + self.state)
        return float(t_two_sided(np.array([statistic]), np.array([self.df(sampling_df)]))[0])


@dataclass(frozen=True)
class Parts:
    """Counts of each stack on both sides, and its attributed caller.

    `weights` is the log ratio of the weights of the sides, candidate over base. `of_shares`: they are totals, so only the
    rest shows what did not change.
    """

    base: F64
    candidate: F64
    attributed_caller: I32
    labels: int
    weights: float
    of_shares: bool

    @classmethod
    def of(
        cls,
        measured: StackValues,
        attribution: StackAttribution,
        sets: ProfileSets,
        basis: Normalization,
        quantum: float,
    ) -> "Parts":
        """Sum the values of all profiles of each side."""
        sides = [np.abs(measured.weighted(np.where(mask, 1 / quantum, 0.0))) for mask in (sets.is_base, ~sets.is_base)]
        weights = [float(basis.weights[mask].sum()) for mask in (sets.is_base, ~sets.is_base)]
        log_ratio = float(np.log(weights[1] / weights[0])) if min(weights) > 0 else 0.0
        return cls(
            sides[0],
            sides[1],
            attribution.attributed_caller,
            len(measured.stacks.labels),
            log_ratio,
            basis.id == "share",
        )

    def contrast(self, inside: Mask, dispersion: float) -> Contrast | None:
        """Compare the subject that consists of the stacks `inside`.

        `dispersion` is its variance over that of sampling. None if the rest has too few parts to estimate their
        scatter.
        """
        own_counts = float(self.base[inside].sum()), float(self.candidate[inside].sum())
        return self._contrast(own_counts, ~inside, dispersion)

    def contrast_of(self, own_counts: tuple[float, float], dispersion: float) -> Contrast | None:
        """Compare a subject that is on any stack, given its counts on both sides, with the whole program."""
        return self._contrast(own_counts, np.ones(len(self.base), dtype=np.bool_), dispersion)

    def _contrast(self, own_counts: tuple[float, float], outside: Mask, dispersion: float) -> Contrast | None:
        rest = outside & (self.attributed_caller > 0)
        counts = [sum_by(self.attributed_caller[rest], side[rest], self.labels) for side in (self.base, self.candidate)]
        both = counts[0] + counts[1]
        chosen = np.flatnonzero(both >= FEWEST_COUNTS)
        if len(chosen) < FEWEST_PARTS:
            return None
        if len(chosen) > MOST_PARTS:
            chosen = chosen[np.argpartition(-both[chosen], MOST_PARTS)[:MOST_PARTS]]
        logs = np.log((counts[1][chosen] + HALF) / (counts[0][chosen] + HALF)) - self.weights
        noise = _variance(both[chosen], self.weights)
        middle = _median(logs, 1 / (noise + PRIOR_SCALE**2))
        scale = _scale(logs - middle, noise)
        precision = float((1 / (noise + scale**2)).sum())
        log_ratio = float(np.log((own_counts[1] + HALF) / (own_counts[0] + HALF))) - self.weights
        reference = middle if self.of_shares else float(np.clip(log_ratio, min(0.0, middle), max(0.0, middle)))
        return Contrast(
            log_ratio=log_ratio - reference,
            sampling=dispersion * float(_variance(np.array([own_counts[0] + own_counts[1]]), self.weights)[0]),
            state=scale**2 + OF_MEDIAN / precision,
        )


def _variance(counts: F64, weights: float) -> F64:
    """Return the sampling variance of a log ratio, if the counts of both sides together have one rate."""
    part = 1 / (1 + np.exp(weights))
    variance: F64 = 1 / (np.maximum(counts, 1.0) * part * (1 - part))
    return variance


def _bounded(log_ratio: F64) -> F64:
    """Return difference over mean: the log ratio if that is small, and 2 if one side has nothing."""
    bounded: F64 = 2 * np.tanh(log_ratio / 2)
    return bounded


def _median(values: F64, weights: F64) -> float:
    order = np.argsort(values)
    summed = np.cumsum(weights[order])
    return float(values[order][min(int(np.searchsorted(summed, summed[-1] / 2)), len(values) - 1)])


def _scale(logs: F64, noise: F64) -> float:
    """Return the most probable scale of the parts about their median, which costs one degree of freedom."""
    squares = np.square(_bounded(logs))
    spread = np.square(_SCALES)[:, np.newaxis] + noise
    known = 1 - 1 / len(logs)
    misfit = known * (np.log(spread) / 2 + (TAIL_DF + 1) / 2 * np.log1p(squares / spread / TAIL_DF)).sum(axis=1)
    misfit += PRIOR_PARTS * (np.log(_SCALES) + np.square(PRIOR_SCALE / _SCALES) / 2)
    return float(_SCALES[int(np.argmin(misfit))])
