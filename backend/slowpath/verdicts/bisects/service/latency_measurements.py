"""Read the latency of a measurement from the samples of its probe."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.kinds.metrics.changes.probe_latency import ProbeLatencyWindow, SeriesOwner
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, EnvironmentId, ProbeId, ProbeWindowId, ServiceId
from slowpath.evidence.metrics.service import probe_latency
from slowpath.evidence.metrics.service.live_samples import RemoteServiceBinding
from slowpath.evidence.metrics.service.probe_latency import ProbeLatency
from slowpath.evidence.metrics.service.remote_samples import RemoteSampleSource, RemoteServiceSamples
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.build_names import name_of
from slowpath.verdicts.bisects.rules.latency_measurements import (
    MeasurementOutcome,
    MeasurementQuery,
    parse_quantile,
    read_latency_measurement,
)
from slowpath.verdicts.bisects.service import artifact_measurements
from slowpath.verdicts.bisects.service.bisect_locks import publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.tables import Bisect

COLUMN_MS = 5_000
"""Column width for values of a source with a step."""


@dataclass(frozen=True)
class PendingLatencyQuery:
    """A measurement to read. `bound`: the source of a federated service, queried without a session."""

    asked: MeasurementQuery
    owner: SeriesOwner
    service_id: ServiceId
    environment_id: EnvironmentId
    bound: RemoteServiceBinding | None

    @property
    def between_ms(self) -> tuple[int, int]:
        """Return the measurement window in milliseconds."""
        return self.asked.from_ms, self.asked.to_ms


def get_pending_query(
    session: ReadSession, source: RemoteSampleSource, window_id: ProbeWindowId, bisect_id: BisectId
) -> PendingLatencyQuery | None:
    """Return the latency query of a measurement; None if it is complete, deleted, or read from artifacts."""
    window, bisect = queries.select_measurement(session, window_id), queries.select_bisect(session, bisect_id)
    if (
        window is None
        or bisect is None
        or artifact_measurements.has_result(window)
        or not artifact_measurements.is_from_dashboard(bisect)
    ):
        return None
    probe = queries.select_probe(session, ProbeId(window.probe_id))
    board = bisect_settings.from_json(bisect.settings).dashboard_selector
    if probe is None or board is None:
        return None
    subject = LatencySubject.read(str(bisect.signature["subject"]))
    service_id, environment_id = ServiceId(bisect.service_id), EnvironmentId(UUID(board.environment_id))
    run_id, build = str(probe.run_id), probe.build
    replaced: Mapping[str, str] = {**build["modules"], **build["versions"], **build.get("settings", {})}
    bound = [
        one for one in source.bound(session) if (one.service_id, one.environment_id) == (service_id, environment_id)
    ]
    asked = MeasurementQuery(
        catalog.service(session, service_id).name,
        catalog.environment(session, environment_id).name,
        run_id,
        board.match,
        subject.route,
        parse_quantile(subject.quantile) or 0.5,
        to_ms(window.started_at),
        to_ms(window.ended_at),
        (probe_latency.now_ms(session) - to_ms(window.created_at)) / 1000,
    )
    owner = SeriesOwner(
        board.match, run_id, name_of(build["commit"], replaced), None if replaced else str(build["commit"])
    )
    return PendingLatencyQuery(asked, owner, service_id, environment_id, bound[0] if bound else None)


def read_stored(session: ReadSession, one: PendingLatencyQuery) -> MeasurementOutcome:
    """Read a measurement from stored samples."""
    found = probe_latency.latency_of_run(
        session, one.service_id, one.environment_id, one.between_ms, one.owner, one.asked.route
    )
    return _evaluate(found, one)


def read_federated(source: RemoteSampleSource, one: PendingLatencyQuery) -> MeasurementOutcome:
    """Read a measurement from a federated source; takes seconds and no session."""
    assert one.bound is not None
    waited_ms = round(one.asked.waited_seconds * 1000)
    first_ms, last_ms = probe_latency.between(*one.between_ms)
    until_ms = min(last_ms, one.asked.to_ms + waited_ms + COLUMN_MS)  # not after now
    found: RemoteServiceSamples = source.asked([one.bound], (first_ms, until_ms), COLUMN_MS)[one.service_id]
    problem = found.source.problem
    why = found.why.latency if problem is None else f"{found.source.name}: {problem}"
    return _evaluate(probe_latency.of_samples(found.samples, why, one.between_ms, one.owner, one.asked.route), one)


def _evaluate(found: ProbeLatency, one: PendingLatencyQuery) -> MeasurementOutcome:
    window: ProbeLatencyWindow = found.window
    return read_latency_measurement(window, found.why, one.asked)


def record_outcome(
    session: WriteSession, window_id: ProbeWindowId, bisect_id: BisectId, outcome: MeasurementOutcome, *, now: datetime
) -> None:
    """Record a measurement. If its window was too short for the traffic, extend the next ones."""
    bisect = artifact_measurements.record_measurement_value(
        session,
        window_id,
        bisect_id,
        value=outcome.value_ns,
        unit="ns",
        problem=outcome.problem,
        requests=outcome.requests,
    )
    if bisect is not None and outcome.longer_seconds is not None:
        _lengthen(session, bisect, outcome.longer_seconds, now)


def _lengthen(session: WriteSession, bisect: Bisect, seconds: float, now: datetime) -> None:
    settings = bisect_settings.from_json(bisect.settings)
    if seconds <= settings.measurement_seconds:
        return
    facts = {"before": settings.measurement_seconds, "seconds": seconds}
    bisect.settings = bisect_settings.to_json(replace(settings, measurement_seconds=seconds))
    record_bisect_event(session, bisect, "measurement-extended", facts, now=now)
    publish_bisect_change(session, bisect)
