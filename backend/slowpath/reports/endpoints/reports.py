"""Write reports: prose, frozen views, versions."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from slowpath.accounts.access import MayRead, MayWrite
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooLarge, TooMany, Unavailable
from slowpath.core.ids import ReportId
from slowpath.core.sessions import ReadSession
from slowpath.reports.rules import MAX_VERSIONS
from slowpath.reports.schemas import (
    FreezeIn,
    ReportChange,
    ReportIn,
    ReportOut,
    ReportVersionOut,
    ViewBlockOut,
    report_out,
    version_out,
    view_block_out,
)
from slowpath.reports.service import freezing, writing
from slowpath.reports.service.freezing import Wanted
from slowpath.reports.tables import Report, ReportVersion
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.own_answers import Own
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, DatabaseOf, Now, Reading, Writing, scope_of

router = APIRouter(tags=["reports"])
Version = Annotated[int | None, Query(ge=1, le=MAX_VERSIONS, description="left out: the draft")]


def _told(session: ReadSession, row: Report, now: datetime, version: ReportVersion | None = None) -> ReportOut:
    links = writing.link_counts(session, [row], now)
    return report_out(row, writing.names(session, [row]), links.get(row.id, 0), version=version)


@router.get("/reports", operation_id="reports:list", responses=problems(Refused))
def list_reports(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    clock: Now,
    search: Annotated[str | None, Query(max_length=200)] = None,
) -> Page[ReportOut]:
    """List reports, newest first, without the answers of their views."""
    rows = writing.newest(session, paging.after, paging.limit + 1, search)
    names, links = writing.names(session, rows), writing.link_counts(session, rows, clock.now())
    return paging.page(
        rows,
        lambda row: report_out(row, names, links.get(row.id, 0), answers=False),
        lambda row: (row.created_at, row.id),
    )


@router.post("/reports", operation_id="reports:create", status_code=201, responses=problems(Refused))
def create_report(wanted: ReportIn, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Begin a report."""
    row = writing.create(session, wanted.title, caller.user_id, clock.now())
    audit(session, caller, "report.created", "report", row.id, {"title": row.title})
    return _told(session, row, clock.now())


@router.get("/reports/{report_id}", operation_id="reports:get", responses=problems(NotFound))
def get_report(report_id: UUID, caller: MayRead, session: Reading, clock: Now, version: Version = None) -> ReportOut:
    """Return a report: its draft, or one version."""
    row = writing.find(session, ReportId(report_id))
    chosen = None if version is None else writing.version_of(session, ReportId(report_id), version)
    return _told(session, row, clock.now(), chosen)


@router.patch(
    "/reports/{report_id}",
    operation_id="reports:change",
    openapi_extra=body_up_to(2048 * KIB, members=5_000),
    responses=problems(NotFound, Conflict, Refused),
)
def change_report(report_id: UUID, wanted: ReportChange, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Change the title, or which blocks the draft has in which order."""
    row = writing.change(
        session,
        ReportId(report_id),
        title=wanted.title,
        blocks=None if wanted.blocks is None else [block.change() for block in wanted.blocks],
        seen_at=wanted.changed_at,
        now=clock.now(),
    )
    facts = {"title": row.title, "blocks": len(row.blocks)}
    audit(session, caller, "report.changed", "report", row.id, facts)
    session.flush()
    return _told(session, row, clock.now())


@router.delete("/reports/{report_id}", operation_id="reports:delete", status_code=204, responses=problems(NotFound))
def delete_report(report_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a report with its versions, links and frozen answers."""
    row = writing.delete(session, ReportId(report_id))
    audit(session, caller, "report.deleted", "report", report_id, {"title": row.title})


@router.post(
    "/reports/{report_id}/views",
    operation_id="reports:freeze",
    openapi_extra=body_up_to(2048 * KIB, members=5_000),
    status_code=201,
    responses=problems(NotFound, Refused, TooLarge, TooMany, Unavailable),
)
def freeze_view(
    report_id: UUID,
    wanted: FreezeIn,
    request: Request,
    caller: MayWrite,
    database: DatabaseOf,
    own: Own,
    blobs: Blobs,
    clock: Now,
) -> ViewBlockOut:
    """Freeze a page: the server itself asks for what the page shows, as whoever asks now, and keeps the answers.

    No transaction is open while it asks: the answers need connections of their own.
    """
    scope, asked = scope_of(request), Wanted(wanted.title, wanted.path, wanted.requests, wanted.also)
    with database.reading(scope) as session:
        requests = freezing.check(session, ReportId(report_id), asked)
    answers = freezing.record(own, requests)
    with database.writing(scope) as session:
        view = freezing.keep(session, blobs, ReportId(report_id), asked, answers=answers, now=clock.now())
        audit(session, caller, "report.view-frozen", "report", report_id, {"title": view.title, "path": view.path})
    return view_block_out(view)


@router.post(
    "/reports/{report_id}/publish",
    operation_id="reports:publish",
    status_code=201,
    responses=problems(NotFound, TooMany),
)
def publish_report(report_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> ReportOut:
    """Make what stands in the draft a version that never changes."""
    version = writing.publish(session, ReportId(report_id), caller.user_id, clock.now())
    facts = {"title": version.title, "version": version.version}
    audit(session, caller, "report.published", "report", report_id, facts)
    return _told(session, writing.find(session, ReportId(report_id)), clock.now())


@router.get("/reports/{report_id}/versions", operation_id="reports:versions", responses=problems(NotFound))
def list_versions(report_id: UUID, caller: MayRead, session: Reading) -> list[ReportVersionOut]:
    """List what was published, newest first."""
    rows, names = writing.versions(session, ReportId(report_id))
    return [version_out(row, names) for row in rows]
