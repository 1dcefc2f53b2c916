"""CPU per request of each route of a build: the samples whose label names the route, over the requests of the route.

Needs profiles whose samples have a label with the route, and the requests by route in the run metadata. Work on goroutines of
the runtime, such as most of the garbage collector's, has no label and belongs to no route.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.build_measurements import RouteCost, summarize_replicates
from slowpath.analysis.findings.route_requests import ROUTE_LABELS, share_by_route
from slowpath.analysis.kinds.profiles.decoded.group_sums import sum_by
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.decoded.sample_labels import LabelSetSums
from slowpath.analysis.kinds.profiles.sets.profile_sets import Normalization, ProfileSets

F64 = NDArray[np.float64]


def measure_route_costs(sets: ProfileSets, basis: Normalization, run: NDArray[np.int64]) -> dict[str, RouteCost]:
    """Return the cost per request of each route that every profile states requests of.

    `basis` is that per request, `run` the replicate of each profile. Routes without a sample are absent: it is not known
    whether their samples have labels. A route is named as in the run metadata, or with its method before it.
    """
    mixes = [share_by_route(artifact.facts.requests_by_route) for artifact in sets.base]
    if not mixes or not all(mixes):
        return {}
    names = sorted(set.intersection(*(set(mix) for mix in mixes)))
    costs = np.zeros((len(names), sets.base_count))
    for number, (artifact, sample_type) in enumerate(zip(sets.base, sets.sample_type_of, strict=False)):
        costs[:, number] = _sum_by_route(artifact.table, sample_type, names)
    found = {}
    for row, name in enumerate(names):
        weights = basis.weights[: sets.base_count] * np.array([mix[name] for mix in mixes])
        by_run = np.array([np.bincount(run, weights=each) for each in (costs[row], weights)], dtype=np.float64)
        if costs[row].sum() <= 0 or (by_run[1] <= 0).any():
            continue
        values = summarize_replicates(basis.unit, by_run[:1], by_run[1], basis.factor)
        found[name] = RouteCost(float(values.value[0]), float(values.error[0]))
    return found


def _sum_by_route(table: ProfileTable, sample_type: int, names: Sequence[str]) -> F64:
    """Return the cost of the samples of each route."""
    labels = table.sample_labels or table.label_set_sums
    if labels is None or not len(labels.key):
        return np.zeros(len(names))
    by_set = (
        labels.sums[sample_type].astype(np.float64)
        if isinstance(labels, LabelSetSums)
        else sum_by(labels.set_of_sample, table.values[sample_type], labels.sets)
    )
    is_route = np.isin(labels.key, [at for at in np.unique(labels.key).tolist() if table.strings[at] in ROUTE_LABELS])
    texts = np.array(table.strings.texts(labels.value), dtype=object)
    return np.array([float(by_set[labels.sets_with(is_route & (texts == name))].sum()) for name in names])
