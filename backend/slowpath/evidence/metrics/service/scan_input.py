"""Inputs and results of a scan for change points."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.change_attribution import (
    ChangeCause,
)
from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    LatencyChangePoint,
    SignalName,
)
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.evidence.metrics.service.detection_cache import SettledCells
from slowpath.evidence.metrics.tables import MetricChangePoint
from slowpath.inventory.catalog.tables import Deployment


@dataclass(frozen=True)
class ScannedService:
    """One scanned service: its samples since the cached minutes, or of the complete scan range."""

    service_id: ServiceId
    samples: ServiceSamples
    remembered: SettledCells | None
    deploys: Sequence[Deployment]
    callees: frozenset[ServiceId]
    callers: frozenset[ServiceId]
    known: Sequence[MetricChangePoint]
    newest_ms: int
    """Newest sample: of a service that is queried live its own, or else that of the environment."""
    watched_ms: int
    """End of the last scan that could read the service."""


@dataclass(frozen=True)
class ScanInput:
    """Input of a scan of an environment: samples in from_ms..newest_ms; those up to `watched_ms` were scanned before."""

    environment_id: EnvironmentId
    epoch: int
    from_ms: int
    newest_ms: int
    watched_ms: int
    minutes_ms: int
    services: Sequence[ScannedService]
    recognised: dashboard_samples.EnvironmentSignals

    @property
    def minutes_due(self) -> bool:
        """Whether a minute has passed since all services were scanned minute by minute."""
        return self.newest_ms - self.minutes_ms >= MINUTE_MS


@dataclass(frozen=True)
class DetectedChangePoint:
    """A change point of a service, new or measured again, and its cause."""

    service_id: ServiceId
    change: LatencyChangePoint
    row_id: UUID | None = None
    explained: ChangeCause[UUID, ServiceId] = field(default_factory=lambda: ChangeCause("unexplained"))
    load_share: float = 0.0


def change_point_from_row(row: MetricChangePoint) -> LatencyChangePoint:
    """Return the change point of a row."""
    return LatencyChangePoint(
        cast("SignalName", row.signal),
        row.at_ms,
        row.earliest_ms,
        row.latest_ms,
        row.detected_ms,
        row.before,
        row.after,
        row.ratio,
        row.ratio_low,
        row.ratio_high,
        row.gauge,
    )
