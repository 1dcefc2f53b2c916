"""How well a culprit explains verdicts whose error rates are unknown: most scripts are rarely wrong, some tests are flaky.

A flaky test fails in some runs of every build, or passes in some runs of builds that have the fault. Its rates may have any
values of which the one of bad builds is higher. Both kinds of scripts are marginalized, so a few wrong verdicts of a usual one
remain improbable, and a search with many of them does not rely on the next single verdict.
"""

from typing import Final

import numpy as np

from slowpath.analysis.bisect.level_fit import F64
from slowpath.analysis.stats.t_distribution import log_beta, log_beta_of

WRONG, RIGHT = 0.5, 9.5
"""Beta prior of a wrong verdict of a usual script."""
FLAKY: Final = 0.5
"""Probability before the search that the script is flaky."""
SMALLEST: Final = 0.3
"""Smallest difference of the shares of bad verdicts that is searched for: a smaller one needs hundreds of measurements."""
RATES: Final = (np.arange(40) + 0.5) / 40
"""Shares of bad verdicts that a flaky script may have, of good or of bad builds."""
_OF_GOOD, _OF_BAD = (one.ravel() for one in np.meshgrid(RATES, RATES, indexing="ij"))
_IS_RAISED = _OF_BAD - _OF_GOOD >= SMALLEST
_PAIRS = np.stack([_OF_GOOD[_IS_RAISED], _OF_BAD[_IS_RAISED]])


def log_likelihood_of_rates(alarms: F64, passed: F64, seen: F64, missed: F64) -> F64:
    """Return [hypotheses] log likelihoods of verdicts, with both error rates marginalized.

    `alarms` and `passed` [hypotheses] are the bad and good verdicts on builds that the hypothesis calls good, `seen` and
    `missed` those on builds that it calls bad.
    """
    usual = (
        log_beta(WRONG + missed, RIGHT + seen)
        + log_beta(WRONG + alarms, RIGHT + passed)
        - 2 * log_beta_of(WRONG, RIGHT)
    )
    of_good, of_bad = _PAIRS[:, :, np.newaxis]
    by_rates = (
        alarms * np.log(of_good) + passed * np.log1p(-of_good) + seen * np.log(of_bad) + missed * np.log1p(-of_bad)
    )
    flaky = np.logaddexp.reduce(by_rates, axis=0) - np.log(_PAIRS.shape[1])
    out: F64 = np.logaddexp(np.log1p(-FLAKY) + usual, np.log(FLAKY) + flaky)
    return out


def log_likelihood_at_random(bad: int, good: int) -> float:
    """Return the log likelihood of verdicts that are bad with one unknown probability, whatever the build."""
    return log_beta_of(1.0 + bad, 1.0 + good)
