"""Read the panels of one service, without the rest of the dashboard."""

from slowpath.analysis.kinds.metrics.panels.service_panels import ServicePanels, service_panels
from slowpath.analysis.kinds.metrics.panels.time_grid import (
    TimeGrid,
    finest_step_ms,
    grid_between,
    rate_window_ms,
    scrape_interval_ms,
)
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.dashboard import window_before_ms
from slowpath.evidence.metrics.service.dashboard_samples import load_environment_signals
from slowpath.evidence.metrics.service.series_reader import ReadReach


def read_service_panels(
    session: ReadSession,
    environment_id: EnvironmentId,
    service_id: ServiceId,
    between_ms: tuple[int, int],
    label: str | None,
) -> tuple[TimeGrid, ServicePanels]:
    """Return the grid of a time range and the panels of a service; `label` splits its latency."""
    from_ms, to_ms = between_ms
    signals = load_environment_signals(session, environment_id)
    reach = ReadReach(grid_between(from_ms, to_ms, 1).step_ms)
    samples = signals.samples(session, [service_id], from_ms - window_before_ms(reach.step_ms), to_ms, reach)[
        service_id
    ]
    interval_ms = scrape_interval_ms(samples.counters())
    grid = grid_between(from_ms, to_ms, finest_step_ms(samples.counters()))
    return grid, service_panels(samples, grid, rate_window_ms(grid.step_ms, interval_ms), split_by=label)
