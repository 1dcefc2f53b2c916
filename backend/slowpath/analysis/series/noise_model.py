"""Model the noise of a series without a change.

Winsorize outliers, estimate autocorrelation and scale. All functions take rows [series, builds] without gaps, in the
order of the builds, in units of the series' usual value.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.series.series_thresholds import SeriesThresholds

F64 = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The standard deviation of normal noise over its median absolute deviation.
MAD = 1.4826
WINDOW = 9
MEDIAN_EXCHANGES = (
    (1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3),
    (5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2),
)  # fmt: skip
UNSETTLED_BUILDS = 4
# Autocorrelation counts from this many of its standard errors on (one over the root of the builds), and is then
# increased by this many: underestimating it causes false alarms.
MEMORY_SIGNIFICANT, MEMORY_MARGIN = 2.0, 0.7
# From this many builds on, autocorrelation below this significance is taken as zero.
LONG_ROW, MEMORY_SIGNIFICANT_LONG = 60, 4.0
MOST_MEMORY = 0.95
# Series of a service are measured by the same runs: from this many on they share an estimate of autocorrelation. Its
# standard deviation between series, the precision of their median relative to one, and the margin in standard errors.
LEAST_TOGETHER, MEMORY_SPREAD, MEDIAN_PRECISION, SHARED_MARGIN = 8, 0.1, 2.0, 1.5
FEWEST_FOR_MEMORY = 12
NORMAL_KURTOSIS, LEAST_FOR_TAILS = 0.1226, 20


@dataclass(frozen=True)
class WinsorizedRows:
    """Winsorized rows; `unruly` [series]: whether a row had outliers."""

    rows: F64
    unruly: Flags


def winsorize(rows: F64, thresholds: SeriesThresholds) -> WinsorizedRows:
    """Winsorize values far from the running median; more strictly if a series has had outliers."""
    level = running_median(rows)
    away = rows - level
    scale = np.maximum(MAD * np.median(np.abs(away), axis=1, keepdims=True), thresholds.least_noise)
    outlier: Flags = np.greater(np.abs(away), thresholds.outlier_from * scale)
    # At the end the running median has few later builds: the first builds of a new level look like outliers.
    unruly: Flags = np.any(outlier[:, :-UNSETTLED_BUILDS], axis=1)
    reach = np.where(unruly, thresholds.winsorised_unruly, thresholds.winsorised_at)[:, np.newaxis] * scale
    return WinsorizedRows(level + np.clip(away, -reach, reach), unruly)


def heavy_tailed(residuals: F64, beyond: float) -> Flags:
    """[series] Return whether far values are more frequent than in normal noise, by L-kurtosis (Hosking 1990, JRSS B 52(1)).

    `residuals` [series, builds] are not winsorized. Normal noise has 0.1226, and at most `beyond` over the root of the builds more
    except for one series in twenty-five; Student's t with 3 degrees of freedom has 0.26.
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
    """[series, builds] Return the median of the nine builds around each (fewer at the ends)."""
    half = WINDOW // 2
    length = rows.shape[1]
    out = np.empty_like(rows)
    if length >= WINDOW:
        out[:, half : length - half] = _median_of_nine(rows)
    for at in [*range(min(half, length)), *range(max(half, length - half), length)]:
        out[:, at] = np.median(rows[:, max(0, at - half) : at + half + 1], axis=1)
    return out


def _median_of_nine(rows: F64) -> F64:
    """[series, builds - 8] Return the median of each nine neighboring builds.

    By 19 exchanges of whole columns (Smith 1996, Xcell 23): a fifth of the time of sorting each window.
    """
    places = rows.shape[1] - WINDOW + 1
    values = [rows[:, at : at + places] for at in range(WINDOW)]
    for low, high in MEDIAN_EXCHANGES:
        values[low], values[high] = np.minimum(values[low], values[high]), np.maximum(values[low], values[high])
    return values[WINDOW // 2]


def noise_across_steps(rows: F64) -> tuple[F64, F64]:
    """[series] Return the lag-one autocorrelation of the noise and the variance of its innovations, despite any steps.

    The autocorrelation is 0 unless it is significant. From differences, which a step affects once: for noise with autocorrelation
    phi, x[i+2] - x[i] has 1 + phi times the variance of x[i+1] - x[i] (Chakar, Lebarbier, Lévy-Leduc, Robin 2017, Bernoulli 23(2)).
    """
    length = rows.shape[1]
    one = _winsorized_square(rows[:, 1:] - rows[:, :-1])
    if length < FEWEST_FOR_MEMORY:
        return np.zeros(len(rows)), one / 2
    two = _winsorized_square(rows[:, 2:] - rows[:, :-2])
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = np.nan_to_num(two / one - 1, nan=0.0, posinf=0.0)
    phi = np.where(phi > 2 / np.sqrt(length), np.minimum(phi, MOST_MEMORY), 0.0)
    return phi, one / 2 * (1 + phi)


def memory_of(residuals: F64, levels: int, *, together: bool = False) -> F64:
    """[series] Return the lag-one autocorrelation of the residuals of rows after fitting this many levels.

    Corrected for the bias of fitting levels (Kendall 1954 for one: (1 + 3 phi) / n), increased where it is significant.
    `together`: the series are of one service, and while they are short they share the estimate.
    """
    length = residuals.shape[1]
    shared = together and len(residuals) >= LEAST_TOGETHER and length < LONG_ROW
    if length < FEWEST_FOR_MEMORY and not shared:
        return np.zeros(len(residuals))
    square = np.maximum(np.sum(np.square(residuals), axis=1), 1e-18)
    phi = np.sum(residuals[:, 1:] * residuals[:, :-1], axis=1) / square
    phi += (levels + 2 * levels * np.maximum(phi, 0)) / length
    error = 1 / np.sqrt(length)
    if shared:
        return np.clip(_share_autocorrelation(phi, error), 0.0, MOST_MEMORY)
    unseen = (
        np.maximum(phi + MEMORY_SIGNIFICANT_LONG * max(error - 1 / np.sqrt(LONG_ROW), 0.0), 0.0)
        if length < LONG_ROW
        else 0.0
    )
    out: F64 = np.clip(
        np.where(phi > MEMORY_SIGNIFICANT * error, phi + MEMORY_MARGIN * error, unseen), 0.0, MOST_MEMORY
    )
    return out


def _share_autocorrelation(phi: F64, error: float) -> F64:
    """[series] Return an upper bound of each autocorrelation.

    Its estimate shrunk towards the service's median.
    """
    prior = MEMORY_SPREAD**2 + (error / MEDIAN_PRECISION) ** 2
    own_weight = prior / (prior + error**2)
    out: F64 = own_weight * phi + (1 - own_weight) * float(np.median(phi)) + SHARED_MARGIN * np.sqrt(own_weight) * error
    return out


def mean_variance(builds: int, phi: float) -> float:
    """Return the variance of the mean of that many builds over that of one, with autocorrelation `phi`."""
    lags = np.arange(1, builds)
    return float((1 + 2 * np.sum((1 - lags / builds) * phi**lags)) / builds)


def variance_across_steps(rows: F64) -> F64:
    """[series] Return the variance between builds from differences alone: steps do not inflate it."""
    return _winsorized_square(rows[:, 1:] - rows[:, :-1]) / 2


def _winsorized_square(differences: F64) -> F64:
    """[series] Return the mean square with winsorized outliers."""
    scale = 3.0 * MAD * np.median(np.abs(differences), axis=1, keepdims=True)
    mean: F64 = np.mean(np.minimum(np.square(differences), np.square(scale)), axis=1)
    return mean
