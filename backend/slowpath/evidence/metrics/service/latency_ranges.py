"""Latency of a service in time ranges, for comparisons."""

from typing import Final

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.kinds.metrics.panels.window_cutting import latency_window
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.inventory.catalog import service as catalog

MARGIN_MS: Final = 300_000
"""Time around a time range whose samples determine the counters at its edges."""


def latency_between(  # noqa: PLR0917 - of what, where, when, read how
    session: ReadSession,
    service_id: ServiceId,
    environment_id: EnvironmentId,
    from_ms: int,
    to_ms: int,
    live: LiveReads | None = None,
) -> LatencyWindow:
    """Return the latency of a service in an environment between two times, in milliseconds since 1970.

    Raises `ServiceNotFound`, `EnvironmentNotFound`.
    """
    service, environment = catalog.service(session, service_id), catalog.environment(session, environment_id)
    between_ms = from_ms - MARGIN_MS, to_ms + MARGIN_MS
    samples = dashboard_samples.load_range(session, (environment_id, service_id), *between_ms, live)
    return latency_window(samples, service.name, environment.name, from_ms, to_ms)
