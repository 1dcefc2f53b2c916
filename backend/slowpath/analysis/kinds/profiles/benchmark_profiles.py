"""Recognize profiles of `go test -bench`, which run as many operations as fit into a fixed time.

Per second, such a profile shows everything that did not grow as having shrunk. It is compared per operation where the
number of operations is known (see `analysis.benchmark_operations`), otherwise by shares only.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.profile_table import ProfileTable

# One of these stands near the root of every stack of a benchmark; other goroutines (the garbage collector) have none.
MARKS = ("testing.(*B).runN", "testing.(*B).launch", "testing.(*B).RunParallel")
LOOP_MARKS = (b"testing.(*B).Loop", b"testing.(*B).loopSlowPath")
# A profile belongs to a benchmark if at least this part of it lies beneath these frames.
MOSTLY = 0.5


def is_benchmark_profile(table: ProfileTable) -> bool:
    """Tell whether most of a profile lies beneath the frames that run a benchmark."""
    if not table.strings.holds(b"testing.(*B)."):
        return False
    values = np.abs(table.stacks.values[table.default_sample_type].astype(np.float64))
    marked = np.zeros(len(table.node_key), dtype=np.bool_)
    for key in np.unique(table.node_key).tolist():
        if table.strings[key].startswith(MARKS):
            marked[table.node_key == key] = True
    beneath = _beneath(table, marked)[table.stacks.node]
    whole = float(values.sum())
    return whole > 0 and float(values[beneath].sum()) >= MOSTLY * whole


def uses_loop(table: ProfileTable) -> bool:
    """Tell whether a benchmark with `for b.Loop()` was seen: it counts its operations without a ramp-up of b.N."""
    return any(mark in table.strings.data for mark in LOOP_MARKS)


def _beneath(table: ProfileTable, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Per node, whether it or a node above it is marked; parents come before their children."""
    beneath = marked.copy()
    parent = table.node_parent.astype(np.int64)
    node = np.arange(len(marked))
    climbing = node[1:]
    at = parent[1:].copy()
    while len(climbing):
        beneath[climbing[marked[at]]] = True
        going = (at > 0) & ~marked[at]
        climbing, at = climbing[going], at[going]
        at = parent[at]
    return beneath
