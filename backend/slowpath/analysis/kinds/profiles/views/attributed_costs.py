"""The runtime cost attributed to each function of a view, and the category of most of its own and attributed cost."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.go_function_names import package_of
from slowpath.analysis.kinds.profiles.categories.stack_attribution import StackAttribution
from slowpath.analysis.kinds.profiles.stacks.stack_frames import Index
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewInputs

F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]

OWN_CODE = 255
"""Instead of a category: a function costs more itself than any category attributed to it."""


@dataclass(frozen=True)
class AttributedCosts:
    """Raw values of runtime stacks by their attributed caller (labels x profiles); `mostly` is a category or `OWN_CODE`."""

    rows: F64
    mostly: U8


def attribute_costs(ground: DiffViewInputs, self_values: F64) -> AttributedCosts:
    """Sum the runtime stacks of a view by their attributed caller. `self_values`: (labels x profiles) of the view.

    A runtime stack ends in a function of the runtime, and so does none that is a function's self value: both can be added.
    """
    attribution = ground.values.attribution
    caller = _caller_rows(ground)
    count = len(ground.stacks.labels)
    rows = ground.functions_measured.by_group(caller, count)
    rows[0] = 0.0  # stacks without an attributed caller
    return AttributedCosts(rows, _largest_parts(ground, attribution, caller, self_values))


def _caller_rows(ground: DiffViewInputs) -> Index:
    """Return for each stack of functions the label, at the view's granularity, that its runtime cost is attributed to."""
    attribution = ground.values.attribution
    caller = np.where(attribution.entry > 0, attribution.attributed_caller, 0).astype(np.int64)
    if ground.granularity != "package":
        return caller
    of_package = ground.stacks.labels.numbers
    packages = [of_package.find(package_of(key)) or 0 for key in ground.values.labels.keys]
    numbers: Index = np.array(packages, dtype=np.int64)
    return numbers[caller]


def _largest_parts(ground: DiffViewInputs, attribution: StackAttribution, caller: Index, self_values: F64) -> U8:
    """Return for each label the category with the largest attributed cost, or `OWN_CODE` if its self cost is larger."""
    base, candidate = ground.scale(ground.default)
    scale = np.where(ground.sets.is_base, base, candidate)
    cost = np.abs(ground.functions_measured.weighted(scale))
    attributed = np.flatnonzero((caller > 0) & (cost > 0))
    categories = len(attribution.categories)
    pair = caller[attributed] * categories + attribution.category[attributed]
    pairs, group = np.unique(pair, return_inverse=True)
    sums = np.bincount(group, weights=cost[attributed], minlength=len(pairs))
    largest = np.abs(self_values) @ np.abs(scale)
    mostly = np.full(len(largest), OWN_CODE, dtype=np.uint8)
    order = np.argsort(sums, kind="stable")  # ascending, so that the largest category is written last
    label, category, size = pairs[order] // categories, pairs[order] % categories, sums[order]
    exceeds = size > largest[label]
    mostly[label[exceeds]] = category[exceeds]
    return mostly
