"""Find gaps of a panel and their reasons; gaps are never interpolated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.panels.time_grid import TimeGrid
from slowpath.analysis.kinds.metrics.rates.rate_windows import Mask
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData, Times

Panel = Literal["qps", "latency", "both"]

BEFORE_FIRST = "before the first sample"
AFTER_NEWEST = "no samples since"
SCRAPE_FAILED = "scrape failed: up was 0"
TARGET_GONE = "the target went away: its series ended"
RESTARTED = "restart: too few samples since"
NO_SAMPLES = "no samples"
NO_REQUESTS = "no requests"
NO_BUCKETS = "no histogram in these samples"


@dataclass(frozen=True)
class PanelGap:
    """A stretch without values, from the last value before it to the first one after it (or the panel's edges)."""

    from_ms: int
    to_ms: int
    reason: str
    panel: Panel


@dataclass(frozen=True, slots=True)
class ScrapeEvidence:
    """What is known about the samples around a gap. All times ascending, in milliseconds."""

    first_ms: int | None
    newest_ms: int | None
    down_ms: Times  # samples of `up` that were 0
    ended_ms: Times  # stale markers
    reset_ms: Times


def evidence_of(counters: Sequence[SeriesData], up: Sequence[SeriesData], resets: Sequence[Times]) -> ScrapeEvidence:
    """Collect the evidence from the counters of a service and the `up` of its targets."""
    ends = [(int(one.times_ms[0]), int(one.times_ms[-1])) for one in counters if len(one.times_ms)]
    down = [one.times_ms[one.values == 0] for one in up if one.values is not None]
    stale = [one.times_ms[gone] for one in counters if (gone := one.stale()).any()]
    return ScrapeEvidence(
        first_ms=min((first for first, _ in ends), default=None),
        newest_ms=max((last for _, last in ends), default=None),
        down_ms=_all(down),
        ended_ms=_all(stale),
        reset_ms=_all(resets),
    )


def _all(times: Sequence[Times]) -> Times:
    return np.unique(np.concatenate(times)) if times else np.zeros(0, np.int64)


def gaps_of(
    grid: TimeGrid, window_ms: int, qps: Mask | None, latency: Mask | None, evidence: ScrapeEvidence
) -> list[PanelGap]:
    """Return the gaps of both panels of a row.

    `qps` and `latency` are [P]: where there is a value; None: an empty panel. A gap of both panels is returned once;
    missing latency alone means no requests, or no histogram.
    """
    gaps = []
    has_qps = qps if qps is not None else np.zeros(grid.points, np.bool_)
    for a, b in _runs(~has_qps) if qps is not None else []:
        gaps.append(_gap(grid, a, b, _reason(grid, window_ms, a, b, evidence), "qps" if latency is None else "both"))
    if latency is not None:
        for a, b in _runs(~latency & (has_qps if qps is not None else True)):
            reason = NO_REQUESTS if qps is not None else _reason(grid, window_ms, a, b, evidence)
            gaps.append(_gap(grid, a, b, reason, "latency"))
    return sorted(gaps, key=lambda gap: (gap.from_ms, gap.panel))


def without_histogram(gaps: Sequence[PanelGap], grid: TimeGrid, busy: Mask) -> list[PanelGap]:
    """Replace "no requests" by "no histogram" where requests were counted all the time."""
    out = []
    for gap in gaps:
        a, b = (gap.from_ms - grid.from_ms) // grid.step_ms, (gap.to_ms - grid.from_ms) // grid.step_ms
        is_busy = gap.reason == NO_REQUESTS and bool(busy[max(a, 0) : b + 1].all())
        out.append(replace(gap, reason=NO_BUCKETS) if is_busy else gap)
    return out


def _runs(missing: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first and last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], missing, [False]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _gap(grid: TimeGrid, a: int, b: int, reason: str, panel: Panel) -> PanelGap:
    start = grid.from_ms + max(a - 1, 0) * grid.step_ms
    end = grid.from_ms + min(b + 1, grid.points - 1) * grid.step_ms
    return PanelGap(start, end, reason, panel)


def _reason(grid: TimeGrid, window_ms: int, a: int, b: int, evidence: ScrapeEvidence) -> str:
    """Return the most specific reason for columns a..b: edges of the known range first, then the samples."""
    start, end = grid.from_ms + a * grid.step_ms - window_ms, grid.from_ms + b * grid.step_ms
    if _within(evidence.down_ms, start, end):
        return SCRAPE_FAILED
    if evidence.first_ms is None or end < evidence.first_ms + window_ms:
        return BEFORE_FIRST
    if _within(evidence.ended_ms, start, end):
        return TARGET_GONE
    if _within(evidence.reset_ms, start, end + window_ms):
        return RESTARTED
    if evidence.newest_ms is not None and b == grid.points - 1 and evidence.newest_ms <= end:
        return AFTER_NEWEST
    return NO_SAMPLES


def _within(times: Times, start: int, end: int) -> bool:
    return bool(np.searchsorted(times, end, side="right") > np.searchsorted(times, start))
