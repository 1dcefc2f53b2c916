"""Sum by group, with the right type: numpy's stubs treat every bincount as a count."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array

F64 = NDArray[np.float64]


def sum_by(group: Array, values: Array, groups: int) -> F64:
    """Return the sum of `values` in each of `groups` groups; `group[i]` is the group of value i."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)
