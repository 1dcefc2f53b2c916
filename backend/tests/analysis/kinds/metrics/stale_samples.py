"""The stale marker of Prometheus as a value: production code compares and copies its bits only."""

from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.samples.series_data import STALE_NAN_BITS, Values


def stale_nans(n: int) -> Values:
    """Return as many stale markers, their bits intact."""
    return np.full(n, STALE_NAN_BITS, dtype=np.uint64).view(np.float64)


STALE_NAN: Final[np.float64] = stale_nans(1)[0]
