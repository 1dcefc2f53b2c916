"""The prior of variances that few replicates each estimate, and the variances moderated by it (Smyth 2004, section 6.2)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.stats.t_distribution import digamma, trigamma

F64 = NDArray[np.float64]

EQUAL_WORTH: Final = 10.0
"""The assumption that all variances are equal counts as this many of them, so that a few do not decide."""
_PRIOR_DF: Final = np.geomspace(0.5, 1e4, 400)


def fit_variance_prior(variances: F64, df: F64) -> tuple[F64, F64]:
    """[sets] Return the prior variance of each set and its degrees of freedom: infinite if the variances are equal.

    `variances` and their degrees of freedom `df` are [sets, members]; members that are not positive are left out, and a
    set without members has NaN. By the moments of log variances, whose variance is trigamma(df / 2) +
    trigamma(prior df / 2).
    """
    known = (variances > 0) & (df > 0)
    half = np.where(known, df, 2.0) / 2
    logs = np.where(known, np.log(np.where(known, variances, 1.0)) - digamma(half) + np.log(half), 0.0)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = logs.sum(axis=1) / count
        squares = np.sum(np.square(logs - mean[:, np.newaxis]), axis=1, where=known)
        by_chance = np.sum(trigamma(half), axis=1, where=known) / count
        beyond = np.where(count > 1, count / (count + EQUAL_WORTH) * (squares / (count - 1) - by_chance), 0.0)
    prior_df = np.where(beyond > 0, np.interp(-beyond, -trigamma(_PRIOR_DF / 2), _PRIOR_DF), np.inf)
    finite = np.where(np.isfinite(prior_df), prior_df, 1.0) / 2
    bias = np.where(np.isfinite(prior_df), digamma(finite) - np.log(finite), 0.0)
    return np.exp(mean + bias), prior_df


def moderate_variances(variances: F64, df: F64) -> F64:
    """[sets, members] Return the posterior variances; that of a member without a variance is the prior one of its set."""
    prior, prior_df = (each[:, np.newaxis] for each in fit_variance_prior(variances, df))
    known = (variances > 0) & (df > 0)
    own_df = np.where(known, df, 0.0)
    with np.errstate(invalid="ignore"):
        own_weight = np.where(np.isfinite(prior_df), own_df / (own_df + prior_df), 0.0)
    moderated: F64 = own_weight * np.where(known, variances, 0.0) + (1 - own_weight) * prior
    return moderated
