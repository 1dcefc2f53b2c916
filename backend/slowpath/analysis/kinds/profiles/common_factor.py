"""What nearly everything changed by: a slower machine, a lower frequency or another load, but rarely the code.

A machine slows nearly all functions by one factor; a change of the code is local. The factor is the weighted median
of the log ratios of the functions' own values. It is reported, and functions and categories are tested against it.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.profiles.rate_estimates import RateEstimates

# Beyond this precision (a standard error of 5 %) a function weighs no more: a large one is no better witness.
LEAST_ERROR = 0.05
# Where nearly as many functions kept their cost as changed it, what was kept counts: the quantiles between which the
# factor may lie, and the one nearest to "nothing" is taken.
CENTRAL = (0.4, 0.6)
# Below as many functions there is no "nearly everything".
FEWEST_FUNCTIONS = 5
# The standard error of a median over that of a mean.
OF_MEDIAN = 1.25


@dataclass(frozen=True)
class CommonFactor:
    """`log` is the median log ratio with its standard error; `tested` the factor that changes are held against."""

    log: float
    error: float
    tested: float

    @property
    def within_noise(self) -> bool:
        """Whether the factor may well be 1. A function that is most of the program is a median by itself: not enough."""
        return abs(float(np.log(self.tested))) <= self.error or abs(self.log) <= 2 * self.error


NOTHING = CommonFactor(0.0, np.inf, 1.0)


def common_factor(own: RateEstimates) -> CommonFactor:
    """From the estimates of the functions' own values."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(own.ratio)
    known = np.isfinite(logs) & np.isfinite(own.log_error)
    if np.count_nonzero(known) < FEWEST_FUNCTIONS:
        return NOTHING
    logs, weights = logs[known], 1 / (np.square(own.log_error[known]) + LEAST_ERROR**2)
    order = np.argsort(logs, kind="stable")
    part = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    low, middle, high = np.interp([CENTRAL[0], 0.5, CENTRAL[1]], part, logs[order])
    spread = np.sqrt(np.sum(np.square(weights * own.log_error[known]))) / weights.sum()
    nearest = float(np.clip(0.0, low, high))
    return CommonFactor(float(middle), OF_MEDIAN * float(spread), float(np.exp(nearest)))
