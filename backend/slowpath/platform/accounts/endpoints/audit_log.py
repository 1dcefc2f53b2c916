"""HTTP endpoints of a team's audit log: filter, page, export."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import InvalidRequest, NotAuthenticated, NotFound, PermissionDenied
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import InTeam, MayAudit, MayManage
from slowpath.platform.accounts.rules.audit_chain import MAX_ENTRIES, MAX_VERIFIED, ChainPosition
from slowpath.platform.accounts.rules.audit_filter import AuditFilter
from slowpath.platform.accounts.rules.roles import Caller
from slowpath.platform.accounts.schemas.account_field_types import moment_of
from slowpath.platform.accounts.schemas.teams import (
    AuditEventOut,
    AuditVerificationOut,
    audit_entry_out,
    audit_event_out,
    audit_verification_out,
)
from slowpath.platform.accounts.service import audit_chain
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Now, Reading

inside = APIRouter(prefix="/teams/{team_id}", tags=["teams"], dependencies=[InTeam])
COMMON = (NotAuthenticated, PermissionDenied, NotFound)
AT_ONCE = 500
MAX_SEQUENCE = 2**63 - 1
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/x-ndjson"}
COLUMNS = ("occurred_at", "actor", "actor_kind", "action", "subject", "subject_id", "details")


def _make_filter(
    actor: Annotated[str | None, Query(max_length=200, description="part of a name")] = None,
    actor_id: UUID | None = None,
    action: Annotated[str | None, Query(max_length=60, description="`artifact.deleted`, or a prefix")] = None,
    subject_id: UUID | None = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
) -> AuditFilter:
    return AuditFilter(actor, actor_id, action, subject_id, since, until)


AuditFilters = Annotated[AuditFilter, Depends(_make_filter)]


@inside.get("/audit-events", operation_id="audit-events:list", responses=document_problems(*COMMON, InvalidRequest))
def list_audit_events(
    caller: MayManage, session: Reading, paging: Paging, filters: AuditFilters
) -> Page[AuditEventOut]:
    """List audit events, newest first."""
    rows = service.list_audit_events(session, after=paging.after, limit=paging.limit + 1, filters=filters)
    return paging.page(rows, audit_event_out, moment_of)


@inside.get(
    "/audit-events/export",
    operation_id="audit-events:export",
    responses={
        **document_problems(*COMMON, InvalidRequest),
        200: {"content": {kind: {"schema": {"type": "string"}} for kind in ("text/csv", "application/x-ndjson")}},
    },
    response_class=StreamingResponse,
)
def download_audit_events(
    caller: MayManage, database: DatabaseOf, clock: Now, filters: AuditFilters, form: Literal["csv", "json"] = "csv"
) -> StreamingResponse:
    """Export the matching audit events, newest first, as CSV or JSON lines."""
    lines = _csv if form == "csv" else _json
    name = f"slowpath-audit-{clock.now():%Y-%m-%d}.{form}"
    return make_attachment_response(lines(_entries(database, caller, filters)), name, media_type=MEDIA_TYPES[form])


@inside.get(
    "/audit-entries",
    operation_id="audit-entries:list",
    responses={
        **document_problems(*COMMON, InvalidRequest),
        200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}},
    },
    response_class=Response,
)
def list_audit_entries(
    caller: MayAudit,
    session: Reading,
    after: Annotated[int, Query(ge=0, le=MAX_SEQUENCE, description="the `sequence` of the last entry you have")] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ENTRIES)] = MAX_ENTRIES,
) -> Response:
    """Read audit events as JSON lines in the order in which they were written, for a SIEM.

    Write down the `sequence` of the last line after you have stored the lines, and send it as `after` next time: then
    you get every entry at least once. An empty response means that there is none after it.
    """
    rows = audit_chain.list_audit_entries(session, after=after, limit=limit)
    lines = "".join(audit_entry_out(row, content).model_dump_json() + "\n" for row, content in rows)
    return Response(lines, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


@inside.get(
    "/audit-verification",
    operation_id="audit-entries:verify",
    responses=document_problems(*COMMON, InvalidRequest),
)
def verify_audit_entries(
    caller: MayAudit,
    database: DatabaseOf,
    after: Annotated[int, Query(ge=1, le=MAX_SEQUENCE)] | None = None,
    after_hash: Annotated[str, Query(pattern="^[0-9a-f]{64}$")] | None = None,
) -> AuditVerificationOut:
    """Verify that audit events are as they were written: 20,000 at once, from the oldest or after a known entry."""
    if (after is None) != (after_hash is None):
        raise InvalidRequest("A known entry has both a sequence and a hash.", remedy="Send after and after_hash.")
    known = None if after is None or after_hash is None else ChainPosition(after, bytes.fromhex(after_hash))
    found = audit_chain.verify_audit_chain(database, caller.team_id, after=known, limit=MAX_VERIFIED)
    return audit_verification_out(found)


def _entries(database: Database, caller: Caller, filters: AuditFilter) -> Iterator[AuditEventOut]:
    """Yield audit events; each page has its own transaction, so that a slow reader holds no connection."""
    after: tuple[datetime, UUID] | None = None
    while True:
        with database.reading(TeamScope(caller.team_id, caller.user_id)) as session:
            rows = service.list_audit_events(session, after=after, limit=AT_ONCE, filters=filters)
        yield from map(audit_event_out, rows)
        if len(rows) < AT_ONCE:
            return
        after = moment_of(rows[-1])


def _json(entries: Iterator[AuditEventOut]) -> Iterator[bytes]:
    for entry in entries:
        yield entry.model_dump_json().encode() + b"\n"


def _csv(entries: Iterator[AuditEventOut]) -> Iterator[bytes]:
    yield (",".join(COLUMNS) + "\r\n").encode()
    for entry in entries:
        text = io.StringIO()
        cells: dict[str, Any] = {**entry.model_dump(mode="json"), "details": json.dumps(entry.details)}
        csv.writer(text, lineterminator="\r\n").writerow([_plain(cells[name]) for name in COLUMNS])
        yield text.getvalue().encode()


def _plain(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a CSV cell; a value that a spreadsheet would run as a formula becomes plain text."""
    text = "" if value is None else str(value)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
