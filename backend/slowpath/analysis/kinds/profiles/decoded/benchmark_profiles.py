"""Recognize profiles of `go test -bench`, which run as many operations as fit into a fixed time.

Per second, such a profile shows everything that did not grow as having shrunk. It is compared per operation if the number
of operations is known (see `analysis.comparison.benchmark_operations`), otherwise by shares only.
"""

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.stats.distinct_values import distinct_values

# Every stack of a benchmark has one of these near its root; other goroutines (the garbage collector) have none.
MARKS = ("testing.(*B).runN", "testing.(*B).launch", "testing.(*B).RunParallel")
LOOP_MARKS = (b"testing.(*B).Loop", b"testing.(*B).loopSlowPath")
# The root of a program that serves something; in a program of benchmarks it waits for them.
MAIN = "main.main"
# With less than this share below the frames of benchmarks, one ran beside other work. The rest of a benchmark's profile is of the
# goroutines that it starts, and of the garbage collector.
LEAST_SHARE = 0.05


def is_benchmark_profile(table: ProfileTable) -> bool:
    """Return whether a profile is of a program that runs benchmarks: they have a part of it, and more than `main`."""
    if not table.strings.holds(b"testing.(*B)."):
        return False
    values = np.abs(table.stacks.values[table.default_sample_type].astype(np.float64))
    marked, main = (_nodes_named(table, names) for names in (MARKS, (MAIN,)))
    in_benchmark, in_main = (_beneath(table, nodes)[table.stacks.node] for nodes in (marked, main))
    total, of_benchmark = float(values.sum()), float(values[in_benchmark].sum())
    of_main = float(values[in_main & ~in_benchmark].sum())
    return total > 0 and of_benchmark >= max(LEAST_SHARE * total, of_main)


def _nodes_named(table: ProfileTable, prefixes: tuple[str, ...]) -> NDArray[np.bool_]:
    named = np.zeros(len(table.node_key), dtype=np.bool_)
    for key in distinct_values(table.node_key).tolist():
        if table.strings[key].startswith(prefixes):
            named[table.node_key == key] = True
    return named


def uses_loop(table: ProfileTable) -> bool:
    """Return whether a benchmark uses `for b.Loop()`, which counts its operations without a ramp-up of b.N."""
    return any(mark in table.strings.data for mark in LOOP_MARKS)


def _beneath(table: ProfileTable, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each node or one above it is marked; parents come before their children."""
    beneath = marked.copy()
    parent = table.node_parent.astype(np.int64)
    node = np.arange(len(marked))
    open_nodes = node[1:]
    ancestor = parent[1:].copy()
    while len(open_nodes):
        beneath[open_nodes[marked[ancestor]]] = True
        continues = (ancestor > 0) & ~marked[ancestor]
        open_nodes, ancestor = open_nodes[continues], ancestor[continues]
        ancestor = parent[ancestor]
    return beneath
