"""Detect requests that arrive in step with the sampling clock.

If a request comes every 20 ms and a sample every 10, each sample hits the same place of the request, and that place drifts
over minutes: neighboring captures agree far better than distant ones, although each looks as if only chance had varied it.
"""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets.load import requests_in
from slowpath.analysis.stats.t_distribution import median
from slowpath.units import NANOSECONDS_PER_SECOND

# Rates with an integer ratio within this tolerance are in step, and constant if they vary by no more than that.
TOLERANCE = 0.015
# Many requests between two samples, or many samples per request, average over the places that samples hit.
MOST_SAMPLES, MOST_REQUESTS = 20, 4


def in_step_with_clock(artifacts: Sequence[ProfileArtifact]) -> bool:
    """Return whether the request rate of all these profiles is constant and in step with the sampling rate."""
    ratios = []
    for artifact in artifacts:
        table = artifact.table
        requests = requests_in(artifact)
        if table.kind != "cpu" or not table.period or not table.duration_ns or not requests:
            return False
        ratios.append(NANOSECONDS_PER_SECOND / table.period / (requests / (table.duration_ns / NANOSECONDS_PER_SECOND)))
    samples_a_request = median(np.array(ratios))
    if np.ptp(ratios) > 2 * TOLERANCE * samples_a_request:
        return False
    ratio = max(samples_a_request, 1 / samples_a_request)
    most = MOST_SAMPLES if samples_a_request >= 1 - TOLERANCE else MOST_REQUESTS
    return round(ratio) <= most and abs(ratio / round(ratio) - 1) <= TOLERANCE
