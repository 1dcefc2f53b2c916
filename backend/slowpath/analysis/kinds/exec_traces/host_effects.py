"""Withhold changes that the machine may have caused: waits while processors were idle.

A goroutine that waits although a processor is idle waits for the kernel to wake a thread: a neighbor, a quota or power
saving delays that as well as the program does, and a trace cannot distinguish them. Traces of one binary on a busy machine
show such waits. A change that mostly consists of them must therefore be larger, and is never certain. Otherwise it is
withheld: reported as a caveat, with an inconclusive comparison.
"""

from collections.abc import Mapping
from dataclasses import replace

from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, Occupancy, OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters

MOSTLY = 0.5


def is_mostly_wakeup_latency(occupancy: Occupancy, *, worse: bool) -> bool:
    """Return whether most of the change of a waiter's mean wait was while processors were idle or looking for work."""
    growth = trace_wording.growth_by_culprit(occupancy.parts)
    signed = {name: ns if worse else -ns for name, ns in growth.items()}
    total = sum(max(ns, 0.0) for ns in signed.values())
    return total > 0 and signed.get(WAKE_UP, 0.0) >= MOSTLY * total


def drop_host_noise(
    matched: MatchedWaiters, results: Mapping[int, TestedWaiter], occupancy: OccupancyTable, thresholds: TraceThresholds
) -> dict[int, TestedWaiter]:
    """Withhold the decisions that the machine may have caused, unless they exceed its usual variation.

    On a machine short of CPU for nearly the entire recording, that is every change: goroutines whose threads are not scheduled
    appear to run.
    """
    least = thresholds.least_ratio_machine
    return {
        number: replace(each, quantile=None, withheld=each.quantile)
        if each.quantile is not None
        and not _is_beyond(each, each.quantile, least)
        and (
            not matched.enough_clean
            or is_mostly_wakeup_latency(occupancy.of(number), worse=each.shift_ns(each.quantile) > 0)
        )
        else each
        for number, each in results.items()
    }


def _is_beyond(results: TestedWaiter, quantile: float, least: float) -> bool:
    _, low, high = results.ratio(quantile)
    return low > least or high < 1 / least
