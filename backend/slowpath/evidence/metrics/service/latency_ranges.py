"""Latency of a service in time ranges, for comparisons."""

from typing import Final

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.kinds.metrics.window_cutting import latency_window
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.inventory.catalog import service as catalog

MARGIN_MS: Final = 300_000
"""Time around a time range whose samples determine the counters at its edges."""


def latency_between(
    session: ReadSession, service_id: ServiceId, environment_id: EnvironmentId, from_ms: int, to_ms: int
) -> LatencyWindow:
    """Return the latency of a service in an environment between two times, in milliseconds since 1970.

    Raises `ServiceNotFound`, `EnvironmentNotFound`.
    """
    service, environment = catalog.service(session, service_id), catalog.environment(session, environment_id)
    recognised = dashboard_samples.load_environment_signals(session, environment_id)
    samples = recognised.samples(session, [service_id], from_ms - MARGIN_MS, to_ms + MARGIN_MS)[service_id]
    return latency_window(samples, service.name, environment.name, from_ms, to_ms)
