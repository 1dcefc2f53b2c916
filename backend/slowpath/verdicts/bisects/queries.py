"""Database queries of bisects, probes, measurements and runners."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    cast,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    text,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, BisectPreflightId, ProbeId, ProbeWindowId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.inventory.repositories.tables import Commit
from slowpath.platform.accounts.tables import User
from slowpath.verdicts.bisects.rules.bisect_states import MEASURED, OPEN, BisectState, ProbeState
from slowpath.verdicts.bisects.tables import (
    AutomaticBisect,
    Bisect,
    BisectEvent,
    BisectPreflight,
    Probe,
    ProbeMeasurement,
    Runner,
)
from slowpath.verdicts.comparisons.tables import ComparisonArtifact
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression

NUMBER = re.compile(r"#?(\d{1,9})", re.ASCII)

After = tuple[datetime, UUID] | None
FIND_PROBE = text("SELECT team_id, probe_id FROM cross_team.find_probe(:sought)")


def select_bisect(session: ReadSession, bisect_id: BisectId) -> Bisect | None:
    """Return one bisect, by primary key."""
    return session.get(Bisect, (session.team_id, bisect_id))


def lock_bisect(session: WriteSession, bisect_id: UUID) -> Bisect | None:
    """Lock one bisect until the transaction ends, by primary key."""
    return session.get(Bisect, (session.team_id, bisect_id), with_for_update=True, populate_existing=True)


def select_bisects(
    session: ReadSession, states: Sequence[str], service_id: UUID | None, regression_id: UUID | None, *, after: After,
    limit: int, search: str | None = None,
) -> Sequence[Bisect]:  # fmt: skip
    """Return bisects newest first, by ix_bisect_newest; `search` is a part of a title, or a number."""
    found = select(Bisect).where(Bisect.team_id == session.team_id)
    if states:
        found = found.where(Bisect.state.in_(states))
    if service_id is not None:
        found = found.where(Bisect.service_id == service_id)
    if regression_id is not None:
        found = found.where(Bisect.regression_id == regression_id)
    if search is not None:
        number = NUMBER.fullmatch(search)
        same_number = false() if number is None else Bisect.number == int(number[1])
        found = found.where(or_(Bisect.title.icontains(search, autoescape=True), same_number))
    if after is not None:
        found = found.where(tuple_(Bisect.created_at, Bisect.id) < after)
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(limit)).all()


def select_spread_of_last_bisect(session: ReadSession, service_id: UUID, signature: Mapping[str, Any]) -> float | None:
    """Return the dispersion ratio from the service's last decided bisect of a signature, or None."""
    ended = select(Bisect).where(
        Bisect.team_id == session.team_id,
        Bisect.service_id == service_id,
        Bisect.state.in_(MEASURED),
        Bisect.signature["kind"].astext == str(signature["kind"]),
        Bisect.signature["subject"].astext == str(signature["subject"]),
    )
    row = session.scalars(ended.order_by(Bisect.finished_at.desc(), Bisect.id.desc()).limit(1)).first()
    between = (row.summary or {}).get("between") if row is not None else None
    return None if between is None else float(between)


def count_open_bisects(session: ReadSession) -> int:
    """Count bisects that have not ended."""
    return session.scalar(select(func.count()).where(Bisect.team_id == session.team_id, Bisect.state.in_(OPEN))) or 0


def lock_team(session: WriteSession) -> None:
    """Serialize numbering of bisects and registration of runners of the team until the transaction ends."""
    key = f"slowpath.bisects:{session.team_id}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


def next_number(session: ReadSession) -> int:
    """Return the number of the next bisect, by uq_bisect_number."""
    return (session.scalar(select(func.max(Bisect.number)).where(Bisect.team_id == session.team_id)) or 0) + 1


def select_user_names(session: ReadSession, user_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Return the names of users of the team, by primary key."""
    ids = {one for one in user_ids if one is not None}
    if not ids:
        return {}
    return {row.id: row.name for row in session.execute(select(User.id, User.name).where(User.id.in_(ids)))}


def select_service_names(session: ReadSession, service_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of services, by primary key."""
    found = select(Service.id, Service.name).where(Service.team_id == session.team_id, Service.id.in_(set(service_ids)))
    return {row.id: row.name for row in session.execute(found)}


def select_regression_refs(
    session: ReadSession, regression_ids: Iterable[UUID | None]
) -> dict[UUID, tuple[int | None, str]]:
    """Return number and title of regressions, by primary key."""
    ids = {one for one in regression_ids if one is not None}
    if not ids:
        return {}
    found = select(Regression.id, Regression.number, Regression.title).where(
        Regression.team_id == session.team_id, Regression.id.in_(ids)
    )
    return {row.id: (row.number, row.title) for row in session.execute(found)}


def select_commits_by_prefix(session: ReadSession, repository_id: UUID, digits: str) -> Sequence[str]:
    """Return at most three SHAs that begin with these digits, by uq_commit_sha: hexadecimal digits sort before g."""
    found = select(Commit.sha).where(
        Commit.team_id == session.team_id,
        Commit.repository_id == repository_id,
        Commit.sha >= digits,
        Commit.sha < digits + "g",
    )
    return session.scalars(found.order_by(Commit.sha).limit(3)).all()


def select_last_good_commit(session: ReadSession, service_id: UUID) -> str | None:
    """Return the commit of the newest build that passed before the oldest open regression of the service."""
    opened = select(func.min(Regression.since_at)).where(
        Regression.team_id == session.team_id,
        Regression.service_id == service_id,
        Regression.confirmed,
        Regression.direction == "worse",
        Regression.closed_at.is_(None),
    )
    since = session.scalar(opened)
    found = (
        select(Build.commit)
        .join(BuildVerdict, (BuildVerdict.team_id == Build.team_id) & (BuildVerdict.build_id == Build.id))
        .where(Build.team_id == session.team_id, Build.service_id == service_id, BuildVerdict.state == "passed")
    )
    if since is not None:
        found = found.where(BuildVerdict.ordered_at < since)
    return session.scalars(found.order_by(BuildVerdict.ordered_at.desc(), Build.id.desc()).limit(1)).first()


# -- automatic bisects --------------------------------------------------------------------------------


def select_automatic_bisect(session: ReadSession, service_id: UUID) -> AutomaticBisect | None:
    """Return the rules of a service, by their unique constraint."""
    found = select(AutomaticBisect).where(
        AutomaticBisect.team_id == session.team_id, AutomaticBisect.service_id == service_id
    )
    return session.scalar(found, execution_options={"populate_existing": True})


def select_bisect_of_range(session: ReadSession, row: Bisect, good: str) -> Bisect | None:
    """Return the newest bisect from a good commit to the bad one of another bisect by the same signature, by ix_bisect_service."""
    found = select(Bisect).where(
        Bisect.team_id == session.team_id,
        Bisect.service_id == row.service_id,
        Bisect.repository_id == row.repository_id,
        Bisect.good_sha == good,
        Bisect.bad_sha == row.bad_sha,
        Bisect.signature["kind"].astext == row.signature["kind"],
        Bisect.signature["subject"].astext == row.signature["subject"],
        Bisect.state != BisectState.CANCELLED,
    )
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(1)).first()


def has_bisect(session: ReadSession, regression_id: UUID) -> bool:
    """Return whether a regression has a bisect, by ix_bisect_regression."""
    found = select(Bisect.id).where(Bisect.team_id == session.team_id, Bisect.regression_id == regression_id)
    return session.scalar(found.limit(1)) is not None


def count_automatic_deployments(session: ReadSession, service_id: UUID, since: datetime) -> int:
    """Count the deployments of automatic bisects of a service since a time."""
    found = (
        select(func.count())
        .select_from(Probe)
        .join(Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id))
        .where(
            Probe.team_id == session.team_id,
            Bisect.service_id == service_id,
            Bisect.is_automatic,
            Probe.leased_at >= since,
        )
    )
    return session.scalar(found) or 0


# -- preflights --------------------------------------------------------------------------------------


def select_preflight(session: ReadSession, preflight_id: BisectPreflightId) -> BisectPreflight | None:
    """Return one preflight, by primary key."""
    return session.get(BisectPreflight, (session.team_id, preflight_id), populate_existing=True)


def select_equal_preflight(session: ReadSession, row: BisectPreflight, since: datetime) -> BisectPreflight | None:
    """Return the newest preflight since a time with the same request and ends, without a problem, by ix_bisect_preflight_newest."""
    found = select(BisectPreflight).where(
        BisectPreflight.team_id == session.team_id,
        BisectPreflight.created_at >= since,
        BisectPreflight.request == row.request,
        BisectPreflight.repository_id == row.repository_id,
        BisectPreflight.good_sha == row.good_sha,
        BisectPreflight.bad_sha == row.bad_sha,
        BisectPreflight.problem.is_(None),
    )
    newest = found.order_by(BisectPreflight.created_at.desc(), BisectPreflight.id.desc()).limit(1)
    return session.scalars(newest).first()


def delete_preflights(session: WriteSession, before: datetime) -> None:
    """Delete the preflights created before a time, by ix_bisect_preflight_newest."""
    session.execute(
        delete(BisectPreflight).where(BisectPreflight.team_id == session.team_id, BisectPreflight.created_at < before)
    )


# -- probes ------------------------------------------------------------------------------------------


def select_probes(session: ReadSession, bisect_id: UUID) -> Sequence[Probe]:
    """Return the probes of a bisect in order, refreshed from the database, by uq_probe_number."""
    found = select(Probe).where(Probe.team_id == session.team_id, Probe.bisect_id == bisect_id)
    return session.scalars(found.order_by(Probe.number), execution_options={"populate_existing": True}).all()


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
    """Return ID and bisect of queued probes of running searches, by ix_probe_queued.

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
            Bisect.state == BisectState.SEARCHING,
            cast(dict(labels), JSONB()).contains(required_labels),
        )
    )
    return session.execute(found.order_by(running, Probe.queued_at, Probe.number).limit(limit)).all()


def select_active_probes(session: ReadSession, runner_id: UUID) -> Sequence[Probe]:
    """Return the unfinished probes of a runner, by uq_probe_slot."""
    return session.scalars(_running().where(Probe.team_id == session.team_id, Probe.runner_id == runner_id)).all()


def select_probe_durations(session: ReadSession, service_id: UUID, limit: int) -> Sequence[float]:
    """Return the seconds from lease to end of the last measured probes of a service."""
    found = (
        select(func.extract("epoch", Probe.ended_at - Probe.leased_at))
        .join(Bisect, (Bisect.team_id == Probe.team_id) & (Bisect.id == Probe.bisect_id))
        .where(
            Probe.team_id == session.team_id,
            Bisect.service_id == service_id,
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


# -- runners -----------------------------------------------------------------------------------------


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


# -- artifacts -------------------------------------------------------------------------------------------


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


# -- history -----------------------------------------------------------------------------------------


def select_events(session: ReadSession, bisect_id: UUID, limit: int) -> Sequence[BisectEvent]:
    """Return the newest events of a bisect, newest first, by ix_bisect_event_newest."""
    found = select(BisectEvent).where(BisectEvent.team_id == session.team_id, BisectEvent.bisect_id == bisect_id)
    return session.scalars(found.order_by(BisectEvent.created_at.desc(), BisectEvent.id.desc()).limit(limit)).all()


def select_last_event_time(session: ReadSession, bisect_id: UUID, kind: str) -> datetime | None:
    """Return the time of the newest event of a kind, by ix_bisect_event_newest."""
    return session.scalar(
        select(func.max(BisectEvent.occurred_at)).where(
            BisectEvent.team_id == session.team_id, BisectEvent.bisect_id == bisect_id, BisectEvent.kind == kind
        )
    )
