"""Build the document of the page about execution traces.

It holds no events, and of the waits only the longest: the page of two sides stays below 1 MB compressed.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from slowpath.analysis.kinds.exec_traces import trace_page_groups as groups
from slowpath.analysis.kinds.exec_traces import trace_page_overview as whole
from slowpath.analysis.kinds.exec_traces.gc_summary import GcSide, gc_side
from slowpath.analysis.kinds.exec_traces.p_occupancy import OccupancyTable
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_page_blocked import blocked_time_of_one
from slowpath.analysis.kinds.exec_traces.trace_page_document import (
    FORMAT,
    GcSummaries,
    TracePage,
    TraceSides,
)
from slowpath.analysis.kinds.exec_traces.wait_significance import TestedWaiter
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide, match_waiters

_NO_DRAWS = 2


def page_of(
    matched: MatchedWaiters,
    judged: Mapping[int, TestedWaiter],
    occupancy: OccupancyTable,
    gc: tuple[GcSide, ...],
    labels: tuple[str, ...],
) -> TracePage:
    """Build the page of a comparison without blocked time; with one label, all of the candidate is None."""
    sides: tuple[WaiterSide, ...] = matched.sides[: len(labels)]
    rows = {name: whole.side_row(side, label) for name, side, label in zip(whole.SIDES, sides, labels, strict=False)}
    collected = {name: whole.gc_row(side, each) for name, side, each in zip(whole.SIDES, sides, gc, strict=False)}
    return TracePage(
        format=FORMAT,
        sides=TraceSides(rows.get("base"), rows.get("candidate")),
        groups=groups.group_rows(matched, judged),
        shift=groups.shift_rows(matched, judged),
        occupancy=groups.occupancy_rows(matched, occupancy),
        mmu=whole.mmu_curves(sides),
        gc=GcSummaries(collected.get("base"), collected.get("candidate")),
        series=whole.series_rows(sides),
        worst=whole.worst_rows(matched, sides),
    )


def page_of_one(artifact: TraceArtifact, label: str = "") -> TracePage:
    """Build the page of one trace: only the base is set."""
    matched = match_waiters([artifact], [])
    occupancy = OccupancyTable(matched, _NO_DRAWS, (np.random.default_rng(0), np.random.default_rng(0)))
    page = page_of(matched, {}, occupancy, (gc_side(matched.base),), (label or artifact.name,))
    return replace(page, blocked=blocked_time_of_one(matched.base))
