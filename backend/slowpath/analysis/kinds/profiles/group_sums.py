"""Sums by group, with the type they have: numpy's stubs take every bincount for a count."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import Array

F64 = NDArray[np.float64]


def sum_by(group: Array, values: Array, groups: int) -> F64:
    """The sum of `values` in each of `groups` groups; `group[i]` numbers the group of value i."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)
