"""Read the latency of a window from what its deploy pushed, as soon as that is there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.kinds.metrics.probe_latency import ProbeLatencyWindow, SeriesOwner
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, EnvironmentId, ProbeId, ProbeWindowId, ServiceId
from slowpath.evidence.metrics.service import probe_latency
from slowpath.evidence.metrics.service.probe_latency import ProbeLatency
from slowpath.evidence.metrics.service.remote_samples import (
    RemoteSampleSource,
    RemoteServiceBinding,
    RemoteServiceSamples,
)
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules import bisect_settings as kept
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
"""Values that a source gives at steps lie closer than in such columns."""


@dataclass(frozen=True)
class PendingLatencyQuery:
    """A window to be read, of which deploy, and where. `bound`: somebody else keeps the samples, and is asked without a session."""

    asked: MeasurementQuery
    whose: SeriesOwner
    service_id: ServiceId
    environment_id: EnvironmentId
    bound: RemoteServiceBinding | None

    @property
    def between_ms(self) -> tuple[int, int]:
        """The window."""
        return self.asked.from_ms, self.asked.to_ms


def to_ask(
    session: ReadSession, beyond: RemoteSampleSource, window_id: ProbeWindowId, bisect_id: BisectId
) -> PendingLatencyQuery | None:
    """Return what is to be asked of the board; nothing of a window that was read, is gone, or is read of files."""
    window, bisect = queries.select_measurement(session, window_id), queries.select_bisect(session, bisect_id)
    if (
        window is None
        or bisect is None
        or artifact_measurements.has_result(window)
        or not artifact_measurements.is_of_board(bisect)
    ):
        return None
    probe = queries.select_probe(session, ProbeId(window.probe_id))
    board = kept.from_json(bisect.settings).dashboard_selector
    if probe is None or board is None:
        return None
    subject = LatencySubject.read(str(bisect.signature["subject"]))
    service_id, environment_id = ServiceId(bisect.service_id), EnvironmentId(UUID(board.environment_id))
    run_id, build = str(probe.run_id), probe.build
    replaced: Mapping[str, str] = {**build["modules"], **build["versions"]}
    bound = [
        one for one in beyond.bound(session) if (one.service_id, one.environment_id) == (service_id, environment_id)
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
    whose = SeriesOwner(
        board.match, run_id, name_of(build["commit"], replaced), None if replaced else str(build["commit"])
    )
    return PendingLatencyQuery(asked, whose, service_id, environment_id, bound[0] if bound else None)


def read(session: ReadSession, one: PendingLatencyQuery) -> MeasurementOutcome:
    """Read a window of what was pushed here."""
    found = probe_latency.latency_of_run(
        session, one.service_id, one.environment_id, one.between_ms, one.whose, one.asked.route
    )
    return _told(found, one)


def read_through(beyond: RemoteSampleSource, one: PendingLatencyQuery) -> MeasurementOutcome:
    """Read a window of what somebody else keeps; takes seconds, and no session."""
    assert one.bound is not None
    waited_ms = round(one.asked.waited_seconds * 1000)
    first_ms, last_ms = probe_latency.between(*one.between_ms)
    until_ms = min(last_ms, one.asked.to_ms + waited_ms + COLUMN_MS)  # nothing is asked of the future
    found: RemoteServiceSamples = beyond.asked([one.bound], (first_ms, until_ms), COLUMN_MS)[one.service_id]
    problem = found.said.get("problem")
    why = found.why.latency if problem is None else f"{found.said.get('name')}: {problem}"
    return _told(probe_latency.of_samples(found.samples, why, one.between_ms, one.whose, one.asked.route), one)


def _told(found: ProbeLatency, one: PendingLatencyQuery) -> MeasurementOutcome:
    window: ProbeLatencyWindow = found.window
    return read_latency_measurement(window, found.why, one.asked)


def record(
    session: WriteSession, window_id: ProbeWindowId, bisect_id: BisectId, said: MeasurementOutcome, *, now: datetime
) -> None:
    """Write down what a window says. Where it was too short for its traffic, the next ones are longer."""
    bisect = artifact_measurements.record_measurement_value(
        session, window_id, bisect_id, value=said.value_ns, unit="ns", problem=said.problem, requests=said.requests
    )
    if bisect is not None and said.longer_seconds is not None:
        _lengthen(session, bisect, said.longer_seconds, now)


def _lengthen(session: WriteSession, bisect: Bisect, seconds: float, now: datetime) -> None:
    settings = kept.from_json(bisect.settings)
    if seconds <= settings.measurement_seconds:
        return
    facts = {"before": settings.measurement_seconds, "seconds": seconds}
    bisect.settings = kept.to_json(replace(settings, measurement_seconds=seconds))
    record_bisect_event(session, bisect, "lengthened", facts, now=now)
    publish_bisect_change(session, bisect)
