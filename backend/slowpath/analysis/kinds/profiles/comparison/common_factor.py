"""Estimate the factor by which nearly everything changed.

The machine, its frequency or the load, rarely the code. A machine slows nearly all functions by one factor; a change of
the code is local. The factor is the weighted median of the log ratios of the functions' self values. It is reported,
and functions and categories are tested relative to it.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.profiles.estimates.rate_estimates import RateEstimates

# A function's weight is limited to this standard error (5%): a large one is not better evidence.
LEAST_ERROR = 0.05
# If nearly as many functions are unchanged as changed, the factor is the value nearest to "unchanged" between these
# quantiles.
CENTRAL_QUANTILES = (0.4, 0.6)
# With fewer functions there is no common factor.
FEWEST_FUNCTIONS = 5
# The standard error of a median over that of a mean.
MEDIAN_ERROR_RATIO = 1.25


@dataclass(frozen=True)
class CommonFactor:
    """`log` is the median log ratio with its standard error.

    `tested` is the factor that changes are tested against.
    """

    log: float
    error: float
    tested: float

    @property
    def within_noise(self) -> bool:
        """Return whether the factor may be 1.

        One function with most of the program can determine the median alone.
        """
        return abs(float(np.log(self.tested))) <= self.error or abs(self.log) <= 2 * self.error


NOTHING = CommonFactor(0.0, np.inf, 1.0)


def common_factor(own: RateEstimates) -> CommonFactor:
    """Compute the factor from the estimates of the functions' self values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(own.ratio)
    known = np.isfinite(logs) & np.isfinite(own.log_error)
    if np.count_nonzero(known) < FEWEST_FUNCTIONS:
        return NOTHING
    logs, weights = logs[known], 1 / (np.square(own.log_error[known]) + LEAST_ERROR**2)
    order = np.argsort(logs, kind="stable")
    part = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    low, middle, high = np.interp([CENTRAL_QUANTILES[0], 0.5, CENTRAL_QUANTILES[1]], part, logs[order])
    spread = np.sqrt(np.sum(np.square(weights * own.log_error[known]))) / weights.sum()
    nearest = float(np.clip(0.0, low, high))
    return CommonFactor(float(middle), MEDIAN_ERROR_RATIO * float(spread), float(np.exp(nearest)))
