"""Read the cells of a service around a change of its latency, load or a gauge, and until now."""

from typing import Final

from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint
from slowpath.analysis.kinds.metrics.changes.level_measurement import BEFORE_MS
from slowpath.analysis.kinds.metrics.panels.service_cells import (
    MINUTE_MS,
    ServiceCells,
    finest_cell_ms,
    service_cells,
)
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.evidence.metrics.rules import HOUR_MS
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.detection_cache import MARGIN_MS, joined

AROUND_MS: Final = 30 * MINUTE_MS
"""Time after a change that is read for its sparkline and its load."""
WHOLE_MS: Final = 3 * HOUR_MS
"""Until this long after a change, all samples since are read; later, those around it and the newest."""
NEWEST_MS: Final = 20 * MINUTE_MS
FINE_MS: Final = 20 * MINUTE_MS
"""Since the detection of a change, fine cells are read for this long: they show earlier whether it persists."""


def read_cells(
    session: ReadSession, recognised: EnvironmentSignals, service_id: ServiceId, change: LatencyChangePoint
) -> list[ServiceCells]:
    """Return the minutes around a change and the newest ones, and fine cells while it is new; none without samples."""
    newest_ms = recognised.newest_ms or 0
    from_ms = change.low_ms - BEFORE_MS - MINUTE_MS
    if newest_ms - change.at_ms <= WHOLE_MS:
        minutes = _read(session, recognised, service_id, from_ms, newest_ms)
    else:
        around = _read(session, recognised, service_id, from_ms, change.high_ms + AROUND_MS)
        newest = _read(session, recognised, service_id, newest_ms - NEWEST_MS, newest_ms)
        minutes = joined(around, newest, from_ms) if around is not None and newest is not None else None
    if minutes is None:
        return []
    if newest_ms - change.seen_ms > FINE_MS:
        return [minutes]
    fine_from_ms = max(from_ms, change.seen_ms - MINUTE_MS)
    samples = recognised.samples(session, [service_id], fine_from_ms - MARGIN_MS, newest_ms)[service_id]
    cell_ms = finest_cell_ms(samples)
    fine = [] if cell_ms >= MINUTE_MS else [service_cells(samples, fine_from_ms, newest_ms, cell_ms)]
    return [minutes, *fine]


def _read(
    session: ReadSession, recognised: EnvironmentSignals, service_id: ServiceId, from_ms: int, to_ms: int
) -> ServiceCells | None:
    samples = recognised.samples(session, [service_id], from_ms - MARGIN_MS, to_ms)[service_id]
    return service_cells(samples, from_ms, to_ms, MINUTE_MS) if samples.series() else None
