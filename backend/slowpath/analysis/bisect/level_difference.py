"""Decide whether the probes of two builds differ, and whether single probes can be relied on."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from slowpath.analysis.bisect import measurement_normalization
from slowpath.analysis.bisect.likelihood import NoiseEstimate
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
