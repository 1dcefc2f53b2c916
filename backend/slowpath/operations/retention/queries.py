"""Every SELECT about what is kept and used. Each reads rows of the session's team only."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Date,
    Row,
    Select,
    and_,
    case,
    cast,
    delete,
    false,
    func,
    or_,
    select,
    text,
    union,
)

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, JobRow
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact, MultipartUpload
from slowpath.evidence.exec_traces.tables import TraceExcerpt
from slowpath.evidence.metrics.tables import MetricChunk, MetricWalRecord
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.operations.retention.rules import AGES, FILE_KINDS, UNREAD, BlobFolder
from slowpath.operations.retention.tables import RetentionRule, StorageSnapshot, UsageDay
from slowpath.platform.accounts.tables import AuditEvent
from slowpath.sharing.reports.tables import Report
from slowpath.verdicts.bisects.rules.bisect_states import OPEN as GOING_ON
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact, ComparisonExport
from slowpath.verdicts.regressions.rules import OPEN
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression, RegressionEvidence

kept_as = case((Artifact.kind.in_([kind for kind in FILE_KINDS if kind != UNREAD]), Artifact.kind), else_=UNREAD)
"""Under which kind a file is kept; `select_retention_rules.rule_kind` in SQL."""
HOURS_A_DAY = 24
FORGET_AUDIT = text("SELECT cross_team.delete_audit_events(:team, :before)")

# -- retention -------------------------------------------------------------------------------------


def select_retention_rules(session: ReadSession) -> Mapping[str, RetentionRule]:
    """Return what the team has decided, by kind."""
    return {row.kind: row for row in session.scalars(select(RetentionRule))}


def _held() -> ColumnElement[bool]:
    """Tell of an artifact whether something that is not finished still needs it.

    That is: the evidence of an open regression, its good and its bad build (a later build is proved against both), a
    comparison that has not been made yet, and what was measured in a bisect that goes on or whose regression is open.
    """
    is_open = Regression.state.in_([str(state) for state in OPEN])
    cited = union(
        select(Regression.comparison_id.label("id")).where(is_open, Regression.comparison_id.is_not(None)),
        select(RegressionEvidence.comparison_id.label("id"))
        .join(
            Regression,
            and_(
                Regression.team_id == RegressionEvidence.team_id,
                Regression.id == RegressionEvidence.regression_id,
            ),
        )
        .where(is_open, RegressionEvidence.comparison_id.is_not(None)),
        select(Comparison.id.label("id")).where(Comparison.state.in_(["waiting", "running"])),
    ).subquery()
    of_comparison = select(ComparisonArtifact.artifact_id).where(
        ComparisonArtifact.comparison_id.in_(select(cited.c.id))
    )
    builds = union(
        select(Regression.since_build_id.label("id")).where(is_open, Regression.since_build_id.is_not(None)),
        select(Regression.good_build_id.label("id")).where(is_open, Regression.good_build_id.is_not(None)),
    ).subquery()
    runs = (
        select(Probe.run_id)
        .join(Bisect, and_(Bisect.team_id == Probe.team_id, Bisect.id == Probe.bisect_id))
        .outerjoin(Regression, and_(Regression.team_id == Bisect.team_id, Regression.id == Bisect.regression_id))
        .where(or_(Bisect.state.in_([str(state) for state in GOING_ON]), is_open))
    )
    return or_(
        Artifact.id.in_(of_comparison),
        and_(Artifact.batch.is_not(None), Artifact.batch.in_(runs)),
        and_(Artifact.build_id.is_not(None), Artifact.build_id.in_(select(builds.c.id))),
        Artifact.state.in_([ArtifactState.RECEIVED, ArtifactState.DECODING]),
    )


def _too_old(days: Mapping[str, int | None], now: datetime) -> ColumnElement[bool]:
    """Tell of an artifact whether it is older than its kind is kept."""
    return or_(
        false(),
        *(
            and_(kept_as == kind, Artifact.created_at < now - timedelta(days=kept))
            for kind, kept in days.items()
            if kept is not None and kind in FILE_KINDS
        ),
    )


def by_kind(session: ReadSession) -> Sequence[Row[str, int, int, datetime]]:
    """Return kind, files, bytes, the oldest one's time."""
    found = select(kept_as.label("kind"), func.count(), func.sum(Artifact.size_bytes), func.min(Artifact.created_at))
    return session.execute(found.group_by(text("kind"))).all()


def select_expiry_preview(
    session: ReadSession, days: Mapping[str, int | None], now: datetime
) -> Sequence[Row[str, bool, int, int]]:
    """Return kind, whether they are held, files and bytes of what is older than it would be kept."""
    held = _held().label("held")
    found = select(kept_as.label("kind"), held, func.count(), func.sum(Artifact.size_bytes))
    return session.execute(found.where(_too_old(days, now)).group_by(text("kind"), text("held"))).all()


def select_expired_artifacts(
    session: ReadSession, days: Mapping[str, int | None], now: datetime, limit: int
) -> Sequence[Artifact]:
    """Return some artifacts that are older than they are kept and that nothing holds, oldest first."""
    found = select(Artifact).where(_too_old(days, now), ~_held()).order_by(Artifact.created_at, Artifact.id)
    return session.scalars(found.limit(limit)).all()


def audit_size(session: ReadSession) -> tuple[int, datetime | None]:
    """Return how many entries the log has, and the time of the oldest."""
    count, oldest = session.execute(select(func.count(), func.min(AuditEvent.created_at)).select_from(AuditEvent)).one()
    return count, oldest


def forget_audit(cross_team: Connection, team_id: TeamId, before: datetime) -> int:
    """Delete what the log of a team says of before a time, but nothing of the last year; returns how many entries."""
    gone: int = cross_team.execute(FORGET_AUDIT, {"team": team_id, "before": before}).scalar_one()
    return gone


# -- what lies in the blob store -------------------------------------------------------------------

_ROWS: Mapping[BlobFolder, Any] = {
    BlobFolder.COMPARISONS: Comparison,
    BlobFolder.EXPORTS: ComparisonExport,
    BlobFolder.CUTS: TraceExcerpt,
    BlobFolder.PARTS: MultipartUpload,
    BlobFolder.REPORTS: Report,
}


def known_hashes(session: ReadSession, hashes: Iterable[str]) -> set[str]:
    """Return those of the hashes that an artifact of the team has, by ix_artifact_sha256."""
    return set(session.scalars(select(Artifact.sha256).where(Artifact.sha256.in_(list(hashes))).distinct()))


def known_rows(session: ReadSession, folder: BlobFolder, ids: Iterable[UUID]) -> set[UUID]:
    """Return those of the ids whose row is there, by primary key."""
    table = _ROWS.get(folder)
    if table is None:  # the table of team exports was dropped: nothing owns their blobs
        return set()
    return set(session.scalars(select(table.id).where(table.id.in_(list(ids)))))


def newest_count(session: ReadSession) -> StorageSnapshot | None:
    """Return what was counted last."""
    return session.scalars(select(StorageSnapshot).order_by(StorageSnapshot.created_at.desc()).limit(1)).first()


def forget_counts(session: WriteSession, before: datetime) -> None:
    """Delete old counts."""
    session.execute(delete(StorageSnapshot).where(StorageSnapshot.created_at < before))


def samples_size(session: ReadSession) -> tuple[int, int]:
    """Return how many packed hours of samples there are, and their bytes as they are stored."""
    found = select(func.count(), func.coalesce(func.sum(func.pg_column_size(MetricChunk.content)), 0))
    count, stored = session.execute(found.where(MetricChunk.team_id == session.team_id)).one()
    return count, stored


# -- usage -----------------------------------------------------------------------------------------


def stored(session: ReadSession, now: datetime) -> Sequence[Row[str, UUID | None, int, int, int]]:
    """Return kind, service, class of age (an index of `AGES`, or its length), files, bytes; one pass over artifacts."""
    age = case(
        *((Artifact.created_at >= now - timedelta(days=days), number) for number, days in enumerate(AGES)),
        else_=len(AGES),
    )
    found = (
        select(
            kept_as.label("kind"),
            Build.service_id.label("service"),
            age.label("age"),
            func.count(),
            func.sum(Artifact.size_bytes),
        )
        .select_from(Artifact)
        .outerjoin(Build, and_(Build.team_id == Artifact.team_id, Build.id == Artifact.build_id))
        .group_by(text("kind"), text("service"), text("age"))
    )
    return session.execute(found).all()


def service_names(session: ReadSession) -> Mapping[UUID, str]:
    """Return the names of all services."""
    return {row.id: row.name for row in session.execute(select(Service.id, Service.name))}


def days_since(session: ReadSession, first: date) -> Sequence[UsageDay]:
    """Return what was counted of days, oldest first."""
    return session.scalars(select(UsageDay).where(UsageDay.day >= first).order_by(UsageDay.day)).all()


def _per_day(session: ReadSession, at: Any, first: datetime, *sums: Any) -> Mapping[date, Row[*tuple[Any, ...]]]:  # noqa: ANN401 - columns
    day = cast(func.timezone("UTC", at), Date).label("day")
    found: Select[*tuple[Any, ...]] = select(day, func.count(), *sums).where(at >= first).group_by(text("day"))
    return {row[0]: row for row in session.execute(found)}


def uploads_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day, uploads, bytes, by ix_artifact_newest."""
    return _per_day(session, Artifact.created_at, first, func.sum(Artifact.size_bytes))


def jobs_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day, jobs that somebody asked for, by ix_job_newest."""
    asked = func.count().filter(JobRow.subject_kind != HOUSEKEEPING)
    return _per_day(session, JobRow.created_at, first, asked)


def builds_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day, builds judged."""
    return _per_day(session, BuildVerdict.evaluated_at, first)


def samples_per_day(session: ReadSession, first: datetime) -> Mapping[date, int]:
    """Return how many samples lie in the packed hours of each day, and in the newest ones that are not packed yet."""
    epoch_hour = int(first.timestamp()) // 3600
    day = (func.div(MetricChunk.hour, HOURS_A_DAY)).label("day")
    packed = select(day, func.sum(MetricChunk.samples)).where(
        MetricChunk.team_id == session.team_id, MetricChunk.hour >= epoch_hour
    )
    told = {
        date(1970, 1, 1) + timedelta(days=int(row[0])): int(row[1]) for row in session.execute(packed.group_by(day))
    }
    at = cast(func.timezone("UTC", MetricWalRecord.created_at), Date).label("day")
    tail = select(at, func.sum(MetricWalRecord.samples)).where(MetricWalRecord.team_id == session.team_id).group_by(at)
    for when, count in session.execute(tail):
        told[when] = told.get(when, 0) + int(count)
    return told
