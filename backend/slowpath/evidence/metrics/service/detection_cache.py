"""Cache of scanned minutes, so that a scan reads only new samples instead of hours.

A cache miss is read from the database. Minutes are cached when they are settled; later samples appear on the dashboard and
in a restarted process, but no decision is made again.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.panels.gauge_cells import chosen_gauges, joined_gauges
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells
from slowpath.analysis.kinds.metrics.samples.series_data import Values
from slowpath.analysis.stats.histogram_cells import HistogramCells, same_bounds

SETTLED_MS: Final = 2 * MINUTE_MS
"""Age at which a minute is settled and cached."""
MARGIN_MS: Final = 5 * MINUTE_MS
"""Time before the first new cell whose samples determine the counters at its edge."""
MOST_SERVICES: Final = 2_000
"""Maximum number of cached services, about 100 kB each; the least recently used is evicted."""


@dataclass(frozen=True)
class SettledCells:
    """Settled minutes of a service, and the time of its first sample (0 if before all samples read)."""

    minutes: ServiceCells
    first_ms: int

    @property
    def until_ms(self) -> int:
        """End of the last minute."""
        return int(self.minutes.times_ms[-1])


class DetectionCache:
    """Minutes by team, environment and service. A new `epoch`, after series are deleted, invalidates all."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._lock = threading.Lock()
        self._services: OrderedDict[tuple[UUID, UUID, UUID], tuple[int, SettledCells]] = OrderedDict()

    def of(self, key: tuple[UUID, UUID, UUID], epoch: int, from_ms: int) -> SettledCells | None:
        """Return the cached minutes if they start at `from_ms` or at the service's first sample."""
        with self._lock:
            known = self._services.get(key)
        if known is None or known[0] != epoch:
            return None
        begins = int(known[1].minutes.times_ms[0]) - MINUTE_MS
        return known[1] if begins <= from_ms + MINUTE_MS else None

    def keep(
        self, key: tuple[UUID, UUID, UUID], epoch: int, cells: ServiceCells, first_ms: int, newest_ms: int
    ) -> None:
        """Cache the minutes that are settled at `newest_ms`."""
        settled = cells.times_ms <= newest_ms - SETTLED_MS
        with self._lock:
            self._services.pop(key, None)
            if settled.any():
                self._services[key] = epoch, SettledCells(chosen(cells, settled), first_ms)
            while len(self._services) > MOST_SERVICES:
                self._services.popitem(last=False)

    def forget(self, key: tuple[UUID, UUID, UUID]) -> None:
        """Remove a service from the cache."""
        with self._lock:
            self._services.pop(key, None)


def chosen(cells: ServiceCells, mask: NDArray[np.bool_]) -> ServiceCells:
    """Return only these cells [M]."""
    return ServiceCells(
        cells.times_ms[mask],
        cells.cell_ms,
        None if cells.latency is None else cells.latency.of(mask),
        cells.requests[mask],
        None if cells.mean_s is None else cells.mean_s[mask],
        chosen_gauges(cells.gauges, mask),
    )


def joined(before: ServiceCells, after: ServiceCells, from_ms: int) -> ServiceCells | None:
    """Append new cells to cached ones, from `from_ms` on; None if their histograms are incompatible."""
    before = chosen(before, before.times_ms > from_ms)
    after = chosen(after, after.times_ms > (before.times_ms[-1] if len(before.times_ms) else from_ms))
    times = np.concatenate((before.times_ms, after.times_ms))
    latency = None
    if before.latency is not None or after.latency is not None:
        if before.latency is None or after.latency is None:
            return None
        shared = same_bounds(before.latency, after.latency)
        if shared is None:
            return None
        latency = HistogramCells(times, shared[0].bounds, np.concatenate((shared[0].counts, shared[1].counts)))
    return ServiceCells(
        times,
        before.cell_ms,
        latency,
        np.concatenate((before.requests, after.requests)),
        _joined_means(before, after),
        joined_gauges(before.gauges, after.gauges, (len(before.times_ms), len(after.times_ms))),
    )


def _joined_means(before: ServiceCells, after: ServiceCells) -> Values | None:
    if before.mean_s is None and after.mean_s is None:
        return None
    parts = [np.full(len(each.times_ms), np.nan) if each.mean_s is None else each.mean_s for each in (before, after)]
    out: Values = np.concatenate(parts)
    return out
