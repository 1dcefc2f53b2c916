"""When which build ran where, as far as its latency can be measured; and what the service's metrics say of that time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.exclusive_latency import ExclusiveLatency, measure_exclusive_latency
from slowpath.analysis.kinds.metrics.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.evidence.metrics.rules import measurable_until
from slowpath.evidence.metrics.service import dashboard_samples, service_signals
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Deployment

MARGIN_MS: Final = 10 * 60_000
"""Instances that were there before a deploy are known by their samples before it."""
HISTOGRAMS: Final = ("native", "classic")
MOST_DEPLOYS: Final = 4
"""Of a build in an environment, the newest: more hardly make its latency surer."""


@dataclass(frozen=True)
class DeploymentTimeRange:
    """A deploy of a build from its beginning until the newest look that is due."""

    deploy_id: DeployId
    build_id: BuildId
    service_id: ServiceId
    environment_id: EnvironmentId
    from_ms: int
    until_ms: int
    commit: str
    label: str | None

    @property
    def name(self) -> str:
        """Names the deploy and how much of it is measured."""
        return f"{self.deploy_id.hex}:{self.until_ms}"


def list_deployment_ranges(
    session: ReadSession, builds: Mapping[BuildId, ServiceId], newest_ms: Mapping[EnvironmentId, int] | None = None
) -> list[DeploymentTimeRange]:
    """Return the windows of builds, each with its service, oldest first. `newest_ms`: the newest sample, where it is known."""
    newest = dict(newest_ms or {})
    found: dict[tuple[BuildId, EnvironmentId], list[DeploymentTimeRange]] = {}
    for row in catalog.deploys_of_builds(session, builds):
        environment_id = EnvironmentId(row.environment_id)
        if environment_id not in newest:
            newest[environment_id] = service_signals.newest_ms(session, environment_id) or 0
        window = _window(row, newest[environment_id])
        if window is not None:
            found.setdefault((window.build_id, environment_id), []).append(window)
    return [window for windows in found.values() for window in windows[-MOST_DEPLOYS:]]


def list_recent_deployment_ranges(
    session: ReadSession, recognised: EnvironmentSignals, environment_id: EnvironmentId, deploys: Sequence[Deployment]
) -> list[DeploymentTimeRange]:
    """Return the windows of builds in an environment that these deploys, or what runs now, are of.

    Only those of services whose latency comes in as a histogram.
    """
    newest_ms = recognised.newest_ms or 0
    running = catalog.list_active_deployments(session, environment_id, at_time(newest_ms)).values()
    builds = {
        BuildId(row.build_id): ServiceId(row.service_id)
        for row in (*deploys, *running)
        if row.build_id is not None and _has_histogram(recognised, ServiceId(row.service_id))
    }
    windows = list_deployment_ranges(session, builds, {environment_id: newest_ms}) if builds else []
    return [window for window in windows if window.environment_id == environment_id]


def _has_histogram(recognised: EnvironmentSignals, service_id: ServiceId) -> bool:
    known = recognised.services.get(service_id)
    return known is not None and any(one.shape in HISTOGRAMS for one in known.latency)


def samples_of(session: ReadSession, window: DeploymentTimeRange) -> ServiceSamples:
    """Read what the service's metrics say of a window, and of some time before it."""
    recognised = dashboard_samples.load_environment_signals(session, window.environment_id)
    return recognised.samples(session, [window.service_id], window.from_ms - MARGIN_MS, window.until_ms)[
        window.service_id
    ]


def measure_deployment_latency(window: DeploymentTimeRange, samples: ServiceSamples) -> ExclusiveLatency | None:
    """Return the latency of the window's build while it was alone; None if it never was, or has no histogram."""
    return measure_exclusive_latency(samples, window.from_ms, window.until_ms, commit=window.commit, label=window.label)


def _window(row: Deployment, newest_ms: int) -> DeploymentTimeRange | None:
    began_ms = to_ms(row.started_at)
    until_ms = measurable_until(began_ms, to_ms(row.ended_at) if row.ended_at else None, newest_ms)
    if until_ms is None or row.build_id is None:
        return None
    return DeploymentTimeRange(
        DeployId(row.id),
        BuildId(row.build_id),
        ServiceId(row.service_id),
        EnvironmentId(row.environment_id),
        began_ms,
        until_ms,
        row.commit,
        row.label,
    )
