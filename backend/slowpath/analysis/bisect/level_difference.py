"""Decide whether the probes of two builds differ, and whether single probes can be relied on."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.likelihood import ODD, NoiseEstimate
from slowpath.analysis.bisect.posterior import Posterior
from slowpath.analysis.bisect.search_state import ProbeRecord, SearchState

DRIFT_AT: Final = 0.5
"""Probability of drift from which on probes at other times do not count."""
OUTLIERS_AT: Final = 0.5
"""Probability of outlying values from which on a single probe cannot be relied on."""
OPPOSITE_AT: Final = 0.5
"""Expected number of probes that showed the opposite from which on a single probe cannot be relied on."""


def is_disturbed(noise: NoiseEstimate) -> bool:
    """Return whether a single probe of a build cannot be relied on."""
    return noise.walks > DRIFT_AT or noise.outliers > OUTLIERS_AT or noise.opposite > OPPOSITE_AT


def levels_differ(
    state: SearchState, belief: Posterior, good: Sequence[ProbeRecord], bad: Sequence[ProbeRecord]
) -> bool:
    """Return whether the latest probes alone show that the suspect is bad and the build before it good."""
    if belief.noise is None:
        return sum(one.bad for one in bad) > sum(one.good for one in bad) and sum(one.good for one in good) > sum(
            one.bad for one in good
        )
    counted = [one for one in state.deploys if one.is_measured]
    values = {
        deploy.number: float(np.mean(readings.values))
        for deploy, readings in zip(counted, measurement_normalization.usual_readings(state, belief.noise), strict=True)
        if readings.values
    }
    goods, bads = ([values[one.number] for one in side if one.number in values] for side in (good, bad))
    return bool(goods and bads) and float(np.median(bads) - np.median(goods)) > belief.noise.step / 2


def show_bad_level(state: SearchState, belief: Posterior, probes: Sequence[ProbeRecord]) -> bool:
    """Return whether probes of one build show the bad level rather than the good one, with the requested belief."""
    return _bad_log_odds(state, belief, probes) >= float(np.log(state.settings.belief / (1 - state.settings.belief)))


def show_both_levels(
    state: SearchState, belief: Posterior, good: Sequence[ProbeRecord], bad: Sequence[ProbeRecord]
) -> bool:
    """Return whether some probes show the good level and others the bad one: each rather so, and together with the belief."""
    of_good, of_bad = -_bad_log_odds(state, belief, good), _bad_log_odds(state, belief, bad)
    required = float(np.log(state.settings.belief / (1 - state.settings.belief)))
    return min(of_good, of_bad) > 0 and of_good + of_bad >= required


def _bad_log_odds(state: SearchState, belief: Posterior, probes: Sequence[ProbeRecord]) -> float:
    """Return the log odds of the bad level against the good one, by the distance of the values from both.

    Values near the middle count little, other than in a comparison of medians. A probe shows the opposite with the
    probability `ODD`, so one odd probe does not decide.
    """
    if belief.noise is None:
        votes = sum(one.bad - one.good for one in probes)
        return float(np.inf if votes > 0 else -np.inf)
    noise, numbers, odd = belief.noise, {one.number for one in probes}, float(np.log(ODD))
    counted = [one for one in state.deploys if one.is_measured]
    total, usual = 0.0, float(np.log(1 - ODD))
    for deploy, readings in zip(counted, measurement_normalization.usual_readings(state, noise), strict=True):
        if deploy.number in numbers and readings.values:
            above = (float(np.mean(readings.values)) - noise.level) / noise.step - 0.5
            nats = above * noise.apart(len(readings.values)) ** 2  # of two normal distributions at this distance
            total += float(np.logaddexp(usual + nats, odd) - np.logaddexp(usual, odd + nats))
    return total
