"""Return the decoder's verdicts on a waiter on one side, and properties of the occupants."""

import numpy as np

from slowpath.analysis.kinds.exec_traces.duration_buckets import quantiles
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide

# No dominant occupant, or no waits.
MIXED = "mixed"

# Former names of verdicts, in traces decoded earlier.
FORMER_VERDICTS = {"hog": "cpu-hog", "herd": "thundering-herd"}


def current_verdict(name: str) -> str:
    """Return the current name of a verdict in a decoded trace."""
    return FORMER_VERDICTS.get(name, name)


def verdict_of(side: WaiterSide, waiter: int) -> str | None:
    """Return the verdict of most of the waiter's waiting on that side; None if it never waited."""
    weights: dict[str, float] = {}
    for rows, table in zip(side.rows, side.traces, strict=True):
        for row in np.flatnonzero(rows == waiter).tolist():
            verdict = current_verdict(table.strings[int(table.waiters.verdict[row])]) or MIXED
            weights[verdict] = weights.get(verdict, 0.0) + float(table.waiters.total_ns[row])
    return max(weights, key=lambda verdict: (weights[verdict], verdict)) if weights else None


def goroutines_of(side: WaiterSide, group: str) -> int:
    """Return the number of goroutines of a group, in the trace with the most of them."""
    most = 0
    for table in side.traces:
        for name, goroutines in zip(table.group_names, table.groups.goroutines.tolist(), strict=True):
            if side.named(name) == group:
                most = max(most, int(goroutines))
    return most


def hidden_quantiles(side: WaiterSide, waiter: int, at: tuple[float, ...]) -> list[float] | None:
    """Return quantiles (ns) of the netpoll delay; None if the network woke nothing."""
    counts: dict[int, float] = {}
    for rows, table in zip(side.rows, side.traces, strict=True):
        of_waiter = rows[table.netpoll.waiter] == waiter
        for bucket, count in zip(
            table.netpoll.bucket[of_waiter].tolist(), table.netpoll.count[of_waiter].tolist(), strict=True
        ):
            counts[bucket] = counts.get(bucket, 0.0) + count
    if not counts:
        return None
    buckets = np.array(sorted(counts), dtype=np.int64)
    counts_by_bucket = np.array([[counts[bucket] for bucket in sorted(counts)]], dtype=np.float64)
    return [float(value) for value in quantiles(counts_by_bucket, buckets, np.array(at))[0]]
