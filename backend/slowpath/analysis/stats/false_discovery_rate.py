"""Adjust many p-values: weighted Benjamini-Hochberg."""

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]


def q_values(p_values: F64, weights: F64) -> F64:
    """Return the false discovery rate at which each hypothesis would just be accepted (Genovese, Roeder, Wasserman 2006).

    Weights are scaled to mean 1 and must not come from the p-values. NaN counts as 1.
    """
    count = len(p_values)
    if count == 0:
        return np.zeros(0)
    scaled = weights / weights.mean()
    weighted = np.where(np.isnan(p_values), 1.0, p_values) / np.maximum(scaled, 1e-12)
    order = np.argsort(weighted, kind="stable")
    stepped = weighted[order] * count / np.arange(1, count + 1)
    q = np.empty(count)
    q[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return q
