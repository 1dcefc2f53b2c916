"""The latency of builds where they were deployed: what of it is to be measured, and writing it down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from slowpath.analysis.builds.latency import DeployedLatency, measure_latency
from slowpath.analysis.builds.measures import FORMAT, Measure, unpack
from slowpath.analysis.metrics.alone import AloneLatency
from slowpath.catalog import service as catalog
from slowpath.catalog.tables import Build, Deploy
from slowpath.core.ids import BuildId, EnvironmentId, ServiceId
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.metrics.service import deployed
from slowpath.metrics.service.board_samples import Recognised
from slowpath.metrics.service.deployed import DeployWindow
from slowpath.regressions import queries
from slowpath.regressions.jobs import MeasureBuild
from slowpath.regressions.rules import LATENCY, SETTLE_SECONDS
from slowpath.regressions.service.measuring import MadeMeasure, ToMeasure


@dataclass(frozen=True)
class LatencyToMeasure:
    """The deploys of a build whose latency is to be measured, and each environment's slug."""

    windows: tuple[DeployWindow, ...]
    environments: Mapping[EnvironmentId, str]
    under: str
    """What the build was built with: Go version and platform."""

    @property
    def made_of(self) -> str:
        """Names what the measure is made of."""
        return " ".join([str(FORMAT), *sorted(window.name for window in self.windows)])


def to_measure(session: ReadSession, build: Build) -> LatencyToMeasure | None:
    """Return what of a build's latency is to be measured (anew); None if there is nothing new."""
    build_id = BuildId(build.id)
    windows = deployed.windows_of(session, {build_id: ServiceId(build.service_id)})
    slugs = {each: catalog.environment(session, each).slug for each in {window.environment_id for window in windows}}
    platform = "/".join(part for part in (build.goos, build.goarch) if part)
    under = ", ".join(part for part in (build.go_version, platform) if part)
    asked = LatencyToMeasure(tuple(windows), slugs, under)
    return None if not windows or queries.made_of(session, build_id).get(LATENCY) == asked.made_of else asked


def measured(
    asked: LatencyToMeasure, latencies: Sequence[tuple[DeployWindow, AloneLatency | None]], rng: Generator
) -> MadeMeasure:
    """Measure the latency of a build by what each of its deploys showed; nothing of it may be known."""
    known = [DeployedLatency(asked.environments[window.environment_id], one) for window, one in latencies if one]
    measure, counted = measure_latency(known, rng)
    conditions = "; ".join(part for part in (asked.under, counted) if part)
    return MadeMeasure(LATENCY, measure.pack(), ToMeasure(LATENCY, (), (), asked.made_of, conditions))


def is_known(session: ReadSession, build_id: BuildId) -> bool:
    """Tell whether anything is known of the latency of a build."""
    return any(row.conditions for row in queries.measures(session, [build_id], [LATENCY]))


def ask_where_due(
    session: WriteSession, recognised: Recognised, environment_id: EnvironmentId, deploys: Sequence[Deploy]
) -> None:
    """Have builds measured that ran long enough since in an environment: those of these deploys, and what runs now."""
    windows = deployed.lately(session, recognised, environment_id, deploys)
    if not windows:
        return
    rows = queries.measured_of(session, sorted({window.build_id for window in windows}), LATENCY)
    seen = {name for made_of in rows.values() for name in made_of.split()}
    for build_id in dict.fromkeys(window.build_id for window in windows if window.name not in seen):
        enqueue_once(session, MeasureBuild(build_id), after_s=SETTLE_SECONDS)


def of_builds(session: ReadSession, build_ids: Sequence[BuildId]) -> dict[BuildId, Measure]:
    """Return what is known of the latency of builds."""
    rows = queries.measures(session, list(build_ids), [LATENCY])
    return {BuildId(row.build_id): unpack(row.content) for row in rows}
