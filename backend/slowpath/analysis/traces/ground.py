"""What all findings of one comparison stand on."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings import Change
from slowpath.analysis.traces.blame import BlameTable
from slowpath.analysis.traces.costs import Costs
from slowpath.analysis.traces.judging import Judged
from slowpath.analysis.traces.thresholds import TraceThresholds
from slowpath.analysis.traces.victims import Matched


@dataclass(frozen=True)
class Ground:
    """The matched victims, what was decided about each, who is to blame, what it costs, and the thresholds."""

    matched: Matched
    judged: Mapping[int, Judged]
    blame: BlameTable
    costs: Costs
    thresholds: TraceThresholds

    def certain(self, change: Change) -> bool:
        """Whether to rely on it: with one trace on a side, only far beyond what runs of one binary differ by."""
        if min(len(side.artifacts) for side in self.matched.sides) > 1:
            return True
        if change.of == "difference":
            return False
        nearest = change.low if change.difference > 0 else 1 / max(change.high, 1e-12)
        return bool(np.isfinite(nearest)) and nearest >= self.thresholds.single_certain_ratio
