"""Cut a time range out of a service's metrics."""

from typing import Final

import numpy as np

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, service_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples

CELLS_MAX: Final = 720
"""A longer range has longer cells, which limits the size of resampling."""


def latency_window(samples: ServiceSamples, service: str, environment: str, from_ms: int, to_ms: int) -> LatencyWindow:
    """Cut a time range out of a service's samples, which should exceed it by some scrapes on either side."""
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
