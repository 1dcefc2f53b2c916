"""Record reports of runners on their probes, whether or not they count."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, BisectId, ProbeWindowId, new_id
from slowpath.core.jobs import enqueue
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectRequest, ProbeLeasedElsewhere
from slowpath.verdicts.bisects.jobs import ReadMeasurement
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_states import LEASE_SECONDS, LOG_BYTES, UNDER_WAY, CommandName, ProbeState
from slowpath.verdicts.bisects.rules.latency_measurements import LATENCY
from slowpath.verdicts.bisects.service import runners
from slowpath.verdicts.bisects.service.bisect_locks import lock_probe_run, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.probe_commands import get_probe_command
from slowpath.verdicts.bisects.tables import Probe, ProbeMeasurement

ENDS = {
    "done": ProbeState.DONE,
    "unbuildable": ProbeState.UNBUILDABLE,
    "unhealthy": ProbeState.UNHEALTHY,
    "failed": ProbeState.FAILED,
}
PHASES = (ProbeState.DEPLOYING, ProbeState.WARMING, ProbeState.SOAKING, ProbeState.COLLECTING, ProbeState.IDLE)


@dataclass(frozen=True)
class MeasurementReport:
    """One measurement as reported."""

    index: int
    value: float | None
    measures: Mapping[str, float]
    """Further values of an experiment."""
    verdict: str | None
    problem: str | None
    artifact_ids: tuple[UUID, ...]
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Heartbeat:
    """The heartbeat of a probe: its runner and phase."""

    runner: str
    instance: str
    phase: str
    log_tail: str


@dataclass(frozen=True)
class HeartbeatReply:
    """The reply to a heartbeat."""

    probe: Probe
    command: CommandName
    taken: int
    window_seconds: float
    lease_seconds: float


def record_heartbeat(session: WriteSession, run_id: UUID, beat: Heartbeat, *, now: datetime) -> HeartbeatReply:
    """Renew the lease of a probe and return its command.

    Raises `RunnerNotFound`, `RunnerTaken`, `ProbeNotFound`, `ProbeLeasedElsewhere`.
    """
    row = runners.lock_own_runner(
        session, beat.runner, beat.instance, now=now
    )  # locked before the bisect, in the order of leases
    row.seen_at = now
    bisect, probe = lock_probe_run(session, run_id)
    if probe.runner_id != row.id:
        raise ProbeLeasedElsewhere("This probe is not leased to this runner.", remedy="Tear down its deployment here.")
    if probe.ended_at is None:
        probe.lease_expires_at = now + timedelta(seconds=LEASE_SECONDS)
        probe.log_tail = truncate_log(beat.log_tail) or probe.log_tail
    if probe.state in UNDER_WAY and probe.state != beat.phase:
        probe.state = ProbeState(beat.phase)
        if probe.deployed_at is None and beat.phase != ProbeState.DEPLOYING:
            probe.deployed_at = now
        if probe.ready_at is None and beat.phase in PHASES[2:]:
            probe.ready_at = now
        publish_bisect_change(session, bisect)
    session.flush()
    windows = queries.select_measurements(session, bisect.id)
    command = get_probe_command(bisect, probe, queries.select_probes(session, bisect.id), windows)
    seconds = bisect_settings.from_json(bisect.settings).measurement_seconds
    return HeartbeatReply(probe, command, len(windows.get(probe.id, [])), seconds, float(LEASE_SECONDS))


def record_measurement(
    session: WriteSession, run_id: UUID, report: MeasurementReport, *, now: datetime
) -> tuple[Probe, bool]:
    """Record one measurement; return whether it was new. A repeated index changes nothing.

    Raises `ProbeNotFound`.
    """
    bisect, probe = lock_probe_run(session, run_id)
    if probe.leased_at is None:
        raise InvalidBisectRequest("This probe was never leased.", remedy="Lease it first.")
    if any(one.index == report.index for one in queries.select_measurements_of_probe(session, probe.id)):
        return probe, False
    uploads.get_artifacts(session, [ArtifactId(one) for one in report.artifact_ids])
    has_result = report.value is not None or report.verdict is not None or report.problem is not None
    if not has_result and not report.artifact_ids and bisect.signature["kind"] != LATENCY:
        raise InvalidBisectRequest(
            f"{bisect.signature['label']} is not measured from dashboard metrics.",
            remedy="Send a value, or artifacts that contain it.",
        )
    row = ProbeMeasurement(
        team_id=session.team_id,
        id=new_id(),
        probe_id=probe.id,
        index=report.index,
        round=max((one.round for one in queries.select_probes(session, bisect.id)), default=probe.round),
        value=report.value,
        measures=dict(report.measures) if report.measures and bisect.experiment_of is not None else None,
        verdict=report.verdict,
        problem=report.problem,
        invalidated=False,
        artifact_ids=[str(one) for one in report.artifact_ids],
        started_at=report.started_at,
        ended_at=report.ended_at,
    )
    session.add(row)
    probe.good_verdicts += report.verdict == "not-slower"
    probe.bad_verdicts += report.verdict == "slower"
    if probe.state in {ProbeState.SOAKING, ProbeState.COLLECTING}:
        probe.state = ProbeState.IDLE
    session.flush()
    if not has_result:
        enqueue(session, ReadMeasurement(ProbeWindowId(row.id), BisectId(bisect.id)))
    result = {"value": report.value, "verdict": report.verdict} if has_result else {}  # else the worker reads it
    facts = {"number": probe.number, "index": report.index, **result}
    record_bisect_event(session, bisect, "measured", facts, now=now)
    publish_bisect_change(session, bisect, step=True)
    return probe, True


def record_probe_result(
    session: WriteSession, run_id: UUID, how: str, log_tail: str, *, now: datetime
) -> tuple[Probe, bool]:
    """Record the end of a probe; return whether it was new. Raises `ProbeNotFound`."""
    bisect, probe = lock_probe_run(session, run_id)
    if probe.ended_at is not None:
        return probe, False
    if probe.leased_at is None:
        raise InvalidBisectRequest("This probe was never leased.", remedy="Lease it first.")
    given = queries.select_measurements_of_probe(session, probe.id)  # measurements before a failure still count
    probe.ended_at, probe.lease_expires_at = now, None
    probe.log_tail = truncate_log(log_tail) or probe.log_tail
    if probe.state not in {ProbeState.LOST, ProbeState.INVALIDATED}:
        counts = any(one.value is not None or one.verdict is not None or one.problem is None for one in given)
        probe.state = ProbeState.DONE if counts or probe.state == ProbeState.STOPPING else ENDS[how]
    record_bisect_event(session, bisect, "ended", {"number": probe.number, "how": how}, now=now)
    publish_bisect_change(session, bisect, step=True)
    return probe, True


def truncate_log(text: str) -> str:
    """Return the end of a log within the size limit, without NUL, which PostgreSQL rejects."""
    packed = text.replace("\x00", "").encode("utf-8", "replace")
    return packed[-LOG_BYTES:].decode("utf-8", "ignore")
