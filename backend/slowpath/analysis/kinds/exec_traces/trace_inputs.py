"""The inputs of all findings of one trace comparison."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.exec_traces.blocked_time import BlockedRate
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.wait_costs import WaitCosts
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters
from slowpath.analysis.kinds.exec_traces.waiting_rates import WaitingRates


@dataclass(frozen=True)
class TraceComparisonInputs:
    """The matched waiters, test results, P occupancy, costs, rates of waiting and of blocked time, and the thresholds."""

    matched: MatchedWaiters
    tested_waiters: Mapping[int, TestedWaiter]
    occupancy: OccupancyTable
    costs: WaitCosts
    waiting: WaitingRates
    thresholds: TraceThresholds
    blocked: tuple[BlockedRate, ...] = ()

    def certain(self, change: Effect) -> bool:
        """Return whether a change is certain.

        With one trace on a side only far beyond the variation between runs. Never if the machine was short of CPU for
        nearly the entire recording.
        """
        if not self.matched.enough_clean:
            return False
        if min(len(side.artifacts) for side in self.matched.sides) > 1:
            return True
        if change.ci_of == "difference":
            return False
        nearest = change.ci_low if change.difference > 0 else 1 / max(change.ci_high, 1e-12)
        return bool(np.isfinite(nearest)) and nearest >= self.thresholds.single_certain_ratio

    def growth_beside_idle(self, waiter: int) -> float:
        """Return by how many ns per second more a waiter waits while processors are idle or looking for work."""
        parts = self.occupancy.of(waiter).parts
        rates = [side.waits_of(waiter) / side.seconds for side in self.matched.sides]
        return sum(
            part.candidate_ns_per_wait * rates[1] - part.base_ns_per_wait * rates[0]
            for part in parts
            if part.occupant.culprit == WAKE_UP
        )
