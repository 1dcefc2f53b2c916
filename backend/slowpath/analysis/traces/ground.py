"""What all findings of one comparison stand on."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings import Change
from slowpath.analysis.traces.blame import WAKE_UP, BlameTable
from slowpath.analysis.traces.costs import Costs
from slowpath.analysis.traces.judging import Judged
from slowpath.analysis.traces.thresholds import TraceThresholds
from slowpath.analysis.traces.victims import Matched
from slowpath.analysis.traces.waiting import Waiting


@dataclass(frozen=True)
class Ground:
    """The matched victims, what was decided about each and about all, who is to blame, what it costs, the thresholds."""

    matched: Matched
    judged: Mapping[int, Judged]
    blame: BlameTable
    costs: Costs
    waiting: Waiting
    thresholds: TraceThresholds

    def certain(self, change: Change) -> bool:
        """Whether to rely on it: with one trace on a side, only far beyond what runs of one binary differ by.

        Not at all where the machine was short of CPU for nearly the whole recording.
        """
        if not self.matched.enough_clean:
            return False
        if min(len(side.artifacts) for side in self.matched.sides) > 1:
            return True
        if change.of == "difference":
            return False
        nearest = change.low if change.difference > 0 else 1 / max(change.high, 1e-12)
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
