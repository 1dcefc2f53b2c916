"""Changes that the machine may have made: waits while processors stood idle.

A goroutine that waits although a processor is idle waits for a thread to wake, and so for the kernel: a neighbour, a
quota or power saving delays that as well as the program does, and a trace cannot tell. Captures of one binary on a
machine with other work on it show it. So a change that mostly consists of such waiting must be larger to be told, and
is never certain. What is not told for this reason is withheld: it is reported as a caveat, and leaves the comparison
inconclusive.
"""

from collections.abc import Mapping
from dataclasses import replace

from slowpath.analysis.kinds.exec_traces import trace_wording
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, Occupancy, OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters

MOSTLY = 0.5


def is_mostly_wakeup_latency(blame: Occupancy, *, worse: bool) -> bool:
    """Whether most of the change of a victim's mean wait passed while processors were idle or looking for work."""
    growth = trace_wording.growth_by_culprit(blame.parts)
    signed = {name: ns if worse else -ns for name, ns in growth.items()}
    whole = sum(max(ns, 0.0) for ns in signed.values())
    return whole > 0 and signed.get(WAKE_UP, 0.0) >= MOSTLY * whole


def drop_host_noise(
    matched: MatchedWaiters, judged: Mapping[int, TestedWaiter], blame: OccupancyTable, thresholds: TraceThresholds
) -> dict[int, TestedWaiter]:
    """The same decisions, but those that the machine may have made are withheld unless beyond its usual moods.

    Where a machine was short of CPU for nearly the whole recording, that is every change: threads that are not run look
    as if their goroutines ran.
    """
    least = thresholds.least_ratio_machine
    return {
        number: replace(each, quantile=None, withheld=each.quantile)
        if each.quantile is not None
        and not _is_beyond(each, each.quantile, least)
        and (
            not matched.enough_clean
            or is_mostly_wakeup_latency(blame.of(number), worse=each.shift_ns(each.quantile) > 0)
        )
        else each
        for number, each in judged.items()
    }


def _is_beyond(judged: TestedWaiter, quantile: float, least: float) -> bool:
    _, low, high = judged.ratio(quantile)
    return low > least or high < 1 / least
