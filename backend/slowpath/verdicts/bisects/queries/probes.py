"""SELECT statements of probes, their measurements and artifacts, and runners."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    case,
    cast,
    exists,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ProbeId, ProbeWindowId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.verdicts.bisects.rules.bisect_states import COMPILE, BisectState, ProbeState
from slowpath.verdicts.bisects.tables import (
    Bisect,
    Probe,
    ProbeMeasurement,
    Runner,
)
from slowpath.verdicts.comparisons.tables import ComparisonArtifact

FIND_PROBE = text("SELECT team_id, probe_id FROM cross_team.find_probe(:sought)")


def select_probes(session: ReadSession, bisect_id: UUID) -> Sequence[Probe]:
    """Return the deployed probes of a bisect in order, refreshed from the database, by uq_probe_number."""
    found = select(Probe).where(
        Probe.team_id == session.team_id, Probe.bisect_id == bisect_id, Probe.purpose != COMPILE
    )
    return session.scalars(found.order_by(Probe.number), execution_options={"populate_existing": True}).all()


def select_compile_probe(session: ReadSession, bisect_id: UUID) -> Probe | None:
    """Return the probe of a bisect that compiles its culprit, refreshed from the database, by uq_probe_number."""
    found = select(Probe).where(
        Probe.team_id == session.team_id, Probe.bisect_id == bisect_id, Probe.purpose == COMPILE
    )
    return session.scalar(found, execution_options={"populate_existing": True})


def select_probe_by_run(session: ReadSession, run_id: UUID) -> Probe | None:
    """Return a probe by its run ID, by uq_probe_run_id."""
    return session.scalar(
        select(Probe).where(Probe.team_id == session.team_id, Probe.run_id == run_id),
        execution_options={"populate_existing": True},
    )


def select_probe(session: ReadSession, probe_id: ProbeId) -> Probe | None:
    """Return a probe, by primary key."""
    return session.get(Probe, (session.team_id, probe_id), populate_existing=True)


def find_probe(cross_team: Connection, sought: bytes) -> Row[Any] | None:
    """Return team and probe of a callback secret, by its hash."""
    return cross_team.execute(FIND_PROBE, {"sought": sought}).one_or_none()


def select_queued_probes(session: ReadSession, labels: Mapping[str, Any], limit: int) -> Sequence[Row[UUID, UUID]]:
    """Return ID and bisect of queued probes that may be leased, by ix_probe_queued.

    Only those that a runner with these labels may lease. Services with fewer running probes come first, so that none
    occupies the runners of the team; then the oldest.
    """
    other, their_bisect = aliased(Probe), aliased(Bisect)
    running = (
        select(func.count())
        .select_from(other)
        .join(their_bisect, (their_bisect.team_id == other.team_id) & (their_bisect.id == other.bisect_id))
        .where(
            other.team_id == session.team_id,
            other.runner_id.is_not(None),
            other.ended_at.is_(None),
            their_bisect.service_id == Bisect.service_id,
        )
        .correlate(Bisect)
        .scalar_subquery()
    )
    required_labels = func.coalesce(Bisect.settings["runner_labels"], cast({}, JSONB()))
    found = (
        select(Probe.id, Probe.bisect_id)
        .join(Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id))
        .where(
            Probe.team_id == session.team_id,
            Probe.state == ProbeState.QUEUED,
            Bisect.state == case((Probe.purpose == COMPILE, BisectState.FOUND), else_=BisectState.SEARCHING),
            cast(dict(labels), JSONB()).contains(required_labels),
        )
    )
    return session.execute(found.order_by(running, Probe.queued_at, Probe.number).limit(limit)).all()


def select_active_probes(session: ReadSession, runner_id: UUID) -> Sequence[Probe]:
    """Return the unfinished probes of a runner, by uq_probe_slot."""
    return session.scalars(_running().where(Probe.team_id == session.team_id, Probe.runner_id == runner_id)).all()


def select_probe_durations(session: ReadSession, of: ColumnElement[bool], limit: int) -> Sequence[float]:
    """Return the seconds from lease to end of the last measured probes, those of a service or of runners."""
    found = (
        select(func.extract("epoch", Probe.ended_at - Probe.leased_at))
        .join(Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id))
        .where(
            Probe.team_id == session.team_id,
            of,
            Probe.state == ProbeState.DONE,
            Probe.purpose.in_(["boundary", "probe", "verify"]),
            Probe.ended_at.is_not(None),
            Probe.leased_at.is_not(None),
        )
    )
    return [float(one) for one in session.scalars(found.order_by(Probe.ended_at.desc()).limit(limit))]


def count_active_probes(session: ReadSession) -> dict[UUID, int]:
    """Count the unfinished probes of each runner, by uq_probe_slot."""
    found = (
        select(Probe.runner_id, func.count())
        .where(Probe.team_id == session.team_id, Probe.runner_id.is_not(None), Probe.ended_at.is_(None))
        .group_by(Probe.runner_id)
    )
    return {runner_id: count for runner_id, count in session.execute(found) if runner_id is not None}


def _running() -> Select[Probe]:
    return select(Probe).where(Probe.runner_id.is_not(None), Probe.ended_at.is_(None)).order_by(Probe.queued_at)


def select_measurements(session: ReadSession, bisect_id: UUID) -> dict[UUID, list[ProbeMeasurement]]:
    """Return the measurements of a bisect by probe, in order."""
    found = (
        select(ProbeMeasurement)
        .join(Probe, (Probe.team_id == ProbeMeasurement.team_id) & (Probe.id == ProbeMeasurement.probe_id))
        .where(ProbeMeasurement.team_id == session.team_id, Probe.bisect_id == bisect_id)
        .order_by(ProbeMeasurement.probe_id, ProbeMeasurement.index)
    )
    out: dict[UUID, list[ProbeMeasurement]] = {}
    for row in session.scalars(found, execution_options={"populate_existing": True}):
        out.setdefault(row.probe_id, []).append(row)
    return out


def select_measurements_of_probe(session: ReadSession, probe_id: UUID) -> Sequence[ProbeMeasurement]:
    """Return the measurements of a probe in order, by uq_probe_measurement_index."""
    found = select(ProbeMeasurement).where(
        ProbeMeasurement.team_id == session.team_id, ProbeMeasurement.probe_id == probe_id
    )
    return session.scalars(found.order_by(ProbeMeasurement.index)).all()


def select_measurement(session: ReadSession, window_id: ProbeWindowId) -> ProbeMeasurement | None:
    """Return one measurement, by primary key."""
    return session.get(ProbeMeasurement, (session.team_id, window_id), populate_existing=True)


def select_runners(session: ReadSession) -> Sequence[Runner]:
    """Return the team's runners, by name."""
    return session.scalars(select(Runner).where(Runner.team_id == session.team_id).order_by(Runner.name)).all()


def select_runner_by_name(session: ReadSession, name: str, *, locked: bool = False) -> Runner | None:
    """Return a runner by its name, by uq_runner_name; `locked`: lock it until the transaction ends."""
    found = select(Runner).where(Runner.team_id == session.team_id, Runner.name == name)
    return session.scalar(found.with_for_update() if locked else found, execution_options={"populate_existing": locked})


def select_runner(session: ReadSession, runner_id: UUID) -> Runner | None:
    """Return a runner of the team."""
    return session.scalar(select(Runner).where(Runner.id == runner_id))


def select_runner_names(session: ReadSession) -> dict[UUID, str]:
    """Return the names of runners."""
    found = select(Runner.id, Runner.name).where(Runner.team_id == session.team_id)
    return {row.id: row.name for row in session.execute(found)}


def _is_compared() -> ColumnElement[bool]:
    """Match artifacts of any comparison, by ix_comparison_artifact_artifact."""
    return exists().where(ComparisonArtifact.team_id == Artifact.team_id, ComparisonArtifact.artifact_id == Artifact.id)


def _runs(session: ReadSession, bisect_id: UUID) -> Select[UUID]:
    return select(Probe.run_id).where(Probe.team_id == session.team_id, Probe.bisect_id == bisect_id)


def count_probe_artifacts(session: ReadSession, bisect_id: UUID) -> tuple[int, int, int]:
    """Count artifacts uploaded by its probes: number and bytes outside comparisons, number inside.

    By ix_artifact_batch.
    """
    free = ~_is_compared()
    found = select(
        func.count().filter(free),
        func.coalesce(func.sum(Artifact.size_bytes).filter(free), 0),
        func.count().filter(~free),
    ).where(Artifact.team_id == session.team_id, Artifact.batch.in_(_runs(session, bisect_id)))
    files, size_bytes, compared = session.execute(found).one()
    return files, int(size_bytes), compared


def select_probe_artifacts(session: ReadSession, bisect_id: UUID) -> Sequence[Artifact]:
    """Return the artifacts uploaded by its probes that are in no comparison, by ix_artifact_batch."""
    found = select(Artifact).where(
        Artifact.team_id == session.team_id, Artifact.batch.in_(_runs(session, bisect_id)), ~_is_compared()
    )
    return session.scalars(found).all()
