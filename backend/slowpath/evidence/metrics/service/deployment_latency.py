"""Latency of builds: the time ranges in which each build ran, and the service's metrics in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ExclusiveLatency, measure_exclusive_latency
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.evidence.metrics.rules import measurable_until
from slowpath.evidence.metrics.service import dashboard_samples, service_signals
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Deployment

MARGIN_MS: Final = 10 * 60_000
"""Time before a deployment in which samples identify existing instances."""
HISTOGRAMS: Final = ("native", "classic")
MOST_DEPLOYS: Final = 4
"""Maximum number of deployments of a build in an environment, newest first; more add little precision."""


@dataclass(frozen=True)
class DeploymentTimeRange:
    """The measurable time range of a deployment: from its start to the newest due evaluation."""

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
        """Identifies the deployment and the measured part of it."""
        return f"{self.deploy_id.hex}:{self.until_ms}"


def list_deployment_ranges(
    session: ReadSession, builds: Mapping[BuildId, ServiceId], newest_ms: Mapping[EnvironmentId, int] | None = None
) -> list[DeploymentTimeRange]:
    """Return the time ranges of builds with their services, oldest first. `newest_ms` is the newest sample, if known."""
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
    """Return the time ranges of the builds of these deployments, and of those running now, in an environment.

    Only services whose latency is a histogram are included.
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


def samples_of(session: ReadSession, window: DeploymentTimeRange, live: LiveReads | None = None) -> ServiceSamples:
    """Read the service's samples of a time range, and of some time before it."""
    place = window.environment_id, window.service_id
    return dashboard_samples.load_range(session, place, window.from_ms - MARGIN_MS, window.until_ms, live)


def measure_deployment_latency(window: DeploymentTimeRange, samples: ServiceSamples) -> ExclusiveLatency | None:
    """Return the latency of the build while only it ran; None if it never did, or has no histogram."""
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
