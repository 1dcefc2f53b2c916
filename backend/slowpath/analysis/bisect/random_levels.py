"""Two levels at random: a benchmark may be fast or slow by chance, whatever the build.

A search always finds a place where the levels seem to change, because it chooses the next build by the values before. Only
builds that are measured again, and the order of many builds, tell both explanations apart.
"""

from typing import Final

import numpy as np

from slowpath.analysis.bisect.level_difference import level_odds
from slowpath.analysis.bisect.level_fit import logsumexp
from slowpath.analysis.bisect.likelihood import ODD
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.search_state import SearchState
from slowpath.analysis.bisect.verdict_rates import log_likelihood_at_random, log_likelihood_of_rates

SHARES: Final = (np.arange(50) + 0.5) / 50
"""Shares of measurements at the upper level, all equally probable before the search."""

FAR: Final = 4.0
"""Standard deviations from the nearer level from which on a value belongs to neither."""


def log_odds_against_random_levels(state: SearchState, belief: Posterior, group: tuple[int, ...]) -> float:
    """Return the log odds that a run of candidates changed the level, rather than each measurement having one at random.

    All candidates are equally probable in the first explanation, so long ranges need more measurements: what is known of them
    decides which one is suspected, not whether any build decides. The inverse of the odds bounds how often a range with
    levels at random leads to this result, whichever builds were chosen (Ville's inequality for likelihood ratios).
    Values count that the search leaves out as outlying, unless they are far from both levels: left out are those that
    contradict the suspect. 0 without values.
    """
    if belief.noise is None:
        return 0.0
    odds = [one for one in level_odds(state, belief.noise, leave_out=False) if one.distance <= FAR]
    nats, is_after = np.array([one.nats for one in odds]), np.array([one.position >= group[-1] for one in odds])
    usual, opposite = np.log(1 - ODD), np.log(ODD)
    by_build = np.where(is_after, np.logaddexp(usual + nats, opposite), np.logaddexp(usual, opposite + nats)).sum()
    by_build += np.log(len(group) / len(state.line))
    at_random = np.logaddexp(np.log1p(-SHARES)[:, None], np.log(SHARES)[:, None] + nats).sum(axis=1)
    return float(by_build - (logsumexp(at_random) - np.log(len(SHARES))))


def log_odds_of_verdicts_against_chance(state: SearchState, group: tuple[int, ...]) -> float:
    """Return the log odds that a run of candidates made verdicts bad, rather than one probability whatever the build.

    The rates are marginalized in both explanations, so the inverse of the odds bounds how often verdicts by chance lead to this
    result (Ville's inequality), if all probabilities of a bad verdict are equally likely.
    """
    measured = [one for one in state.deploys if one.is_measured]
    is_after = np.array([state.line.position(one.build) >= group[-1] for one in measured], dtype=np.bool_)
    good, bad = (np.array([getattr(one, name) for one in measured], dtype=np.float64) for name in ("good", "bad"))
    of_good, of_bad = ((~is_after @ bad, ~is_after @ good), (is_after @ bad, is_after @ good))
    by_build = log_likelihood_of_rates(*(np.array([one]) for one in (*of_good, *of_bad)))
    by_build += np.log(len(group) / len(state.line))
    return float(by_build[0]) - log_likelihood_at_random(int(bad.sum()), int(good.sum()))
