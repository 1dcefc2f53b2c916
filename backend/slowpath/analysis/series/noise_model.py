"""How much a series varies without any change: its outliers drawn in, its memory, the scale of what is left.

All functions take rows [series, builds] without gaps, in the order of the builds, in units of the series' usual value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from slowpath.analysis.series.series_thresholds import SeriesThresholds

F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The standard deviation of normal noise over its median absolute deviation.
MAD = 1.4826
WINDOW = 9
UNSETTLED = 4
# So many of its own standard errors (one over the root of the builds) memory must show before it is believed, and by so
# many it is then taken for larger: too little of it is what makes false alarms.
BELIEVED_FROM, TAKEN_FOR = 2.0, 0.7
# From so many builds on, memory that was not seen is not there.
SEEN_FROM, UNSEEN = 60, 4.0
MOST_MEMORY = 0.95
# Series of a service are measured by the same runs: so many of them tell each other what memory their noise has. Theirs differ by
# so much, the middle one is so many times as exact as one, and the truth is less than so many standard errors above.
LEAST_TOGETHER, DIFFERS, SHARES, TOGETHER_FOR = 8, 0.1, 2.0, 1.5
FEWEST_FOR_MEMORY = 12
NORMAL_KURTOSIS, LEAST_FOR_TAILS = 0.1226, 20


@dataclass(frozen=True)
class WinsorizedRows:
    """Rows whose outliers were drawn in; `unruly` [series]: whether any were far out."""

    rows: F64
    unruly: Flags


def winsorize(rows: F64, thresholds: SeriesThresholds) -> WinsorizedRows:
    """Draw in what lies far from the running median; closer where a series has had outliers."""
    level = running_median(rows)
    away = rows - level
    scale = np.maximum(MAD * np.median(np.abs(away), axis=1, keepdims=True), thresholds.least_noise)
    outlier: Flags = np.greater(np.abs(away), thresholds.outlier_from * scale)
    # At the end the running median knows too little of what follows: the first builds of a new level look like outliers.
    unruly: Flags = np.any(outlier[:, :-UNSETTLED], axis=1)
    reach = np.where(unruly, thresholds.winsorised_unruly, thresholds.winsorised_at)[:, np.newaxis] * scale
    return WinsorizedRows(level + np.clip(away, -reach, reach), unruly)


def heavy_tailed(residuals: F64, beyond: float) -> Flags:
    """[series] Whether far values are more frequent than normal noise has them, by L-kurtosis (Hosking 1990, JRSS B 52(1)).

    `residuals` [series, builds] are what is left of rows as they came. Normal noise has 0.1226, in so many builds no more than
    `beyond` over their root above it but for one series in twenty-five; Student's t with 3 degrees of freedom has 0.26.
    """
    length = residuals.shape[1]
    if length < LEAST_FOR_TAILS:
        return np.zeros(len(residuals), dtype=np.bool_)
    ordered, rank = np.sort(residuals, axis=1), np.arange(length)
    one = rank / (length - 1)
    two = one * (rank - 1) / (length - 2)
    three = two * (rank - 2) / (length - 3)
    moments = [np.mean(ordered * part, axis=1) for part in (1.0, one, two, three)]
    scale = np.maximum(2 * moments[1] - moments[0], 1e-12)
    fourth = 20 * moments[3] - 30 * moments[2] + 12 * moments[1] - moments[0]
    flags: Flags = fourth / scale > NORMAL_KURTOSIS + beyond / np.sqrt(length)
    return flags


def running_median(rows: F64) -> F64:
    """[series, builds] The median of the nine builds around each (fewer at the ends)."""
    half = WINDOW // 2
    length = rows.shape[1]
    out = np.empty_like(rows)
    if length >= WINDOW:
        out[:, half : length - half] = np.median(sliding_window_view(rows, WINDOW, axis=1), axis=2)
    for at in [*range(min(half, length)), *range(max(half, length - half), length)]:
        out[:, at] = np.median(rows[:, max(0, at - half) : at + half + 1], axis=1)
    return out


def memory_across_steps(rows: F64) -> F64:
    """[series] Lag-one autocorrelation of the noise, however many steps the levels make; 0 unless it is plain.

    From differences, which a step touches once: of noise with memory phi, x[i+2] - x[i] has 1 + phi times the variance of
    x[i+1] - x[i] (Chakar, Lebarbier, Lévy-Leduc, Robin 2017, Bernoulli 23(2)).
    """
    length = rows.shape[1]
    if length < FEWEST_FOR_MEMORY:
        return np.zeros(len(rows))
    one, two = _drawn_in_square(rows[:, 1:] - rows[:, :-1]), _drawn_in_square(rows[:, 2:] - rows[:, :-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = np.nan_to_num(two / one - 1, nan=0.0, posinf=0.0)
    out: F64 = np.where(phi > 2 / np.sqrt(length), np.minimum(phi, MOST_MEMORY), 0.0)
    return out


def memory_of(residuals: F64, levels: int, *, together: bool = False) -> F64:
    """[series] Lag-one autocorrelation of what is left of rows once so many levels were taken from them.

    Corrected for what taking levels hides of it (Kendall 1954 for one: (1 + 3 phi) / n), taken for larger where it is plain.
    `together`: they are of one service, and while they are short each is told by all what it may remember.
    """
    length = residuals.shape[1]
    shared = together and len(residuals) >= LEAST_TOGETHER and length < SEEN_FROM
    if length < FEWEST_FOR_MEMORY and not shared:
        return np.zeros(len(residuals))
    square = np.maximum(np.sum(np.square(residuals), axis=1), 1e-18)
    phi = np.sum(residuals[:, 1:] * residuals[:, :-1], axis=1) / square
    phi += (levels + 2 * levels * np.maximum(phi, 0)) / length
    error = 1 / np.sqrt(length)
    if shared:
        return np.clip(_told_by_all(phi, error), 0.0, MOST_MEMORY)
    unseen = np.maximum(phi + UNSEEN * max(error - 1 / np.sqrt(SEEN_FROM), 0.0), 0.0) if length < SEEN_FROM else 0.0
    out: F64 = np.clip(np.where(phi > BELIEVED_FROM * error, phi + TAKEN_FOR * error, unseen), 0.0, MOST_MEMORY)
    return out


def _told_by_all(phi: F64, error: float) -> F64:
    """[series] An upper bound of each memory: its own estimate drawn towards the middle one of the service."""
    prior = DIFFERS**2 + (error / SHARES) ** 2
    own = prior / (prior + error**2)
    out: F64 = own * phi + (1 - own) * float(np.median(phi)) + TOGETHER_FOR * np.sqrt(own) * error
    return out


def mean_variance(builds: int, phi: float) -> float:
    """Variance of the mean of so many builds over that of one, if noise remembers `phi` of the build before it."""
    lags = np.arange(1, builds)
    return float((1 + 2 * np.sum((1 - lags / builds) * phi**lags)) / builds)


def innovation_variance(rows: F64, phi: F64) -> F64:
    """[series] Variance of what each build adds to what is remembered, by differences alone: steps do not swell it."""
    square = _drawn_in_square(rows[:, 1:] - rows[:, :-1])
    out: F64 = square / 2 * (1 + phi)
    return out


def _drawn_in_square(differences: F64) -> F64:
    """[series] Mean square with far ones drawn in."""
    scale = 3.0 * MAD * np.median(np.abs(differences), axis=1, keepdims=True)
    mean: F64 = np.mean(np.minimum(np.square(differences), np.square(scale)), axis=1)
    return mean
