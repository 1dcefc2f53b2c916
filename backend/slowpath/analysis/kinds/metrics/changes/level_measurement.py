"""Measure what the newest samples of a service show of a change of latency, load or a gauge: whether it persists, or is over.

Persistence uses only cells after those by which the change was detected, so it is an independent observation. Recovery is
a test of equivalence: the ratio of the recent level to that before the change, by the same bootstrap as the detection,
must certainly be below a floor (of load and gauges: certainly nearer to the level before than to that after).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    CONFIDENCE,
    LEAST_REQUESTS,
    QUANTILES,
    LatencyChangePoint,
    compare_parts,
    log_values,
)
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells
from slowpath.analysis.stats.histogram_cells import pooled_quantile

BEFORE_MS: Final = 60 * MINUTE_MS
LEAST_RECENT_CELLS: Final = 5
SPARK_SIDE: Final = 22
"""Values of a sparkline before and after a change."""


@dataclass(frozen=True)
class Sparkline:
    """Values of a signal around a change, None where unknown; `levels` are before and after `step_at`."""

    values: tuple[float | None, ...]
    step_at: int
    levels: tuple[float, float]


@dataclass(frozen=True)
class LevelMeasurement:
    """What the newest samples show. Latency in seconds; None where there are too few samples."""

    persists: bool | None = None
    """Whether the samples after the detection are nearer to the level after the change than to that before."""
    recent_ratio: float | None = None
    """Of the recent level to the level before."""
    recent_ratio_high: float | None = None
    """Upper bound of its 95% confidence interval."""
    recent_ratio_low: float | None = None
    """Lower bound of its 95% confidence interval."""
    load_share: float | None = None
    """Recent requests per second, as a share of those before."""
    requests_per_second: float | None = None
    """After the change."""
    added_mean_s: float | None = None
    """By which the mean rose with the change."""
    sparkline: Sparkline | None = None


def measure_level(
    grids: Sequence[ServiceCells], change: LatencyChangePoint, recent_from_ms: int, rng: Generator
) -> LevelMeasurement:
    """Measure a change by cells of a minute, and whether it persists also by finer ones.

    `grids`: minutes first. `recent_from_ms`: the begin of the time that is compared with the time before the change.
    """
    if not grids:
        return LevelMeasurement()
    grids = [each.of_gauge(change.gauge) for each in grids]
    minutes = grids[0]
    begins = minutes.times_ms - minutes.cell_ms
    before = (begins >= change.low_ms - BEFORE_MS) & (minutes.times_ms <= change.low_ms)
    after, recent = begins >= change.high_ms, begins >= recent_from_ms
    found = [each for each in (_persists(cells, change) for cells in reversed(grids)) if each is not None]
    ratio = _recent_ratio(minutes, change, (before, recent), rng)
    former, current = _rate(minutes, before), _rate(minutes, recent)
    means = _mean_s(minutes, before), _mean_s(minutes, after)
    return LevelMeasurement(
        persists=found[0] if found else None,
        recent_ratio=None if ratio is None else ratio[0],
        recent_ratio_high=None if ratio is None else ratio[1],
        recent_ratio_low=None if ratio is None else ratio[2],
        load_share=current / former if former and current is not None else None,
        requests_per_second=_rate(minutes, after),
        added_mean_s=means[1] - means[0] if means[0] is not None and means[1] is not None else None,
        sparkline=_sparkline(minutes, change),
    )


def _persists(cells: ServiceCells, change: LatencyChangePoint) -> bool | None:
    fresh = cells.times_ms - cells.cell_ms >= change.seen_ms
    if change.signal != "gauge":
        fresh &= np.isfinite(cells.requests)
    level, offset = _pooled_level(cells, change, fresh), _offset(cells, change)
    before, after = change.before + offset, change.after + offset
    if level is None or before <= 0 or after <= 0:
        return None
    return (level > float(np.sqrt(before * after))) == (after > before)


def _offset(cells: ServiceCells, change: LatencyChangePoint) -> float:
    return cells.gauge.offset if change.signal == "gauge" and cells.gauge is not None else 0.0


def _pooled_level(cells: ServiceCells, change: LatencyChangePoint, part: NDArray[np.bool_]) -> float | None:
    """Return the signal of all requests of some cells, in its unit; of a gauge, with its offset."""
    if change.signal in ("qps", "gauge"):
        values = np.exp(log_values(cells, change.signal)[part])
        values = values[np.isfinite(values)]
        scale = 1000 / cells.cell_ms if change.signal == "qps" else 1.0
        return float(values.mean()) * scale if len(values) else None
    if change.signal not in QUANTILES:
        return _mean_s(cells, part) if cells.requests[part].sum() >= LEAST_REQUESTS["mean"] else None
    if cells.latency is None:
        return None
    counts = np.nan_to_num(cells.latency.counts[part]).sum(axis=0, keepdims=True)
    if counts.sum() < LEAST_REQUESTS[change.signal]:
        return None
    level_s = float(pooled_quantile(counts, cells.latency.bounds, QUANTILES[change.signal])[0])
    return level_s if np.isfinite(level_s) and level_s > 0 else None


def _recent_ratio(
    cells: ServiceCells, change: LatencyChangePoint, parts: tuple[NDArray[np.bool_], NDArray[np.bool_]], rng: Generator
) -> tuple[float, float, float] | None:
    """Return the ratio of the recent level to that before, and the upper and lower bound of its interval."""
    known = np.isfinite(log_values(cells, change.signal))
    before, recent = (part & known for part in parts)
    if min(before.sum(), recent.sum()) < LEAST_RECENT_CELLS:
        return None
    found = compare_parts(cells, change.signal, before, recent, rng)
    if found is None:
        return None
    return found.ratio, found.bound((1 + CONFIDENCE) / 2), found.bound((1 - CONFIDENCE) / 2)


def _rate(cells: ServiceCells, part: NDArray[np.bool_]) -> float | None:
    known = part & np.isfinite(cells.requests)
    return float(cells.requests[known].mean() / (cells.cell_ms / 1000)) if known.any() else None


def _mean_s(cells: ServiceCells, part: NDArray[np.bool_]) -> float | None:
    if cells.mean_s is None:
        return None
    known = part & np.isfinite(cells.mean_s) & (cells.requests > 0)
    requests = cells.requests[known]
    return float((cells.mean_s[known] * requests).sum() / requests.sum()) if known.any() else None


def _sparkline(cells: ServiceCells, change: LatencyChangePoint) -> Sparkline:
    values = np.exp(log_values(cells, change.signal)) - _offset(cells, change)
    if change.signal == "qps":
        values *= 1000 / cells.cell_ms  # per second, as its levels
    step = int(np.searchsorted(cells.times_ms - cells.cell_ms, change.at_ms))
    first, last = max(0, step - SPARK_SIDE), min(len(values), step + SPARK_SIDE)
    shown = tuple(float(value) if np.isfinite(value) else None for value in values[first:last])
    return Sparkline(shown, step - first, (change.before, change.after))
