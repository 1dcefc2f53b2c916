"""Find changes of a service's latency, load and gauges over time, and measure them on pooled histograms.

A step of a quantile (`change_point_scan`) is a change only if all requests before and after, pooled, differ by certainly more
than a floor. Quantiles that step together are one change, reported by the highest that shows it. Decisions are final: the
next scan starts at the last change. Gauges are scanned by minutes only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.changes.change_point_scan import (
    NOTHING_EARLIER,
    CellConditions,
    DetectedStep,
    EarlierCells,
    ScanScale,
    StepCriteria,
    find_steps,
    usual_deviations,
)
from slowpath.analysis.kinds.metrics.changes.quantile_ratio import (
    RatioReplicates,
    ServiceLevel,
    level_ratio,
    unpaired_ratio,
)
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells
from slowpath.analysis.kinds.metrics.samples.series_data import Values

SignalName = Literal["p50", "p90", "p99", "mean", "qps", "gauge"]
SignalKind = Literal["latency", "load", "gauge"]

QUANTILES: Final[dict[SignalName, float]] = {"p99": 0.99, "p90": 0.9, "p50": 0.5}
"""The highest first: it is closest to what users notice."""
LEAST_REQUESTS: Final[dict[SignalName, float]] = {"p99": 300, "p90": 50, "p50": 20, "mean": 20, "qps": 0, "gauge": 0}
"""Per cell: with fewer, a quantile depends on single requests."""
DEMANDS: Final[dict[SignalName, StepCriteria]] = {
    "p50": StepCriteria(float(np.log(1.2))),
    "p90": StepCriteria(float(np.log(1.2))),
    "p99": StepCriteria(float(np.log(1.25)), sureness=8.0, stray=2.0),
    "mean": StepCriteria(float(np.log(1.25)), sureness=7.0),
    "qps": StepCriteria(float(np.log(1.5)), sureness=7.0),
    "gauge": StepCriteria(float(np.log(1.5)), sureness=7.0),
}
FLOOR: Final = 1.10
"""Pooled, a change is certainly at least this, up or down."""
CONFIDENCE: Final = 0.95
CERTAIN: Final = 0.995
FAVOURED_MS: Final = 5 * MINUTE_MS
"""How long after a deployment a step is expected: instances are replaced one by one."""
TOGETHER_CELLS: Final = 5
BEFORE_CELLS: Final = 60
LEAST_SHARE: Final = 0.8
"""Share of the latest cells that must have enough requests."""
NEW_SERVICE_MS: Final = 25 * MINUTE_MS
"""Younger services are scanned in fine cells everywhere, not only at deployments."""
MINUTES: Final = ScanScale((6, 8, 10, 15, 20, 30, 40, 60), (3, 5, 10, 15, 20), 30, 8)


CellPart = slice | NDArray[np.bool_]
"""Cells: a range, or a mask [M]."""


@dataclass(frozen=True)
class LatencyChangePoint:
    """One change within low_ms..high_ms, most likely at `at_ms`; detected from samples until `seen_ms`.

    `before` and `after` are seconds, requests per second for `qps`, or values of a gauge; the interval of their ratio has
    95% confidence. Of a gauge that counts, one is added to both before the ratio is taken.
    """

    signal: SignalName
    at_ms: int
    low_ms: int
    high_ms: int
    seen_ms: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    gauge: str = ""
    """Metric of the signal `gauge`."""


def kind_of(signal: str) -> SignalKind:
    """Return what a signal measures."""
    return "load" if signal == "qps" else "gauge" if signal == "gauge" else "latency"


def scale_of(cell_ms: int, known_ms: int) -> ScanScale:
    """Return how to scan cells of a length; below a minute only at deployments, unless the service is new."""
    if cell_ms >= MINUTE_MS:
        return MINUTES
    expected = tuple(sorted({_cells(seconds, cell_ms) for seconds in (30, 60, 120, 300)}))
    ordinary = tuple(sorted({_cells(seconds, cell_ms) for seconds in (480, 900)})) if known_ms < NEW_SERVICE_MS else ()
    return ScanScale(ordinary, expected, _cells(240, cell_ms), max(6, _cells(40, cell_ms)), 86_400_000 // cell_ms)


def _cells(seconds: int, cell_ms: int) -> int:
    return max(3, round(seconds * 1000 / cell_ms))


@dataclass(frozen=True)
class ScanStart:
    """The newest known changes of latency, load and each gauge: earlier ones are decided and not scanned again."""

    latency_ms: int = 0
    load_ms: int = 0
    gauges_ms: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, known: Sequence[LatencyChangePoint]) -> "ScanStart":
        """Use the most likely positions.

        The ranges may end minutes later, and a deployment there needs a base.
        """
        newest: dict[tuple[SignalKind, str], int] = {}
        for each in known:
            key = kind_of(each.signal), each.gauge
            newest[key] = max(newest.get(key, 0), each.at_ms)
        gauges_ms = {gauge: at for (kind, gauge), at in newest.items() if kind == "gauge"}
        return cls(newest.get(("latency", ""), 0), newest.get(("load", ""), 0), gauges_ms)


def find_change_points(
    cells: ServiceCells,
    deploys_ms: Sequence[int],
    rng: Generator,
    since: ScanStart | None = None,
    minutes: ServiceCells | None = None,
) -> list[LatencyChangePoint]:
    """Find the changes of a service in its cells, in order.

    They are expected at deployments of it or its callees. `minutes`: of the hours before finer cells, from which bursts are
    learned. Two hours of fine cells miss the bursts of a service that has one in some hours, and take the next for a change.
    """
    start = since or ScanStart()
    favoured = _favoured(cells, deploys_ms)
    found: list[LatencyChangePoint] = []
    latency: list[SignalName] = list(QUANTILES) if cells.latency is not None else ["mean"]
    load: list[SignalName] = ["qps"]
    gauge: list[SignalName] = ["gauge"]
    scans = [(latency, start.latency_ms, ""), (load, start.load_ms, "")]
    scans += [(gauge, start.gauges_ms.get(metric, 0), metric) for metric in cells.gauges]
    for signals, since_ms, metric in scans:
        scanned = cells.of_gauge(metric)
        first = int(np.searchsorted(cells.times_ms - cells.cell_ms, since_ms))
        places = _places(scanned, favoured, signals, first, minutes)
        for number, place in enumerate(places):
            begin = places[number - 1].at if number else first
            end = places[number + 1].at if number + 1 < len(places) else len(cells.times_ms)
            change = _measure(scanned, signals, place, (begin, end), rng)
            if change is not None:
                found.append(replace(change, gauge=metric))
    return sorted(found, key=lambda change: (change.at_ms, change.signal))


def _favoured(cells: ServiceCells, deploys_ms: Sequence[int]) -> NDArray[np.bool_]:
    """[M] Return where a step is expected.

    A deployment before the first cell of a service is its start, not a step.
    """
    favoured = np.zeros(len(cells.times_ms), np.bool_)
    known = np.flatnonzero(np.isfinite(cells.requests))
    begins = int(cells.times_ms[known[0]]) if len(known) else 0
    least = scale_of(cells.cell_ms, 0).least_favoured_base * cells.cell_ms
    for at in deploys_ms:
        if at - begins >= least:
            favoured |= (cells.times_ms > at) & (cells.times_ms <= at + FAVOURED_MS + cells.cell_ms)
    return favoured


def remeasure_change_point(
    cells: ServiceCells, change: LatencyChangePoint, between_ms: tuple[int, int], rng: Generator
) -> LatencyChangePoint | None:
    """Measure the same change with new samples, between the changes before and after.

    None if it no longer holds.
    """
    index = [
        int(np.searchsorted(cells.times_ms, at, side="right"))
        for at in (change.at_ms, change.low_ms, change.high_ms, change.seen_ms, *between_ms)
    ]
    place = DetectedStep(index[0], index[1], index[2], index[3], change.ratio > 1)
    found = _measure(cells.of_gauge(change.gauge), [change.signal], place, (index[4], index[5]), rng)
    return None if found is None else replace(found, gauge=change.gauge)


def log_values(cells: ServiceCells, signal: SignalName) -> Values:
    """[M] Return the logarithm of a signal in each cell; NaN with too few requests."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if signal == "qps":
            values = np.where(cells.requests > 0, np.log(cells.requests), np.nan)
        elif signal == "gauge":
            values = np.log(cells.gauge.shifted) if cells.gauge is not None else np.full(len(cells.times_ms), np.nan)
        elif signal == "mean":
            values = np.log(cells.mean_s) if cells.mean_s is not None else np.full(len(cells.times_ms), np.nan)
            values = np.where(cells.requests >= LEAST_REQUESTS["mean"], values, np.nan)
        elif cells.latency is not None:
            values = np.log(cells.latency.quantiles(QUANTILES[signal]))
            values = np.where(cells.latency.requests >= LEAST_REQUESTS[signal], values, np.nan)
        else:
            values = np.full(len(cells.times_ms), np.nan)
    out: Values = np.where(np.isfinite(values), values, np.nan)
    return out


def _places(
    cells: ServiceCells,
    favoured: NDArray[np.bool_],
    signals: Iterable[SignalName],
    first: int,
    minutes: ServiceCells | None,
) -> list[DetectedStep]:
    """Return where any of the signals steps; simultaneous steps once, by the first signal."""
    steps: list[DetectedStep] = []
    for signal in signals:
        values = log_values(cells, signal)
        known = first + np.flatnonzero(_testable_cells(cells, values)[first:])
        if not len(known):
            continue
        scale = scale_of(cells.cell_ms, int(cells.times_ms[known[-1]] - cells.times_ms[known[0]]))
        last = len(known) - 1
        earlier = NOTHING_EARLIER if minutes is None else _earlier_cells(minutes, signal, cells, int(known[0]))
        conditions = CellConditions(favoured[known], _busy_cells(cells, signal)[known])
        for step in find_steps(values[known], conditions, scale, DEMANDS[signal], earlier):
            at, low, high = (int(known[min(k, last)]) for k in (step.at, step.low, step.high))
            seen = int(known[min(step.seen - 1, last)]) + 1  # the last cell that decided may be the newest
            steps.append(DetectedStep(at, low, high, seen, step.up))
    chosen: list[DetectedStep] = []
    for step in sorted(steps, key=lambda one: (one.seen, one.high - one.low)):
        if all(abs(step.at - other.at) > TOGETHER_CELLS for other in chosen):
            chosen.append(step)
    return sorted(chosen, key=lambda one: one.at)


def _earlier_cells(minutes: ServiceCells, signal: SignalName, cells: ServiceCells, first: int) -> EarlierCells:
    """Return the minutes before a finer cell, each as often as it has such cells."""
    values = log_values(minutes, signal)
    used = np.isfinite(values) & (minutes.times_ms <= cells.times_ms[first] - cells.cell_ms)
    deviations = usual_deviations(values[used], MINUTES, DEMANDS[signal])
    times = max(minutes.cell_ms // cells.cell_ms, 1)
    return EarlierCells(np.repeat(deviations, times), np.repeat(_busy_cells(minutes, signal)[used], times))


def _busy_cells(cells: ServiceCells, signal: SignalName) -> NDArray[np.bool_]:
    """[M] Return the cells with more requests than usual, by as much as a change of load; none for the load itself."""
    busy = np.zeros(len(cells.times_ms), np.bool_)
    load = log_values(cells, "qps")
    known = np.isfinite(load)
    if signal != "qps":
        busy[known] = usual_deviations(load[known], MINUTES, DEMANDS["qps"]) > DEMANDS["qps"].floor
    return busy


def _testable_cells(cells: ServiceCells, values: Values) -> NDArray[np.bool_]:
    """[M] Return the cells by which a signal is tested: known, and not only because they were busy.

    If quiet cells have too few requests for a quantile, the others are bursts and rush hours, and represent only those.
    """
    known, has_requests = np.isfinite(values), np.isfinite(cells.requests)
    running = np.cumsum(np.stack([known & has_requests, has_requests]), axis=1, dtype=np.float64)
    running[:, BEFORE_CELLS:] -= running[:, :-BEFORE_CELLS].copy()
    testable: NDArray[np.bool_] = known & (running[0] >= LEAST_SHARE * running[1])
    return testable


def _measure(
    cells: ServiceCells, signals: Sequence[SignalName], place: DetectedStep, inside: tuple[int, int], rng: Generator
) -> LatencyChangePoint | None:
    """Return the size of a change, by the first signal that shows it for certain; None if none does."""
    before = slice(max(inside[0], place.at - BEFORE_CELLS), place.low)
    after = slice(max(place.high, place.at), max(min(inside[1], place.at + 2 * BEFORE_CELLS), place.high))
    for signal in signals:
        replicates = compare_parts(cells, signal, before, after, rng)
        if replicates is None:
            continue
        is_certain = replicates.bound(1 - CERTAIN) > FLOOR if place.up else replicates.bound(CERTAIN) < 1 / FLOOR
        if not is_certain:
            continue
        offset = cells.gauge.offset if signal == "gauge" and cells.gauge is not None else 0.0
        edges = cells.times_ms - cells.cell_ms  # a step before a cell is at the start of that cell
        last = len(edges) - 1
        return LatencyChangePoint(
            signal,
            int(edges[place.at]),
            int(edges[place.low]),
            int(edges[min(place.high, last)]),
            int(cells.times_ms[min(max(place.seen - 1, 0), last)]),
            replicates.base_s - offset,
            replicates.candidate_s - offset,
            replicates.ratio,
            replicates.bound((1 - CONFIDENCE) / 2),
            replicates.bound((1 + CONFIDENCE) / 2),
        )
    return None


def compare_parts(
    cells: ServiceCells, signal: SignalName, before: CellPart, after: CellPart, rng: Generator
) -> RatioReplicates | None:
    """Compare a signal between two parts of the cells, with the uncertainty of the ratio; None if it is unknown."""
    if signal in QUANTILES and cells.latency is not None:
        sides = []
        for part in (before, after):
            mask = np.zeros(len(cells.times_ms), np.bool_)
            mask[part] = True
            sides.append(cells.latency.of(mask & cells.latency.known))
        return unpaired_ratio(sides[0], sides[1], QUANTILES[signal], 0.0, rng)
    over = cells.requests / (cells.cell_ms / 1000)
    if signal == "mean":
        over = cells.requests * cells.mean_s if cells.mean_s is not None else over * np.nan
    elif signal == "gauge":
        over = cells.gauge.shifted if cells.gauge is not None else over * np.nan
    by = cells.requests if signal == "mean" else np.ones(len(over))
    levels = []
    for part in (before, after):
        known = np.isfinite(over[part])
        levels.append(ServiceLevel(cells.times_ms[part][known], over[part][known], by[part][known]))
    return level_ratio(levels[0], levels[1], rng)
