"""What a window of a service's metrics holds: its latency in cells of time, its requests, its instances."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.metrics.histogram_cells import HistogramCells
from slowpath.analysis.metrics.panels import ServiceSamples
from slowpath.analysis.metrics.service_cells import MINUTE_MS, service_cells

CELLS_MAX: Final = 720
"""A longer window has longer cells: what is drawn from them a thousand times stays small."""


@dataclass(frozen=True)
class LatencyWindow:
    """Latency of one service from `from_ms` to `to_ms`: known cells only, None without a histogram.

    `instances` is how many the histograms name, None when they name none.
    """

    service: str
    environment: str
    from_ms: int
    to_ms: int
    cell_ms: int
    latency: HistogramCells | None
    instances: int | None

    @property
    def requests(self) -> int:
        """Requests whose latency is known."""
        return 0 if self.latency is None else round(float(self.latency.requests.sum()))

    @property
    def known_ms(self) -> int:
        """How much of the window is known."""
        return 0 if self.latency is None else len(self.latency.times_ms) * self.cell_ms

    @property
    def per_second(self) -> float:
        """Requests a second while anything is known; 0 when nothing is."""
        return self.requests * 1000 / self.known_ms if self.known_ms else 0.0


def latency_window(samples: ServiceSamples, service: str, environment: str, from_ms: int, to_ms: int) -> LatencyWindow:
    """Cut a window out of a service's samples, which should reach some scrapes beyond it on either side."""
    cell_ms = MINUTE_MS * max(1, -(-(to_ms - from_ms) // (CELLS_MAX * MINUTE_MS)))
    latency = service_cells(samples, from_ms, to_ms, cell_ms).latency
    known = latency.between(from_ms, to_ms) if latency is not None else None
    return LatencyWindow(service, environment, from_ms, to_ms, cell_ms, known, _instances(samples, from_ms, to_ms))


def _instances(samples: ServiceSamples, from_ms: int, to_ms: int) -> int | None:
    names = {
        samples.instance_of(one.labels)
        for one in (*samples.natives, *samples.buckets)
        if np.any((one.times_ms > from_ms) & (one.times_ms <= to_ms))
    }
    return len(names - {None}) or None
