"""What the decoder's verdicts say of a victim on one side, and what is known of the groups that are accused."""

import numpy as np

from slowpath.analysis.kinds.exec_traces.duration_buckets import quantiles
from slowpath.analysis.kinds.exec_traces.waiters import WaiterSide

# Nothing stands out, or there are no waits to judge by.
MIXED = "mixed"

# Verdicts in traces that were decoded before they had these names.
FORMER_VERDICTS = {"hog": "cpu-hog", "herd": "thundering-herd"}


def current_verdict(name: str) -> str:
    """Return today's name of a verdict in a decoded trace."""
    return FORMER_VERDICTS.get(name, name)


def verdict_of(side: WaiterSide, victim: int) -> str | None:
    """The verdict that most of the victim's waiting has on that side; None where it never waited."""
    weights: dict[str, float] = {}
    for rows, table in zip(side.rows, side.traces, strict=True):
        for row in np.flatnonzero(rows == victim).tolist():
            said = current_verdict(table.strings[int(table.victims.verdict[row])]) or MIXED
            weights[said] = weights.get(said, 0.0) + float(table.victims.total_ns[row])
    return max(weights, key=lambda said: (weights[said], said)) if weights else None


def goroutines_of(side: WaiterSide, group: str) -> int:
    """How many goroutines a group has, in the trace that has most of them."""
    most = 0
    for table in side.traces:
        for name, goroutines in zip(table.group_names, table.groups.goroutines.tolist(), strict=True):
            if side.named(name) == group:
                most = max(most, int(goroutines))
    return most


def hidden_quantiles(side: WaiterSide, victim: int, at: tuple[float, ...]) -> list[float] | None:
    """Quantiles (ns) of how long a message may have lain before Go looked; None where nothing was woken by one."""
    counts: dict[int, float] = {}
    for rows, table in zip(side.rows, side.traces, strict=True):
        mine = rows[table.netpoll.victim] == victim
        for bucket, count in zip(table.netpoll.bucket[mine].tolist(), table.netpoll.count[mine].tolist(), strict=True):
            counts[bucket] = counts.get(bucket, 0.0) + count
    if not counts:
        return None
    buckets = np.array(sorted(counts), dtype=np.int64)
    whole = np.array([[counts[bucket] for bucket in sorted(counts)]], dtype=np.float64)
    return [float(value) for value in quantiles(whole, buckets, np.array(at))[0]]
