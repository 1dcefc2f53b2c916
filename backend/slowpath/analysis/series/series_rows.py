"""Prepare series for computation.

Gaps closed, in usual units, conditions aligned, precise builds weighted more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.noise_model import variance_across_steps
from slowpath.analysis.series.series_thresholds import SeriesThresholds
from slowpath.analysis.stats.variance_prior import moderate_variances

F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]

# Series that are computed at once: few enough that their values stay in the cache of a core, whatever the total.
BLOCK = 512
# Conditions that alternated at least this often can be separated from changes of the code.
LEAST_TURNS = 4


@dataclass(frozen=True)
class SeriesRows:
    """Series with equal numbers of known builds.

    `place` [series] their indices, `builds` [series, known] the positions. `values` [series, known] are in units of
    `usual` [series]; `weight` [series, known] is the inverse relative variance. `within` [series] is the median
    standard error of builds by their replicates, 0 if unknown: the noise is at least this.
    """

    place: I64
    builds: I64
    usual: F64
    values: F64
    weight: F64
    within: F64


def blocks_of(series: int) -> Iterator[slice]:
    """Yield the slices of that many series that are computed at once."""
    for first in range(0, series, BLOCK):
        yield slice(first, first + BLOCK)


def rows_of(
    matrix: F64,
    spread: F64 | None,
    counts: I32 | None,
    conditions: I32 | None,
    *,
    starts: Sequence[int],
    thresholds: SeriesThresholds,
) -> list[SeriesRows]:
    """Group series [series, builds] from their `starts` on by length; those without any value are omitted.

    `spread` are standard errors of the builds, from `counts` [series, builds] replicates.
    """
    known = np.isfinite(matrix) & (np.arange(matrix.shape[1]) >= np.asarray(starts)[:, np.newaxis])
    lengths = known.sum(axis=1)
    out = []
    for length in np.unique(lengths[lengths > 0]).tolist():
        place = np.flatnonzero(lengths == length)
        mask = known[place]
        builds = np.nonzero(mask)[1].reshape(len(place), length)
        raw = matrix[place][mask].reshape(len(place), length)
        usual = np.median(np.abs(raw), axis=1)
        usual = np.where(usual > 0, usual, np.mean(np.abs(raw), axis=1))
        usual = np.where(usual > 0, usual, 1.0)
        values = raw / usual[:, np.newaxis]
        if conditions is not None:
            values = np.stack(
                [align_alternating_conditions(row, conditions[at]) for row, at in zip(values, builds, strict=True)]
            )
        weight, within = np.ones_like(values), np.zeros(len(values))
        if spread is not None and length > 1:  # one value has no noise between builds
            variances = np.square(spread[place][mask].reshape(len(place), length) / usual[:, np.newaxis])
            if counts is not None:
                variances = moderate_errors(variances, counts[place][mask].reshape(len(place), length))
            weight = weights(values, variances, thresholds.least_noise)
            within = np.sqrt(_medians(variances))
        out.append(SeriesRows(place, builds, usual, values, weight, within))
    return out


def moderate_errors(variances: F64, counts: I32) -> F64:
    """[series, builds] Return squared standard errors that are as certain as their numbers of replicates allow.

    The error of a build with three profiles is off by half: with it as a weight, builds whose profiles happen to agree
    would decide alone. An error of one replicate has another source, and stays.
    """
    of_one = variances * counts
    moderated = moderate_variances(np.where(np.isfinite(of_one), of_one, 0.0), (counts - 1).astype(np.float64)) / counts
    own = (counts < 2) & np.isfinite(variances)
    out: F64 = np.where(own | ~np.isfinite(moderated), variances, moderated)
    return out


def weights(values: F64, variances: F64, least_noise: float) -> F64:
    """[series, builds] Return the inverse variance of each build, one on average.

    From the squared standard errors of builds and the variance between builds. Unknown errors are replaced by the median.
    """
    middle = _medians(variances)
    variances = np.where(np.isfinite(variances), variances, middle[:, np.newaxis])
    total_variance = variance_across_steps(values)
    between = np.maximum(np.maximum(total_variance - middle, 0.1 * total_variance), least_noise**2)[:, np.newaxis]
    weight = (between + middle[:, np.newaxis]) / (between + variances)
    out: F64 = weight / np.mean(weight, axis=1, keepdims=True)
    return out


def _medians(rows: F64) -> F64:
    """[series] Return the median of the known values of each row, 0 without any."""
    out = np.zeros(len(rows))
    known = np.isfinite(rows).any(axis=1)
    out[known] = np.nanmedian(rows[known], axis=1)
    return out


def turns_between(conditions: I32, one: int, other: int) -> int:
    """Return how often neighboring builds were measured under one and the other of two conditions."""
    left, right = conditions[:-1], conditions[1:]
    return int(np.sum(((left == one) & (right == other)) | ((left == other) & (right == one))))


def align_alternating_conditions(values: F64, conditions: I32) -> F64:
    """[builds] Return values as if all had been measured under the newest condition, for alternating conditions.

    The effect of a condition is estimated from neighboring builds under different ones, which steps of the code hardly affect
    (least squares on winsorized differences). A condition that changed once is not corrected: it cannot be separated from a step.
    """
    names, name = np.unique(conditions, return_inverse=True)
    if len(names) < 2:
        return values
    left, right = name[:-1], name[1:]
    turns = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(turns, (left, right), 1)
    turns += turns.T
    used = (left != right) & (turns[left, right] >= LEAST_TURNS)
    if not used.any():
        return values
    lines, difference = np.flatnonzero(used), np.diff(values)
    design = np.zeros((len(lines), len(names)))
    design[np.arange(len(lines)), right[lines]] += 1.0
    design[np.arange(len(lines)), left[lines]] -= 1.0
    goal = difference[lines]
    effect = np.linalg.lstsq(design, goal, rcond=None)[0]
    for _ in range(3):
        away = goal - design @ effect
        scale = 2.0 * 1.4826 * float(np.median(np.abs(away)))
        effect = np.linalg.lstsq(design, design @ effect + np.clip(away, -scale, scale), rcond=None)[0]
    touched = np.isin(np.arange(len(names)), np.concatenate([left[lines], right[lines]]))
    standard = effect[name[-1]] if touched[name[-1]] else float(np.mean(effect[touched]))
    out: F64 = values - np.where(touched[name], effect[name] - standard, 0.0)
    return out
