"""Everything that the page about traces draws, as plain JSON values: `slowpath.trace-comparison/1`.

No event and no wait but the worst ones travels: a page of two sets stays below a megabyte, packed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from slowpath.analysis.kinds.exec_traces import trace_page_groups as groups
from slowpath.analysis.kinds.exec_traces import trace_page_overview as whole
from slowpath.analysis.kinds.exec_traces.gc_summary import GcSide, gc_side
from slowpath.analysis.kinds.exec_traces.p_occupancy import OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide, match_waiters

FORMAT = "slowpath.trace-comparison/1"
_NO_DRAWS = 2


def page_of(
    matched: MatchedWaiters,
    judged: Mapping[int, TestedWaiter],
    blame: OccupancyTable,
    gc: tuple[GcSide, ...],
    labels: tuple[str, ...],
) -> dict[str, Any]:
    """The page of a comparison; with one side only, all that is the candidate's is None."""
    sides: tuple[WaiterSide, ...] = matched.sides[: len(labels)]
    rows = {name: whole.side_row(side, label) for name, side, label in zip(whole.SIDES, sides, labels, strict=False)}
    collected = {name: whole.gc_row(side, each) for name, side, each in zip(whole.SIDES, sides, gc, strict=False)}
    return {
        "format": FORMAT,
        "sides": {name: rows.get(name) for name in whole.SIDES},
        "groups": groups.group_rows(matched, judged),
        "shift": groups.shift_rows(matched, judged),
        "blame": groups.blame_rows(matched, blame),
        "mmu": whole.mmu_curves(sides),
        "gc": {name: collected.get(name) for name in whole.SIDES},
        "series": whole.series_rows(sides),
        "worst": whole.worst_rows(matched, sides),
    }


def page_of_one(artifact: TraceArtifact, label: str = "") -> dict[str, Any]:
    """The page of one trace alone: the same, with only a base."""
    matched = match_waiters([artifact], [])
    blame = OccupancyTable(matched, _NO_DRAWS, (np.random.default_rng(0), np.random.default_rng(0)))
    return page_of(matched, {}, blame, (gc_side(matched.base),), (label or artifact.name,))
