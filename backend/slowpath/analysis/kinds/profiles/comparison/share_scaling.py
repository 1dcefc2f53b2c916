"""Scale shares by what did not change: shares are compositional, so when one grows, all others shrink."""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets

F64 = NDArray[np.float64]


def scale_shares(basis: Normalization, sets: ProfileSets, self_values: F64) -> Normalization:
    """Return shares with the candidate's weights scaled by the weighted median of the functions' share ratios.

    As if the load were such that most of the work stayed the same (the idea of median-of-ratios, Anders and Huber 2010).
    """
    base = sets.is_base
    before = self_values[:, base].sum(axis=1) * basis.scale(base)
    after = self_values[:, ~base].sum(axis=1) * basis.scale(~base)
    on_both_sides = (before > 0) & (after > 0)
    if not on_both_sides.any():
        return Normalization("per_request", basis.unit, basis.factor, basis.weights)
    # The square root prevents one large function that grew from counting as unchanged.
    ratio, weight = (
        after[on_both_sides] / before[on_both_sides],
        np.sqrt(np.minimum(before[on_both_sides], after[on_both_sides])),
    )
    order = np.argsort(ratio)
    middle = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    common = float(ratio[order][min(int(middle), len(order) - 1)])
    return Normalization("per_request", basis.unit, basis.factor, np.where(base, basis.weights, basis.weights * common))
