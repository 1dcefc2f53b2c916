"""HTTP endpoints of reports: text blocks, snapshots, versions."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound, TooLarge, Unavailable
from slowpath.core.ids import ReportId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import Own
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, DatabaseOf, Now, Reading, Writing, scope_of
from slowpath.sharing.reports.rules import MAX_VERSIONS
from slowpath.sharing.reports.schemas import (
    ReportIn,
    ReportOut,
    ReportUpdate,
    ReportVersionOut,
    SnapshotBlockOut,
    SnapshotIn,
    report_out,
    version_out,
    view_block_out,
)
from slowpath.sharing.reports.service import reports, snapshots
from slowpath.sharing.reports.service.snapshots import SnapshotRequest
from slowpath.sharing.reports.tables import Report, ReportVersion

router = APIRouter(tags=["reports"])
Version = Annotated[int | None, Query(ge=1, le=MAX_VERSIONS, description="missing: the draft")]


def _make_report_out(
    session: ReadSession, row: Report, now: datetime, version: ReportVersion | None = None
) -> ReportOut:
    links = reports.link_counts(session, [row], now)
    return report_out(row, reports.names(session, [row]), links.get(row.id, 0), version=version)


@router.get("/reports", operation_id="reports:list", responses=document_problems(InvalidRequest))
def list_reports(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    clock: Now,
    search: Annotated[str | None, Query(max_length=200)] = None,
) -> Page[ReportOut]:
    """List reports, newest first, without the responses of their snapshots."""
    rows = reports.list_reports(session, paging.after, paging.limit + 1, search)
    names, links = reports.names(session, rows), reports.link_counts(session, rows, clock.now())
    return paging.page(
        rows,
        lambda row: report_out(row, names, links.get(row.id, 0), answers=False),
        lambda row: (row.created_at, row.id),
    )


@router.post("/reports", operation_id="reports:create", status_code=201, responses=document_problems(InvalidRequest))
def create_report(body: ReportIn, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Create a report."""
    row = reports.create_report(session, body.title, caller.user_id, clock.now())
    record_audit_event(session, caller, "report.created", "report", row.id, {"title": row.title})
    return _make_report_out(session, row, clock.now())


@router.get("/reports/{report_id}", operation_id="reports:get", responses=document_problems(NotFound))
def get_report(report_id: UUID, caller: MayRead, session: Reading, clock: Now, version: Version = None) -> ReportOut:
    """Return a report: its draft, or one version."""
    row = reports.get_report(session, ReportId(report_id))
    chosen = None if version is None else reports.version_of(session, ReportId(report_id), version)
    return _make_report_out(session, row, clock.now(), chosen)


@router.patch(
    "/reports/{report_id}",
    operation_id="reports:update",
    openapi_extra=body_up_to(2048 * KIB, members=5_000),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def update_report(report_id: UUID, body: ReportUpdate, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Update the title, or the blocks of the draft and their order."""
    row = reports.update_report(
        session,
        ReportId(report_id),
        title=body.title,
        blocks=None if body.blocks is None else [block.change() for block in body.blocks],
        seen_at=body.updated_at,
        now=clock.now(),
    )
    facts = {"title": row.title, "blocks": len(row.blocks)}
    record_audit_event(session, caller, "report.updated", "report", row.id, facts)
    session.flush()
    return _make_report_out(session, row, clock.now())


@router.delete(
    "/reports/{report_id}", operation_id="reports:delete", status_code=204, responses=document_problems(NotFound)
)
def delete_report(report_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a report with its versions, share links and snapshots."""
    row = reports.delete_report(session, ReportId(report_id))
    record_audit_event(session, caller, "report.deleted", "report", report_id, {"title": row.title})


@router.post(
    "/reports/{report_id}/snapshots",
    operation_id="reports:create-snapshot",
    openapi_extra=body_up_to(2048 * KIB, members=5_000),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, TooLarge, LimitExceeded, Unavailable),
)
def create_snapshot(
    report_id: UUID,
    body: SnapshotIn,
    request: Request,
    caller: MayWrite,
    database: DatabaseOf,
    own: Own,
    blobs: Blobs,
    clock: Now,
) -> SnapshotBlockOut:
    """Add a snapshot: the server performs the page's requests as the caller and stores the responses.

    No transaction is open meanwhile: the requests need connections of their own.
    """
    scope, asked = (
        scope_of(request),
        SnapshotRequest(body.title, body.path, body.requests, body.additional_requests),
    )
    with database.reading(scope) as session:
        requests = snapshots.validate_snapshot_request(session, ReportId(report_id), asked)
    answers = snapshots.record_responses(own, requests)
    with database.writing(scope) as session:
        view = snapshots.append_snapshot(session, blobs, ReportId(report_id), asked, answers=answers, now=clock.now())
        record_audit_event(
            session, caller, "report.snapshot-created", "report", report_id, {"title": view.title, "path": view.path}
        )
    return view_block_out(view)


@router.post(
    "/reports/{report_id}/publish",
    operation_id="reports:publish",
    status_code=201,
    responses=document_problems(NotFound, LimitExceeded),
)
def publish_report(report_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Publish the draft as a new version, which never changes."""
    version = reports.publish_report(session, ReportId(report_id), caller.user_id, clock.now())
    facts = {"title": version.title, "version": version.version}
    record_audit_event(session, caller, "report.published", "report", report_id, facts)
    return _make_report_out(session, reports.get_report(session, ReportId(report_id)), clock.now())


@router.get("/reports/{report_id}/versions", operation_id="reports:versions", responses=document_problems(NotFound))
def list_versions(report_id: UUID, caller: MayRead, session: Reading) -> list[ReportVersionOut]:
    """List the published versions, newest first."""
    rows, names = reports.versions(session, ReportId(report_id))
    return [version_out(row, names) for row in rows]
