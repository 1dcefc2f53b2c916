"""What runners tell of their probes. Nothing that is told is lost, whether it counts or not."""

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
from slowpath.verdicts.bisects.rules import bisect_settings as kept
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
    """One measurement as it was told."""

    index: int
    value: float | None
    verdict: str | None
    problem: str | None
    artifact_ids: tuple[UUID, ...]
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class Heartbeat:
    """By whom a probe is looked after, and how far it is."""

    runner: str
    instance: str
    phase: str
    log_tail: str


@dataclass(frozen=True)
class HeartbeatReply:
    """What is answered to a beat."""

    probe: Probe
    command: CommandName
    taken: int
    window_seconds: float
    lease_seconds: float


def record_heartbeat(session: WriteSession, run_id: UUID, told: Heartbeat, *, now: datetime) -> HeartbeatReply:
    """Keep the lease on a probe and hear what is to become of it.

    Raises `RunnerNotFound`, `RunnerTaken`, `ProbeNotFound`, `ProbeLeasedElsewhere`.
    """
    row = runners.lock_own_runner(
        session, told.runner, told.instance, now=now
    )  # before the bisect, as whoever takes leases holds them
    row.seen_at = now
    bisect, probe = lock_probe_run(session, run_id)
    if probe.runner_id != row.id:
        raise ProbeLeasedElsewhere("Another runner has this probe, or none.", remedy="Tear it down here.")
    if probe.ended_at is None:
        probe.lease_expires_at = now + timedelta(seconds=LEASE_SECONDS)
        probe.log_tail = truncate_log(told.log_tail) or probe.log_tail
    if probe.state in UNDER_WAY and probe.state != told.phase:
        probe.state = ProbeState(told.phase)
        if probe.deployed_at is None and told.phase != ProbeState.DEPLOYING:
            probe.deployed_at = now
        if probe.ready_at is None and told.phase in PHASES[2:]:
            probe.ready_at = now
        publish_bisect_change(session, bisect)
    session.flush()
    windows = queries.select_measurements(session, bisect.id)
    said = get_probe_command(bisect, probe, queries.select_probes(session, bisect.id), windows)
    seconds = kept.from_json(bisect.settings).measurement_seconds
    return HeartbeatReply(probe, said, len(windows.get(probe.id, [])), seconds, float(LEASE_SECONDS))


def record_measurement(
    session: WriteSession, run_id: UUID, told: MeasurementReport, *, now: datetime
) -> tuple[Probe, bool]:
    """Write down one measurement; tell whether it was new: told again, the first one stays. Raises `ProbeNotFound`."""
    bisect, probe = lock_probe_run(session, run_id)
    if probe.leased_at is None:
        raise InvalidBisectRequest("Nothing was deployed for this probe yet.", remedy="Lease it first.")
    if any(one.index == told.index for one in queries.select_measurements_of_probe(session, probe.id)):
        return probe, False
    uploads.get_artifacts(session, [ArtifactId(one) for one in told.artifact_ids])
    told_already = told.value is not None or told.verdict is not None or told.problem is not None
    if not told_already and not told.artifact_ids and bisect.signature["kind"] != LATENCY:
        raise InvalidBisectRequest(
            f"{bisect.signature['label']} is not read from the board.", remedy="Send a number, or files that hold it."
        )
    row = ProbeMeasurement(
        team_id=session.team_id,
        id=new_id(),
        probe_id=probe.id,
        index=told.index,
        round=max((one.round for one in queries.select_probes(session, bisect.id)), default=probe.round),
        value=told.value,
        verdict=told.verdict,
        problem=told.problem,
        invalidated=False,
        artifact_ids=[str(one) for one in told.artifact_ids],
        started_at=told.started_at,
        ended_at=told.ended_at,
    )
    session.add(row)
    probe.good_verdicts += told.verdict == "not-slower"
    probe.bad_verdicts += told.verdict == "slower"
    if probe.state in {ProbeState.SOAKING, ProbeState.COLLECTING}:
        probe.state = ProbeState.IDLE
    session.flush()
    if not told_already:
        enqueue(session, ReadMeasurement(ProbeWindowId(row.id), BisectId(bisect.id)))
    facts = {"number": probe.number, "index": told.index, "value": told.value, "verdict": told.verdict}
    record_bisect_event(session, bisect, "measured", facts, now=now)
    publish_bisect_change(session, bisect, step=True)
    return probe, True


def record_probe_result(
    session: WriteSession, run_id: UUID, how: str, log_tail: str, *, now: datetime
) -> tuple[Probe, bool]:
    """Write down that nothing of a probe runs any more; tell whether that was new. Raises `ProbeNotFound`."""
    bisect, probe = lock_probe_run(session, run_id)
    if probe.ended_at is not None:
        return probe, False
    if probe.leased_at is None:
        raise InvalidBisectRequest("Nothing was deployed for this probe yet.", remedy="Lease it first.")
    given = queries.select_measurements_of_probe(
        session, probe.id
    )  # what was measured before something went wrong still counts
    probe.ended_at, probe.lease_expires_at = now, None
    probe.log_tail = truncate_log(log_tail) or probe.log_tail
    if probe.state not in {ProbeState.LOST, ProbeState.INVALIDATED}:
        counts = any(one.value is not None or one.verdict is not None or one.problem is None for one in given)
        probe.state = ProbeState.DONE if counts or probe.state == ProbeState.STOPPING else ENDS[how]
    record_bisect_event(session, bisect, "ended", {"number": probe.number, "how": how}, now=now)
    publish_bisect_change(session, bisect, step=True)
    return probe, True


def truncate_log(text: str) -> str:
    """Return the end of a log, as much as is kept; PostgreSQL keeps no NUL."""
    packed = text.replace("\x00", "").encode("utf-8", "replace")
    return packed[-LOG_BYTES:].decode("utf-8", "ignore")
