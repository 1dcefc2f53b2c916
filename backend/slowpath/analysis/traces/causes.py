"""What the decoder's verdicts say of a victim on one side, and what is known of the groups that are accused."""

import numpy as np

from slowpath.analysis.traces.buckets import quantiles
from slowpath.analysis.traces.victims import Side

# Nothing stands out, or there are no waits to judge by.
MIXED = "mixed"


def verdict_of(side: Side, victim: int) -> str | None:
    """The verdict that most of the victim's waiting has on that side; None where it never waited."""
    weights: dict[str, float] = {}
    for rows, table in zip(side.rows, side.traces, strict=True):
        for row in np.flatnonzero(rows == victim).tolist():
            said = table.strings[int(table.victims.verdict[row])] or MIXED
            weights[said] = weights.get(said, 0.0) + float(table.victims.total_ns[row])
    return max(weights, key=lambda said: (weights[said], said)) if weights else None


def goroutines_of(side: Side, group: str) -> int:
    """How many goroutines a group has, in the trace that has most of them."""
    most = 0
    for table in side.traces:
        for name, goroutines in zip(table.group_names, table.groups.goroutines.tolist(), strict=True):
            if side.named(name) == group:
                most = max(most, int(goroutines))
    return most


def hidden_quantiles(side: Side, victim: int, at: tuple[float, ...]) -> list[float] | None:
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
