"""Build the page's parts about complete traces: sides, garbage collection, series over time, longest waits."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.gc_summary import GcSide, common_windows, stops_by_reason, utilisation
from slowpath.analysis.kinds.exec_traces.group_names import normalised
from slowpath.analysis.kinds.exec_traces.load_estimate import request_rate
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_page_document import (
    GcSummary,
    GroupAssist,
    LongestWait,
    MutatorUtilization,
    SeriesLevel,
    StopTheWorld,
    TraceFacts,
    TraceSeries,
    TraceSide,
    TraceSideName,
    WaitOccupant,
)
from slowpath.analysis.kinds.exec_traces.trace_page_groups import rounded
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.wait_causes import current_verdict
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters, WaiterSide

F64 = NDArray[np.float64]

SIDES: Final[tuple[TraceSideName, ...]] = ("base", "candidate")
WORST_OF_SIDE = 30
# Number of them reserved for the longest waits of the waiters that waited most: a thundering herd would displace them.
WAITERS_WITH_THEIR_OWN = 10
WORST_OF_WAITER = 2
MOST_ASSISTING = 12
MOST_BINS = 1_024
# Limit for all traces together, so that the page stays below 1 MB.
MOST_BINS_OF_ALL = 6_144
_MOST_FRAMES = 24
_MOST_CLASSES = 8


def side_row(side: WaiterSide, label: str) -> TraceSide:
    """Summarize one side."""
    requests = request_rate(side)
    return TraceSide(
        label=label,
        traces=[_trace(artifact) for artifact in side.artifacts],
        duration_ns=sum(table.header.duration_ns for table in side.traces),
        wakes_per_second=rounded(float(side.waits.sum()) / side.seconds),
        wait_seconds_per_second=rounded(float(side.total_ns.sum()) / 1e9 / side.seconds),
        requests_per_second=rounded(requests) if requests else None,
        wait_ns_per_request=rounded(float(side.total_ns.sum()) / side.seconds / requests) if requests else None,
    )


def _trace(artifact: TraceArtifact) -> TraceFacts:
    header = artifact.table.header
    return TraceFacts(
        artifact=artifact.id,
        name=artifact.name,
        duration_ns=header.duration_ns,
        gomaxprocs=header.procs.most,
        events=header.events,
        header_version=header.header_version,
        lost=header.lost,
        recording=header.recording,
        warnings=header.warnings,
        cpu_samples=header.cpu_samples,
        wall_start_ns=header.wall_start_ns,
    )


def mmu_curves(sides: tuple[WaiterSide, ...]) -> MutatorUtilization:
    """Return minimum mutator utilization by window: the mean over a side's traces, least and most."""
    windows = common_windows(sides)
    curves: dict[str, list[float] | None] = {}
    for place, name in enumerate(SIDES):
        values = utilisation(sides[place], windows) if place < len(sides) else None
        for suffix, of in (("", np.mean), ("_low", np.min), ("_high", np.max)):
            curves[name + suffix] = None if values is None else [rounded(v) for v in of(values, axis=0).tolist()]
    return MutatorUtilization(window_ns=windows.tolist(), **curves)


def gc_row(side: WaiterSide, gc: GcSide) -> GcSummary:
    """Summarize garbage collection on one side, per second where amounts add up."""
    totals = [table.header.gc for table in side.traces]
    assisting = sorted(gc.assist_by_group.items(), key=lambda item: (-item[1], item[0]))[:MOST_ASSISTING]
    return GcSummary(
        cycles_per_second=rounded(gc.cycles_per_second),
        cpu_fraction=rounded(gc.cpu.part),
        mark_wall_share=rounded(sum(each.mark_wall_ns for each in totals) / 1e9 / side.seconds),
        idle_ns_per_second=rounded(sum(each.idle_ns for each in totals) / side.seconds),
        assist_ns_per_second=rounded(sum(each.assist_ns for each in totals) / side.seconds),
        stw=[_stops(reason, lengths) for reason, lengths in sorted(stops_by_reason(side).items())],
        assist_by_group=[GroupAssist(group, rounded(ns)) for group, ns in assisting],
        heap_live_max=max((each.heap_live_max for each in totals), default=0),
        heap_goal_max=max((each.heap_goal_max for each in totals), default=0),
        allocated_bytes_per_second=rounded(sum(each.allocated_bytes for each in totals) / side.seconds),
    )


def _stops(reason: str, lengths: F64) -> StopTheWorld:
    return StopTheWorld(
        reason=reason,
        count=len(lengths),
        p50_ns=round(float(np.quantile(lengths, 0.5))),
        p99_ns=round(float(np.quantile(lengths, 0.99))),
        max_ns=round(float(lengths.max())),
        total_ns=round(float(lengths.sum())),
    )


def series_rows(sides: tuple[WaiterSide, ...]) -> list[TraceSeries]:
    """Return states and counts over time, one row per trace, in few enough bins to be drawn and sent."""
    traces = sum(len(side.artifacts) for side in sides)
    most = min(MOST_BINS, max(MOST_BINS_OF_ALL // max(traces, 1), 64))
    return [
        _series(name, artifact, most) for name, side in zip(SIDES, sides, strict=False) for artifact in side.artifacts
    ]


def _series(side: TraceSideName, artifact: TraceArtifact, most: int) -> TraceSeries:
    table = artifact.table
    bins = max((len(each) for each in table.series.values()), default=0)
    level, group = 0, 1
    while bins / group > most:
        level, group = level + 1, group * 4
    columns: dict[str, list[float] | SeriesLevel] = {}
    for each in table.header.series:
        if each.of == "level":
            columns[each.name] = SeriesLevel(
                mean=_binned(table.series[f"{each.name}_mean"], group, "mean"),
                max=_binned(table.series[f"{each.name}_max"], group, "max"),
            )
        else:
            columns[each.name] = _binned(table.series[each.name], group, "sum")
    return TraceSeries(
        side=side,
        artifact=artifact.id,
        name=artifact.name,
        bin_ns=table.header.bin_ns * group,
        duration_ns=table.header.duration_ns,
        level=level,
        columns=columns,
    )


def _binned(values: NDArray[np.float32], group: int, how: str) -> list[float]:
    """Return bins joined in groups; the last group may have fewer."""
    if not len(values):
        return []
    starts = np.arange(0, len(values), group)
    wide = values.astype(np.float64)
    if how == "max":
        joined = np.maximum.reduceat(wide, starts)
    else:
        joined = np.add.reduceat(wide, starts)
        if how == "mean":
            joined = joined / np.diff(np.append(starts, len(values)))
    return [_short(value) for value in joined.tolist()]


def _short(value: float) -> float:
    """Round to three significant digits, whole numbers without a point: enough to draw a line."""
    short = float(f"{value:.3g}")
    return int(short) if short == int(short) else short


def worst_rows(matched: MatchedWaiters, sides: tuple[WaiterSide, ...]) -> list[LongestWait]:
    """Return the longest waits of each side; some are of each of the waiters that waited most."""
    rows = []
    for name, side in zip(SIDES, sides, strict=False):
        found = sorted(
            (-int(table.worst.end_ns[index] - table.worst.start_ns[index]), place, index)
            for place, table in enumerate(side.traces)
            for index in range(len(table.worst.waiter))
        )
        numbers = [int(side.rows[place][int(side.traces[place].worst.waiter[index])]) for _, place, index in found]
        for at in _longest_of_side(numbers):
            _, place, index = found[at]
            waiter = matched.waiters[numbers[at]]
            rows.append(_wait(name, side.artifacts[place], index, waiter.subject))
    return rows


def _longest_of_side(waiters: list[int]) -> list[int]:
    """Return which waits of a side to show; they are given by the numbers of their waiters, longest first."""
    own: list[int] = []
    for waiter in range(WAITERS_WITH_THEIR_OWN):
        own += [at for at, number in enumerate(waiters) if number == waiter][:WORST_OF_WAITER]
    others = [at for at in range(len(waiters)) if at not in own]
    return sorted(own + others[: WORST_OF_SIDE - len(own)])


def _wait(side: TraceSideName, artifact: TraceArtifact, index: int, waiter: str) -> LongestWait:
    table, worst = artifact.table, artifact.table.worst
    return LongestWait(
        side=side,
        artifact=artifact.id,
        name=artifact.name,
        index=index,
        goroutine=int(worst.goroutine[index]),
        start_ns=int(worst.start_ns[index]),
        duration_ns=int(worst.end_ns[index] - worst.start_ns[index]),
        queue_ahead=int(worst.queue_ahead[index]),
        overtakes=int(worst.overtakes[index]),
        waker=None
        if int(worst.waker_group[index]) == NONE
        else normalised(table.group_names[int(worst.waker_group[index])]),
        waker_goroutine=int(worst.waker_goroutine[index]),
        proc=int(worst.proc[index]),
        verdict=current_verdict(table.strings[int(worst.verdict[index])]),
        occupancy=_wait_occupancy(table, index),
        block_stack=table.stack(int(worst.block_stack[index]))[:_MOST_FRAMES],
        waker_stack=table.stack(int(worst.waker_stack[index]))[:_MOST_FRAMES],
        has_detail=bool(np.any(table.tiles.worst == index)),
        waiter=waiter,
    )


def _wait_occupancy(table: TraceTable, index: int) -> list[WaitOccupant]:
    """Return the P occupancy during one wait: the largest parts, and the sum of the others."""
    begin, end = int(table.worst_occupancy_offset[index]), int(table.worst_occupancy_offset[index + 1])
    parts = sorted(
        zip(
            table.worst_occupancy.class_[begin:end].tolist(), table.worst_occupancy.ns[begin:end].tolist(), strict=True
        ),
        key=lambda part: -part[1],
    )
    rows: list[WaitOccupant] = []
    for number, ns in parts[:_MOST_CLASSES]:
        kind, group = table.class_kinds[number], table.class_groups[number]
        named = None if group is None else normalised(group)
        rows.append(
            {"class": kind if named is None else f"{kind}|{named}", "kind": kind, "group": named, "ns": round(ns)}
        )
    rest = sum(ns for _, ns in parts[_MOST_CLASSES:])
    if rest:
        rows.append({"class": "(other)", "kind": "other", "group": None, "ns": round(rest)})
    return rows
