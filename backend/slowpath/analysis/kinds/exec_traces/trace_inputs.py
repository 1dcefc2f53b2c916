"""What all findings of one comparison stand on."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.findings import Effect
from slowpath.analysis.kinds.exec_traces.p_occupancy import WAKE_UP, OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.exec_traces.wait_costs import WaitCosts
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters
from slowpath.analysis.kinds.exec_traces.waiting_rates import WaitingRates


@dataclass(frozen=True)
class TraceComparisonInputs:
    """The matched victims, what was decided about each and about all, who is to blame, what it costs, the thresholds."""

    matched: MatchedWaiters
    judged: Mapping[int, TestedWaiter]
    blame: OccupancyTable
    costs: WaitCosts
    waiting: WaitingRates
    thresholds: TraceThresholds

    def certain(self, change: Effect) -> bool:
        """Whether to rely on it: with one trace on a side, only far beyond what runs of one binary differ by.

        Not at all where the machine was short of CPU for nearly the whole recording.
        """
        if not self.matched.enough_clean:
            return False
        if min(len(side.artifacts) for side in self.matched.sides) > 1:
            return True
        if change.ci_of == "difference":
            return False
        nearest = change.ci_low if change.difference > 0 else 1 / max(change.ci_high, 1e-12)
        return bool(np.isfinite(nearest)) and nearest >= self.thresholds.single_certain_ratio

    def growth_beside_idle(self, victim: int) -> float:
        """By how many ns more in each second a victim waits while processors are idle or look for work."""
        parts = self.blame.of(victim).parts
        rates = [side.waits_of(victim) / side.seconds for side in self.matched.sides]
        return sum(
            part.candidate_ns_per_wait * rates[1] - part.base_ns_per_wait * rates[0]
            for part in parts
            if part.holder.culprit == WAKE_UP
        )
