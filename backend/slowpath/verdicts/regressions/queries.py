"""Database queries of build measurements, build verdicts and regressions."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Row, and_, case, cast, delete, func, or_, select, text, tuple_
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, ServiceId
from slowpath.core.jobs import JobRow, JobState
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.jobs import BuildChanged
from slowpath.inventory.catalog.tables import Build
from slowpath.platform.accounts.tables import Membership, User
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from slowpath.verdicts.regressions.rules import OPEN, RegressionState
from slowpath.verdicts.regressions.tables import (
    BuildChangePoint,
    BuildMeasurement,
    BuildVerdict,
    Regression,
    RegressionEvent,
    RegressionEvidence,
    SeriesMuteRule,
)

After = tuple[datetime, UUID] | None
MOST_ELSEWHERE = 100
NUMBER = re.compile(r"#?(\d{1,9})", re.ASCII)
"""A regression as notifications name it."""


@dataclass(frozen=True)
class RegressionFilter:
    """Which regressions; None or empty means any."""

    service_id: ServiceId | None = None
    branch: str | None = None
    states: Sequence[str] = ()
    kind: str | None = None
    assignee_id: UUID | None = None
    unassigned: bool = False
    confirmed: bool | None = True
    build_id: BuildId | None = None
    search: str | None = None


def select_regression(session: ReadSession, regression_id: RegressionId, *, held: bool = False) -> Regression | None:
    """Return one regression, by primary key; `held` locks it until the transaction ends."""
    return session.get(Regression, (session.team_id, regression_id), with_for_update=held, populate_existing=held)


def select_regressions(
    session: ReadSession, filters: RegressionFilter, *, after: After, limit: int
) -> Sequence[Regression]:
    """Return regressions, newest first.

    By ix_regression_newest, ix_regression_line or ix_regression_since.
    """
    found = select(Regression).order_by(Regression.created_at.desc(), Regression.id.desc()).limit(limit)
    equal: Mapping[Any, Any] = {
        Regression.service_id: filters.service_id,
        Regression.branch: filters.branch,
        Regression.kind: filters.kind,
        Regression.assignee_id: filters.assignee_id,
        Regression.confirmed: filters.confirmed,
        Regression.since_build_id: filters.build_id,
    }
    found = found.where(*(column == value for column, value in equal.items() if value is not None))
    if filters.states:
        found = found.where(Regression.state.in_(filters.states))
    if filters.unassigned:
        found = found.where(Regression.assignee_id.is_(None))
    if filters.search:
        texts = (Regression.title, Regression.subject, Regression.since_commit)
        conditions = [each.icontains(filters.search, autoescape=True) for each in texts]
        if (number := NUMBER.fullmatch(filters.search.strip())) is not None:
            conditions.append(Regression.number == int(number[1]))
        found = found.where(or_(*conditions))
    if after is not None:
        found = found.where(tuple_(Regression.created_at, Regression.id) < after)
    return session.scalars(found).all()


def select_regressions_by_id(
    session: ReadSession, regression_ids: Sequence[UUID], *, held: bool = False
) -> Sequence[Regression]:
    """Return the regressions with these IDs in order of ID, by primary key; `held` locks them."""
    found = select(Regression).where(Regression.id.in_(regression_ids)).order_by(Regression.id)
    return session.scalars(found.with_for_update() if held else found).all()


def select_regressions_of_branch(session: ReadSession, service_id: ServiceId, branch: str) -> Sequence[Regression]:
    """Return all regressions of a branch, confirmed or not, by ix_regression_line."""
    found = select(Regression).where(Regression.service_id == service_id, Regression.branch == branch)
    return session.scalars(found.order_by(Regression.created_at)).all()


def select_regressions_on_other_branches(
    session: ReadSession, service_id: ServiceId, branch: str, states: Collection[str]
) -> Sequence[Regression]:
    """Return the newest confirmed regressions of a service's other branches, by ix_regression_line."""
    found = select(Regression).where(
        Regression.service_id == service_id,
        Regression.branch != branch,
        Regression.confirmed,
        Regression.state.in_(states),
    )
    return session.scalars(found.order_by(Regression.created_at.desc()).limit(MOST_ELSEWHERE)).all()


def count_regressions(session: ReadSession) -> Sequence[Row[UUID, str, int]]:
    """Count confirmed regressions by service and state, by ix_regression_newest."""
    found = select(Regression.service_id, Regression.state, func.count()).where(Regression.confirmed)
    return session.execute(found.group_by(Regression.service_id, Regression.state)).all()


def count_new_unassigned(session: ReadSession) -> int:
    """Count confirmed regressions that are new and unassigned, by ix_regression_newest."""
    found = select(func.count()).where(
        Regression.confirmed,
        Regression.state == RegressionState.NEW,
        Regression.assignee_id.is_(None),
    )
    return session.scalar(found.select_from(Regression)) or 0


def select_largest_open_regression(session: ReadSession) -> Regression | None:
    """Return the open regression with the largest ratio, by ix_regression_newest."""
    found = select(Regression).where(Regression.confirmed, Regression.state.in_(OPEN))
    return session.scalars(found.order_by(Regression.ratio.desc().nulls_last(), Regression.id).limit(1)).first()


def select_user_names(session: ReadSession, user_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of these users, by primary key."""
    if not user_ids:
        return {}
    rows = session.execute(select(User.id, User.name).where(User.id.in_(set(user_ids))))
    return {row.id: row.name for row in rows}


def is_member(session: ReadSession, user_id: UUID) -> bool:
    """Return whether a user is a member of the team, by its unique constraint."""
    return session.scalar(select(Membership.id).where(Membership.user_id == user_id).limit(1)) is not None


def lock_history(session: ReadSession, service_id: ServiceId) -> None:
    """Serialize evaluations of the builds of a service until the transaction ends."""
    _lock(session, f"judge/{service_id}")


def next_number(session: ReadSession) -> int:
    """Return the next number of a regression; other transactions wait until this one ends."""
    _lock(session, f"number/{session.team_id}")
    return (session.scalar(select(func.max(Regression.number)).where(Regression.team_id == session.team_id)) or 0) + 1


def _lock(session: ReadSession, key: str) -> None:
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 5))"), {"key": key})


def select_events(
    session: ReadSession, regression_id: RegressionId, *, after: After, limit: int
) -> Sequence[RegressionEvent]:
    """Return the events of a regression, newest first, by ix_regression_event_newest."""
    found = select(RegressionEvent).where(RegressionEvent.regression_id == regression_id)
    found = found.order_by(RegressionEvent.created_at.desc(), RegressionEvent.id.desc()).limit(limit)
    if after is not None:
        found = found.where(tuple_(RegressionEvent.created_at, RegressionEvent.id) < after)
    return session.scalars(found).all()


def select_newest_event(session: ReadSession, regression_id: UUID, kind: str) -> RegressionEvent | None:
    """Return the newest event of a kind of a regression, by ix_regression_event_newest."""
    found = select(RegressionEvent).where(
        RegressionEvent.team_id == session.team_id,
        RegressionEvent.regression_id == regression_id,
        RegressionEvent.kind == kind,
    )
    newest = found.order_by(RegressionEvent.created_at.desc(), RegressionEvent.id.desc()).limit(1)
    return session.scalars(newest).first()


def select_evidence(session: ReadSession, regression_id: RegressionId) -> Sequence[RegressionEvidence]:
    """Return the evidence of a regression, oldest first, by ix_regression_evidence_regression."""
    found = select(RegressionEvidence).where(RegressionEvidence.regression_id == regression_id)
    return session.scalars(found.order_by(RegressionEvidence.created_at, RegressionEvidence.id)).all()


def has_evidence(session: ReadSession, regression_id: RegressionId, comparison_id: ComparisonId) -> bool:
    """Return whether the comparison is evidence of the regression, by ix_regression_evidence_regression."""
    found = select(RegressionEvidence.id).where(
        RegressionEvidence.regression_id == regression_id, RegressionEvidence.comparison_id == comparison_id
    )
    return session.scalar(found.limit(1)) is not None


def select_citing_regressions(session: ReadSession, comparison_id: ComparisonId) -> Sequence[Regression]:
    """Return the regressions whose evidence is this comparison, by ix_regression_comparison."""
    return session.scalars(select(Regression).where(Regression.comparison_id == comparison_id)).all()


def select_build_verdict(session: ReadSession, build_id: BuildId) -> BuildVerdict | None:
    """Return the verdict on a build, by its unique constraint."""
    return session.scalars(select(BuildVerdict).where(BuildVerdict.build_id == build_id)).one_or_none()


def select_build_verdicts(session: ReadSession, build_ids: Sequence[UUID]) -> Sequence[BuildVerdict]:
    """Return the verdicts on builds, by its unique constraint."""
    return session.scalars(select(BuildVerdict).where(BuildVerdict.build_id.in_(build_ids))).all()


def has_pending_evaluation(session: ReadSession, build_id: BuildId) -> bool:
    """Return whether the evaluation of a build is enqueued and not finished, by ix_job_subject."""
    found = select(JobRow.id).where(
        JobRow.subject_kind == EvaluateBuild.subject_kind,
        JobRow.subject_id == build_id,
        JobRow.name.in_((EvaluateBuild.name, BuildChanged.name)),
        JobRow.state.in_((JobState.WAITING, JobState.RUNNING)),
    )
    return session.scalar(found.limit(1)) is not None


def select_history(
    session: ReadSession, service_id: ServiceId, branch: str, limit: int, *, until: datetime | None = None
) -> list[Row[BuildVerdict, Build]]:
    """Return the newest builds of a branch (up to `until`), oldest first, by ix_build_judgement_line."""
    found = (
        select(BuildVerdict, Build)
        .join(Build, and_(Build.team_id == BuildVerdict.team_id, Build.id == BuildVerdict.build_id))
        .where(BuildVerdict.service_id == service_id, BuildVerdict.branch == branch)
        .order_by(BuildVerdict.ordered_at.desc(), BuildVerdict.build_id.desc())
        .limit(limit)
    )
    if until is not None:
        found = found.where(BuildVerdict.ordered_at <= until)
    return list(reversed(session.execute(found).all()))


def count_builds_by_branch(session: ReadSession, service_id: ServiceId) -> dict[str, int]:
    """Count the builds of each branch of a service, by ix_build_judgement_line."""
    found = select(BuildVerdict.branch, func.count()).where(BuildVerdict.service_id == service_id)
    return {row[0]: row[1] for row in session.execute(found.group_by(BuildVerdict.branch))}


def select_measurements(
    session: ReadSession, build_ids: Sequence[UUID], kinds: Sequence[str] | None = None
) -> Sequence[BuildMeasurement]:
    """Return the measurements of these builds, by uq_build_measure_kind."""
    found = select(BuildMeasurement).where(BuildMeasurement.build_id.in_(build_ids))
    return session.scalars(found if kinds is None else found.where(BuildMeasurement.kind.in_(kinds))).all()


def select_newest_measurements(
    session: ReadSession, service_ids: Sequence[UUID], kind: str, limit: int
) -> Sequence[bytes]:
    """Return the packed measurements of one kind of the newest builds of services, by ix_build_service."""
    found = (
        select(BuildMeasurement.content)
        .join(Build, and_(Build.team_id == BuildMeasurement.team_id, Build.id == BuildMeasurement.build_id))
        .where(Build.service_id.in_(service_ids), BuildMeasurement.kind == kind)
        .order_by(Build.created_at.desc())
        .limit(limit)
    )
    return session.scalars(found).all()


def select_measurement_sources(session: ReadSession, build_id: BuildId) -> dict[str, str]:
    """Return the source of each measurement of a build, by uq_build_measure_kind."""
    found = select(BuildMeasurement.kind, BuildMeasurement.artifact_hashes).where(BuildMeasurement.build_id == build_id)
    return {row[0]: row[1] for row in session.execute(found)}


def select_sources_by_build(session: ReadSession, build_ids: Sequence[UUID], kind: str) -> dict[UUID, str]:
    """Return the source of the measurement of a kind, by build, by uq_build_measure_kind."""
    found = select(BuildMeasurement.build_id, BuildMeasurement.artifact_hashes)
    rows = session.execute(found.where(BuildMeasurement.build_id.in_(build_ids), BuildMeasurement.kind == kind))
    return {row[0]: row[1] for row in rows}


def delete_measurements(session: WriteSession, build_id: BuildId, kinds: Sequence[str]) -> None:
    """Delete the measurements of a build of these kinds, by uq_build_measure_kind."""
    session.execute(
        delete(BuildMeasurement).where(BuildMeasurement.build_id == build_id, BuildMeasurement.kind.in_(kinds))
    )


def select_change_points(session: ReadSession, service_id: ServiceId, branch: str) -> Sequence[BuildChangePoint]:
    """Return the change points of a branch, by uq_change_point_place."""
    found = select(BuildChangePoint).where(BuildChangePoint.service_id == service_id, BuildChangePoint.branch == branch)
    return session.scalars(found).all()


def select_mute_rules(session: ReadSession, service_id: ServiceId) -> Sequence[SeriesMuteRule]:
    """Return the mute rules of a service, by uq_watched_series_subject."""
    found = select(SeriesMuteRule).where(SeriesMuteRule.service_id == service_id)
    return session.scalars(found.order_by(SeriesMuteRule.kind, SeriesMuteRule.subject)).all()


def select_build_verdict_of_comparison(session: ReadSession, comparison_id: ComparisonId) -> BuildVerdict | None:
    """Return the verdict on the build that a comparison is the evidence of, by ix_build_verdict_comparison."""
    return session.scalars(select(BuildVerdict).where(BuildVerdict.comparison_id == comparison_id)).first()


def select_possible_descendants(
    session: ReadSession, row: BuildVerdict, missing: Sequence[str], limit: int
) -> Sequence[BuildVerdict]:
    """Return the newest verdicts that more evidence of a build may change, by ix_build_verdict_line.

    Their builds were compared with it, or with a build before it, or with too few kinds, or under partly unknown conditions, or
    with none because of `missing`.
    """
    compared = aliased(BuildVerdict)
    answer = BuildVerdict.ancestor_answer
    has_no_base = and_(BuildVerdict.comparison_id.is_(None), answer["state"].astext.in_(missing))
    is_between = and_(BuildVerdict.ordered_at > row.ordered_at, compared.ordered_at < row.ordered_at)
    lacks_kinds = and_(BuildVerdict.ordered_at > row.ordered_at, func.jsonb_array_length(answer["kinds_left_out"]) > 0)
    is_uncertain = and_(
        BuildVerdict.ordered_at > row.ordered_at, func.jsonb_array_length(answer["unknown_conditions"]) > 0
    )
    found = (
        select(BuildVerdict)
        .join(
            compared,
            and_(compared.team_id == BuildVerdict.team_id, compared.build_id == BuildVerdict.compared_build_id),
            isouter=True,
        )
        .where(
            BuildVerdict.service_id == row.service_id,
            BuildVerdict.build_id != row.build_id,
            or_(BuildVerdict.compared_build_id == row.build_id, has_no_base, is_between, lacks_kinds, is_uncertain),
        )
        .order_by(BuildVerdict.ordered_at.desc(), BuildVerdict.build_id.desc())
        .limit(limit)
    )
    return session.scalars(found).all()


def has_regression(session: ReadSession, comparison_id: ComparisonId) -> bool:
    """Return whether a regression cites a comparison, by ix_regression_comparison and ix_regression_evidence_comparison."""
    named = select(Regression.id).where(Regression.comparison_id == comparison_id)
    cited = select(RegressionEvidence.id).where(RegressionEvidence.comparison_id == comparison_id)
    return session.scalar(named.union_all(cited).limit(1)) is not None


def select_builds_with_evidence(
    session: ReadSession, service_id: ServiceId, kinds: Sequence[str], limit: int
) -> Sequence[Build]:
    """Return the newest builds of a service with a decoded artifact of these kinds, by ix_artifact_build."""
    evidence = select(Artifact.id).where(
        Artifact.team_id == Build.team_id,
        Artifact.build_id == Build.id,
        Artifact.state == "decoded",
        Artifact.kind.in_(kinds),
    )
    newest = func.coalesce(Build.committed_at, Build.created_at)
    found = select(Build).where(Build.service_id == service_id, evidence.exists())
    return session.scalars(found.order_by(newest.desc(), Build.id.desc()).limit(limit)).all()


def select_artifacts(session: ReadSession, build_id: BuildId, kinds: Sequence[str], limit: int) -> Sequence[Artifact]:
    """Return the newest decoded artifacts of a build, at most `limit` per kind, oldest first.

    By ix_artifact_build.
    """
    number = func.row_number().over(
        partition_by=Artifact.kind, order_by=(Artifact.created_at.desc(), Artifact.id.desc())
    )
    ranked = (
        select(Artifact.id, number.label("number"))
        .where(Artifact.build_id == build_id, Artifact.state == "decoded", Artifact.kind.in_(kinds))
        .subquery()
    )
    found = select(Artifact).join(ranked, ranked.c.id == Artifact.id).where(ranked.c.number <= limit)
    return session.scalars(found.order_by(Artifact.created_at, Artifact.id)).all()


def count_undecoded(session: ReadSession, build_id: BuildId) -> int:
    """Count the artifacts of a build that are not decoded yet, by ix_artifact_build."""
    waiting = cast(case((Artifact.state.in_(("received", "decoding")), 1), else_=0), Integer)
    found = select(func.coalesce(func.sum(waiting), 0)).where(Artifact.build_id == build_id)
    return session.scalar(found) or 0
