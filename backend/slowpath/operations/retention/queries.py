"""SQL queries on retention and usage. Each reads only rows of the session's team."""

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
    Text,
    Update,
    and_,
    case,
    cast,
    delete,
    exists,
    false,
    func,
    or_,
    select,
    text,
    union,
    update,
)

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import TeamId
from slowpath.core.jobs import HOUSEKEEPING, JobRow
from slowpath.core.stored_blobs import StoredBlob
from slowpath.evidence import kind_registry
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact, MultipartUpload
from slowpath.evidence.exec_traces.tables import TraceExcerpt
from slowpath.evidence.metrics.tables import MetricChunk, MetricRollUp, MetricWalRecord
from slowpath.evidence.profiles.tables import ProfileSet
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.operations.retention.rules import AGES, HASH_LENGTH, UNREAD, BlobFolder
from slowpath.operations.retention.tables import RetentionRule, StorageSnapshot, UsageDay
from slowpath.platform.accounts.tables import AuditEvent
from slowpath.sharing.reports.tables import Report
from slowpath.verdicts.bisects.rules.bisect_states import OPEN as GOING_ON
from slowpath.verdicts.bisects.tables import Bisect, Probe
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact, ComparisonExport
from slowpath.verdicts.production_events.rules.event_states import OPEN as OPEN_EVENTS
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.rules import OPEN
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression, RegressionEvidence

HOURS_A_DAY = 24
DELETE_AUDIT_EVENTS = text("SELECT cross_team.delete_audit_events(:team, :before)")

# -- retention -------------------------------------------------------------------------------------


def select_retention_rules(session: ReadSession) -> Mapping[str, RetentionRule]:
    """Return the retention rules of the team, by kind."""
    return {row.kind: row for row in session.scalars(select(RetentionRule))}


def _retained_kind() -> ColumnElement[str]:
    """Return the kind of an artifact's retention rule."""
    return case((Artifact.kind.in_(list(kind_registry.retained_kinds())), Artifact.kind), else_=UNREAD)


def _is_in_use() -> ColumnElement[bool]:
    """Return the condition that unfinished work needs an artifact.

    Such artifacts are: the evidence of an open regression or production event, the good and bad build of the regression
    (later builds are compared with both), the inputs of an unfinished comparison, the measurements of a bisect that is
    open or whose regression is open, and artifacts that are not decoded yet.
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
        select(ProductionEvent.comparison_id.label("id")).where(
            ProductionEvent.state.in_([str(state) for state in OPEN_EVENTS]), ProductionEvent.comparison_id.is_not(None)
        ),
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


def _is_expired(days: Mapping[str, int | None], now: datetime) -> ColumnElement[bool]:
    """Return the condition that an artifact is older than the retention of its kind."""
    return or_(
        false(),
        *(
            and_(_retained_kind() == kind, Artifact.created_at < now - timedelta(days=kind_days))
            for kind, kind_days in days.items()
            if kind_days is not None and (kind == UNREAD or kind in kind_registry.retained_kinds())
        ),
    )


def by_kind(session: ReadSession) -> Sequence[Row[str, int, int, datetime]]:
    """Return kind, files, bytes and the time of the oldest artifact."""
    found = select(
        _retained_kind().label("kind"), func.count(), func.sum(Artifact.size_bytes), func.min(Artifact.created_at)
    )
    return session.execute(found.group_by(text("kind"))).all()


def select_expiry_preview(
    session: ReadSession, days: Mapping[str, int | None], now: datetime
) -> Sequence[Row[str, bool, int, int]]:
    """Return kind, whether in use, files and bytes of the artifacts that exceed the given retention."""
    in_use = _is_in_use().label("in_use")
    found = select(_retained_kind().label("kind"), in_use, func.count(), func.sum(Artifact.size_bytes))
    return session.execute(found.where(_is_expired(days, now)).group_by(text("kind"), text("in_use"))).all()


def select_expired_artifacts(
    session: ReadSession, days: Mapping[str, int | None], now: datetime, limit: int
) -> Sequence[Artifact]:
    """Return up to `limit` expired artifacts that are not in use, oldest first."""
    found = select(Artifact).where(_is_expired(days, now), ~_is_in_use()).order_by(Artifact.created_at, Artifact.id)
    return session.scalars(found.limit(limit)).all()


def audit_size(session: ReadSession) -> tuple[int, datetime | None]:
    """Return the number of audit events, and the time of the oldest."""
    count, oldest = session.execute(select(func.count(), func.min(AuditEvent.created_at)).select_from(AuditEvent)).one()
    return count, oldest


def delete_audit_events(cross_team: Connection, team_id: TeamId, before: datetime) -> int:
    """Delete audit events of a team before a time, except those of the last year; return their number."""
    deleted: int = cross_team.execute(DELETE_AUDIT_EVENTS, {"team": team_id, "before": before}).scalar_one()
    return deleted


# -- blob store ------------------------------------------------------------------------------------

_ROWS: Mapping[str, Any] = {
    BlobFolder.COMPARISONS: Comparison,
    BlobFolder.EXPORTS: ComparisonExport,
    BlobFolder.PROFILE_SETS: ProfileSet,
    BlobFolder.CUTS: TraceExcerpt,
    BlobFolder.PARTS: MultipartUpload,
    BlobFolder.REPORTS: Report,
}


def mark_blobs_without_artifact(session: WriteSession, decoded_folders: Iterable[str]) -> None:
    """Make the checked blobs due whose key has a hash that no artifact of the team has."""
    sha256 = func.substring(StoredBlob.key, f"[0-9a-f]{{{HASH_LENGTH}}}")
    session.execute(
        _make_due([BlobFolder.ORIGINALS, *decoded_folders]).where(
            ~exists().where(Artifact.team_id == StoredBlob.team_id, Artifact.sha256 == sha256)
        )
    )


def mark_blobs_without_row(session: WriteSession) -> None:
    """Make the checked blobs due whose key has the ID of a row that does not exist."""
    owner = func.split_part(StoredBlob.key, "/", 3)
    for folder in BlobFolder:
        if folder is BlobFolder.ORIGINALS:
            continue
        table = _ROWS.get(folder)
        made_due = _make_due([folder])
        if table is not None:
            ids = select(cast(table.id, Text)).where(table.team_id == session.team_id)
            made_due = made_due.where(owner.not_in(ids))
        session.execute(made_due)


def _make_due(folders: Iterable[str]) -> Update:
    of_folders = StoredBlob.check_at.is_(None), func.split_part(StoredBlob.key, "/", 2).in_(list(folders))
    return update(StoredBlob).where(*of_folders).values(check_at=func.clock_timestamp())


def known_rows(session: ReadSession, folder: str, ids: Iterable[UUID]) -> set[UUID]:
    """Return the IDs whose row exists, by primary key."""
    table = _ROWS.get(folder)
    if table is None:  # the table of team exports was dropped: no row owns their blobs
        return set()
    return set(session.scalars(select(table.id).where(table.id.in_(list(ids)))))


def find_newest_snapshot(session: ReadSession) -> StorageSnapshot | None:
    """Return the newest storage snapshot."""
    return session.scalars(select(StorageSnapshot).order_by(StorageSnapshot.created_at.desc()).limit(1)).first()


def delete_snapshots(session: WriteSession, before: datetime) -> None:
    """Delete storage snapshots from before a time."""
    session.execute(delete(StorageSnapshot).where(StorageSnapshot.created_at < before))


def samples_size(session: ReadSession) -> tuple[int, int]:
    """Return the number of chunks and roll-ups of samples, and their stored size in bytes."""
    count, stored = 0, 0
    for table in (MetricChunk, MetricRollUp):
        found = select(func.count(), func.coalesce(func.sum(func.pg_column_size(table.content)), 0))
        rows, size = session.execute(found.where(table.team_id == session.team_id)).one()
        count, stored = count + rows, stored + size
    return count, stored


# -- usage -----------------------------------------------------------------------------------------


def stored(session: ReadSession, now: datetime) -> Sequence[Row[str, UUID | None, int, int, int]]:
    """Return kind, service, age group (index in `AGES`, or its length), files and bytes, in one scan of artifacts."""
    age = case(
        *((Artifact.created_at >= now - timedelta(days=days), number) for number, days in enumerate(AGES)),
        else_=len(AGES),
    )
    found = (
        select(
            _retained_kind().label("kind"),
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
    """Return the recorded daily usage, oldest first."""
    return session.scalars(select(UsageDay).where(UsageDay.day >= first).order_by(UsageDay.day)).all()


def _per_day(session: ReadSession, at: Any, first: datetime, *sums: Any) -> Mapping[date, Row[*tuple[Any, ...]]]:  # noqa: ANN401 - columns
    day = cast(func.timezone("UTC", at), Date).label("day")
    found: Select[*tuple[Any, ...]] = select(day, func.count(), *sums).where(at >= first).group_by(text("day"))
    return {row[0]: row for row in session.execute(found)}


def uploads_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day, uploads, bytes, by ix_artifact_newest."""
    return _per_day(session, Artifact.created_at, first, func.sum(Artifact.size_bytes))


def jobs_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day and number of jobs except maintenance, by ix_job_newest."""
    user_jobs = func.count().filter(JobRow.subject_kind != HOUSEKEEPING)
    return _per_day(session, JobRow.created_at, first, user_jobs)


def builds_per_day(session: ReadSession, first: datetime) -> Mapping[date, Row[*tuple[Any, ...]]]:
    """Return day and number of evaluated builds."""
    return _per_day(session, BuildVerdict.evaluated_at, first)


def samples_per_day(session: ReadSession, first: datetime) -> Mapping[date, int]:
    """Return the number of samples per day, in chunks and in WAL records that are not compacted yet."""
    epoch_hour = int(first.timestamp()) // 3600
    day = (func.div(MetricChunk.hour, HOURS_A_DAY)).label("day")
    packed = select(day, func.sum(MetricChunk.samples)).where(
        MetricChunk.team_id == session.team_id, MetricChunk.hour >= epoch_hour
    )
    totals = {
        date(1970, 1, 1) + timedelta(days=int(row[0])): int(row[1]) for row in session.execute(packed.group_by(day))
    }
    at = cast(func.timezone("UTC", MetricWalRecord.created_at), Date).label("day")
    pending = (
        select(at, func.sum(MetricWalRecord.samples)).where(MetricWalRecord.team_id == session.team_id).group_by(at)
    )
    for when, count in session.execute(pending):
        totals[when] = totals.get(when, 0) + int(count)
    return totals
