"""The latency of builds in the environments they were deployed to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from slowpath.analysis.builds.latency_measurements import DeploymentLatency, measure_latency
from slowpath.analysis.findings.build_measurements import FORMAT, KindMeasurement, unpack
from slowpath.analysis.kinds.metrics.changes.exclusive_latency import ExclusiveLatency
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics.service import deployment_latency
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.deployment_latency import DeploymentTimeRange
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from slowpath.verdicts.regressions.rules import LATENCY, SETTLE_SECONDS
from slowpath.verdicts.regressions.service.build_measurements import PackedMeasurement, PendingBuildMeasurement


@dataclass(frozen=True)
class PendingLatencyMeasurement:
    """Deployments of a build whose latency is to be measured, and the slug of each environment."""

    windows: tuple[DeploymentTimeRange, ...]
    environments: Mapping[EnvironmentId, str]
    under: str
    """Go version and platform of the build."""

    @property
    def made_of(self) -> str:
        """Return the identifier of the measured deployments."""
        return " ".join([str(FORMAT), *sorted(window.name for window in self.windows)])


def get_pending_latency(session: ReadSession, build: Build) -> PendingLatencyMeasurement | None:
    """Return the latency measurement that a build requires; None if the recorded one is current."""
    build_id = BuildId(build.id)
    windows = deployment_latency.list_deployment_ranges(session, {build_id: ServiceId(build.service_id)})
    slugs = {each: catalog.environment(session, each).slug for each in {window.environment_id for window in windows}}
    platform = "/".join(part for part in (build.goos, build.goarch) if part)
    under = ", ".join(part for part in (build.go_version, platform) if part)
    asked = PendingLatencyMeasurement(tuple(windows), slugs, under)
    return (
        None
        if not windows or queries.select_measurement_sources(session, build_id).get(LATENCY) == asked.made_of
        else asked
    )


def record_latency(
    asked: PendingLatencyMeasurement,
    latencies: Sequence[tuple[DeploymentTimeRange, ExclusiveLatency | None]],
    rng: Generator,
) -> PackedMeasurement:
    """Measure the latency of a build from its deployments, some of which may have none."""
    known = [DeploymentLatency(asked.environments[window.environment_id], one) for window, one in latencies if one]
    measure, counted = measure_latency(known, rng)
    conditions = "; ".join(part for part in (asked.under, counted) if part)
    return PackedMeasurement(
        LATENCY, measure.pack(), PendingBuildMeasurement(LATENCY, (), (), asked.made_of, conditions)
    )


def has_latency(session: ReadSession, build_id: BuildId) -> bool:
    """Return whether the latency of a build has been measured."""
    return any(row.conditions for row in queries.select_measurements(session, [build_id], [LATENCY]))


def enqueue_due_builds(
    session: WriteSession, recognised: EnvironmentSignals, environment_id: EnvironmentId, deploys: Sequence[Deployment]
) -> None:
    """Enqueue the evaluation of builds with enough new time in an environment.

    These are the builds of `deploys` and the running ones.
    """
    windows = deployment_latency.list_recent_deployment_ranges(session, recognised, environment_id, deploys)
    if not windows:
        return
    rows = queries.select_sources_by_build(session, sorted({window.build_id for window in windows}), LATENCY)
    seen = {name for made_of in rows.values() for name in made_of.split()}
    for build_id in dict.fromkeys(window.build_id for window in windows if window.name not in seen):
        enqueue_unless_pending(session, EvaluateBuild(build_id), after_s=SETTLE_SECONDS)


def load_latency(session: ReadSession, build_ids: Sequence[BuildId]) -> dict[BuildId, KindMeasurement]:
    """Return the latency measurements of builds."""
    rows = queries.select_measurements(session, list(build_ids), [LATENCY])
    return {BuildId(row.build_id): unpack(row.content) for row in rows}
