"""Create, read, update, publish and delete reports."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, ReportId, TeamId, UserId, new_id
from slowpath.core.jobs import enqueue
from slowpath.sharing.discussions.rules import DiscussionSubject
from slowpath.sharing.reports import queries
from slowpath.sharing.reports.errors import InvalidBlocks, ReportConflict, ReportNotFound, TooManyReportParts
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from slowpath.sharing.reports.rules import (
    MAX_BLOCKS,
    MAX_VERSIONS,
    BlockUpdate,
    digests_of,
    dump_blocks,
    load_blocks,
    reorder_blocks,
)
from slowpath.sharing.reports.tables import Report, ReportVersion

__all__ = [
    "blob_key",
    "create_report",
    "delete_report",
    "folder",
    "get_report",
    "link_counts",
    "list_referenced_blobs",
    "list_reports",
    "lock_report",
    "names",
    "publish_report",
    "subject",
    "update_report",
    "version_of",
    "versions",
]  # fmt: skip
NOT_FOUND = "The team has no such report."


def folder(team_id: TeamId, report_id: ReportId) -> str:
    """Return the folder of all blobs of a report."""
    return f"{team_id}/reports/{report_id}"


def blob_key(team_id: TeamId, report_id: ReportId, sha256: str) -> BlobKey:
    """Return the key of a gzipped response; versions share them."""
    return BlobKey(f"{folder(team_id, report_id)}/{sha256}.gz")


def get_report(session: ReadSession, report_id: ReportId) -> Report:
    """Return a report. Raises `ReportNotFound`."""
    row = queries.report(session, report_id)
    if row is None:
        raise ReportNotFound(NOT_FOUND)
    return row


def lock_report(session: WriteSession, report_id: ReportId) -> Report:
    """Return a report and lock it until this transaction ends. Raises `ReportNotFound`."""
    row = queries.lock_report(session, report_id)
    if row is None:
        raise ReportNotFound(NOT_FOUND)
    return row


def list_reports(
    session: ReadSession, after: tuple[datetime, UUID] | None, limit: int, search: str | None
) -> Sequence[Report]:
    """Return reports, newest first."""
    return queries.newest(session, after, limit, search)


def names(session: ReadSession, rows: Sequence[Report]) -> dict[UUID, str]:
    """Return the names of these reports' authors."""
    return queries.names(session, [row.created_by for row in rows])


def link_counts(session: ReadSession, rows: Sequence[Report], now: datetime) -> dict[UUID, int]:
    """Return the number of active share links of each report."""
    return queries.open_links(session, [row.id for row in rows], now)


def subject(session: ReadSession, report_id: UUID) -> DiscussionSubject:
    """Return a report as the subject of a discussion. Raises `ReportNotFound`."""
    return DiscussionSubject(get_report(session, ReportId(report_id)).title, f"/reports/{report_id}")


def create_report(session: WriteSession, title: str, by: UserId | None, now: datetime) -> Report:
    """Create an empty report."""
    queries.lock_team(session)
    number = queries.next_number(session)
    row = Report(
        team_id=session.team_id, id=new_id(), number=number, title=title, blocks=[], changed_at=now, created_by=by
    )
    session.add(row)
    session.flush()
    return row


def update_report(
    session: WriteSession,
    report_id: ReportId,
    *,
    title: str | None,
    blocks: Sequence[BlockUpdate] | None,
    seen_at: datetime | None,
    now: datetime,
) -> Report:
    """Update title or blocks. Raises `ReportNotFound`, `ReportConflict`, `InvalidBlocks`."""
    row = lock_report(session, report_id)
    if seen_at is not None and seen_at != row.changed_at:
        raise ReportConflict(
            "The report changed after you loaded it. Your change was not saved.", remedy="Reload the report."
        )
    if title is not None:
        row.title = title
    if blocks is not None:
        _arrange(session, row, blocks)
    row.changed_at = now
    return row


def _arrange(session: WriteSession, row: Report, updates: Sequence[BlockUpdate]) -> None:
    before = load_blocks(row.blocks)
    try:
        after = reorder_blocks(before, updates, (new_id() for _ in updates))
    except ValueError as error:
        raise InvalidBlocks(str(error), remedy="Reload the report.") from error
    row.blocks = dump_blocks(after)
    if dropped := digests_of(before) - digests_of(after):
        session.flush()  # the job must find them deleted, also if it runs immediately
        enqueue(session, DeleteUnusedReportBlobs(ReportId(row.id), sorted(dropped)))


def delete_report(session: WriteSession, report_id: ReportId) -> Report:
    """Delete a report, its versions, share links and discussion; a job deletes its blobs. Raises `ReportNotFound`."""
    row = lock_report(session, report_id)
    queries.delete_discussion(session, report_id)
    session.delete(row)
    session.flush()
    enqueue(session, DeleteUnusedReportBlobs(report_id, []))
    return row


def publish_report(session: WriteSession, report_id: ReportId, by: UserId | None, now: datetime) -> ReportVersion:
    """Publish the draft as a new version, which never changes. Raises `ReportNotFound`, `TooManyReportParts`."""
    row = lock_report(session, report_id)
    if row.version >= MAX_VERSIONS:
        raise TooManyReportParts(
            "The report has reached its limit of versions.",
            limit=MAX_VERSIONS,
            actual=row.version,
            unit="versions",
            remedy="Continue in another report.",
        )
    row.version += 1
    row.published_at = now
    made = ReportVersion(
        team_id=session.team_id,
        id=new_id(),
        report_id=report_id,
        version=row.version,
        title=row.title,
        blocks=row.blocks,
        published_by=by,
    )
    session.add(made)
    session.flush()
    enqueue(session, DeleteUnusedReportBlobs(report_id, []))  # links to the newest version have a stored bundle
    return made


def versions(session: ReadSession, report_id: ReportId) -> tuple[Sequence[ReportVersion], dict[UUID, str]]:
    """Return the published versions, newest first, with the names of their authors. Raises `ReportNotFound`."""
    get_report(session, report_id)
    rows = queries.versions(session, report_id)
    return rows, queries.names(session, [row.published_by for row in rows])


def version_of(session: ReadSession, report_id: ReportId, number: int) -> ReportVersion:
    """Return one version. Raises `ReportNotFound`."""
    row = queries.version(session, report_id, number)
    if row is None:
        raise ReportNotFound(f"The report has no version {number}.")
    return row


def list_referenced_blobs(session: WriteSession, report_id: ReportId) -> set[str] | None:
    """Return the digests that the report and its versions refer to, or None if it was deleted; locks the report."""
    row = queries.lock_report(session, report_id)
    if row is None:
        return None
    needed = digests_of(load_blocks(row.blocks))
    for version in queries.versions(session, report_id):
        needed |= digests_of(load_blocks(version.blocks))
    return needed


def check_part_limit(blocks: int) -> None:
    """Raise `TooManyReportParts` if a report with this many blocks may have no more."""
    if blocks >= MAX_BLOCKS:
        raise TooManyReportParts(
            "The report has reached its limit of blocks.",
            limit=MAX_BLOCKS,
            actual=blocks,
            unit="blocks",
            remedy="Remove blocks, or continue in another report.",
        )
