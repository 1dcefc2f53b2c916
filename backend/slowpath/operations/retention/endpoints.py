"""What a team keeps and uses, and all of it to take away."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import StreamingResponse

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from slowpath.core.ids import BlobKey, JobId
from slowpath.core.ports import BlobStore
from slowpath.evidence.artifacts.service import storage_accounting
from slowpath.evidence.metrics.service import metric_rules
from slowpath.operations.retention.errors import InvalidRetentionRule, RangeNotSatisfiable
from slowpath.operations.retention.rules import KINDS
from slowpath.operations.retention.schemas import (
    RetentionIn,
    RetentionOut,
    RetentionPreviewOut,
    RetentionRuleOut,
    TeamExportOut,
    UsageLimit,
    UsageOut,
)
from slowpath.operations.retention.service import retention_rules, team_exports, usage
from slowpath.operations.retention.tables import TeamExport
from slowpath.platform.accounts.access import MayManage, MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Configured, Now, Reading, Writing
from slowpath.platform.jobs import service as work

router = APIRouter(prefix="/api/v1", tags=["retention"])

PIECE_BYTES = 1 << 20
RANGE = re.compile(r"bytes=(\d{1,18})?-(\d{1,18})?")
ASKED_RULE = r"^[a-z.]{1,40}:(\d{1,6}|forever)$"
_FILE = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}
ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": _FILE},
    206: {"description": "A part of the file", "content": _FILE},
}


@router.get("/retention", operation_id="retention:get")
def get_retention(caller: MayRead, session: Reading) -> RetentionOut:
    """Tell for how long what is kept, and what there is of it."""
    return _told(session)


@router.put("/retention", operation_id="retention:update", responses=document_problems(InvalidRequest))
def change_retention(sent: RetentionIn, caller: MayManage, session: Writing) -> RetentionOut:
    """Change for how long what is kept. What is too old goes within minutes; look at the preview first."""
    changed = retention_rules.update_rules(session, {rule.kind: rule.retention_days for rule in sent.rules})
    if changed:
        record_audit_event(session, caller, "retention.updated", "team", caller.team_id, changed)
    return _told(session)


@router.get("/retention/preview", operation_id="retention:preview", responses=document_problems(InvalidRequest))
def preview_retention(
    caller: MayRead,
    session: Reading,
    clock: Now,
    rule: Annotated[
        list[Annotated[str, Query(pattern=ASKED_RULE)]],
        Query(max_length=len(KINDS), description="`kind:days` or `kind:forever`", default_factory=list),
    ],
) -> RetentionPreviewOut:
    """Tell what would be deleted at once if it were kept so. Kinds that are not named stay as they are."""
    asked: dict[str, int | None] = {}
    for one in rule:
        if re.fullmatch(ASKED_RULE, one) is None:
            raise InvalidRetentionRule("A rule is not `kind:days`.", remedy="Ask for trace:90 or trace:forever.")
        kind, _, days = one.partition(":")
        asked[kind] = None if days == "forever" else int(days)
    retention_rules.validate_rules(asked)
    return RetentionPreviewOut.of(
        retention_rules.preview_expiry(session, {**retention_rules.days(session), **asked}, clock.now())
    )


def _told(session: ReadSession) -> RetentionOut:
    return RetentionOut(rules=[RetentionRuleOut.of(one) for one in retention_rules.list_retained_kinds(session)])


@router.get("/usage", operation_id="usage:get")
def get_usage(caller: MayRead, session: Reading, clock: Now, settings: Configured) -> UsageOut:
    """Tell what the team stores and what came in each day."""
    told = usage.get_usage(session, clock.now())
    limits = []
    if settings.max_team_bytes:
        limits.append(UsageLimit.of("bytes", settings.max_team_bytes, storage_accounting.get_stored_bytes(session)))
    _, series = metric_rules.settings(session)
    limits.append(UsageLimit.of("series", settings.max_series, series))
    return UsageOut.of(told, limits)


@router.get("/team-exports", operation_id="team-exports:list", responses=document_problems(InvalidRequest))
def list_team_exports(caller: MayManage, session: Reading, paging: Paging) -> Page[TeamExportOut]:
    """List exports of all the team's data, newest first."""
    rows = team_exports.list_team_exports(session, after=paging.after, limit=paging.limit + 1)
    told = {one.id: one for one in _exports(session, rows)}
    return paging.page(rows, lambda row: told[row.id], lambda row: (row.created_at, row.id))


@router.post(
    "/team-exports", operation_id="team-exports:create", status_code=201, responses=document_problems(Conflict)
)
def create_team_export(caller: MayManage, session: Writing) -> TeamExportOut:
    """Have all the team's data put in one file: originals, and the rows of every table as JSON lines."""
    row = team_exports.create_team_export(session)
    record_audit_event(session, caller, "team-export.created", "team-export", row.id, {})
    return _exports(session, [row])[0]


@router.get("/team-exports/{team_export_id}", operation_id="team-exports:get", responses=document_problems(NotFound))
def get_team_export(team_export_id: UUID, caller: MayManage, session: Reading) -> TeamExportOut:
    """Return one export."""
    return _exports(session, [team_exports.get_team_export(session, team_export_id)])[0]


@router.delete(
    "/team-exports/{team_export_id}",
    operation_id="team-exports:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_team_export(team_export_id: UUID, caller: MayManage, session: Writing, blobs: Blobs) -> None:
    """Delete an export; one that is being made is ended."""
    row = team_exports.get_team_export(session, team_export_id)
    key = team_exports.delete_team_export(session, row)
    record_audit_event(session, caller, "team-export.deleted", "team-export", team_export_id, {"bytes": row.size_bytes})
    session.flush()
    blobs.delete([key])


@router.get(
    "/team-exports/{team_export_id}/content",
    operation_id="team-exports:content",
    responses={**document_problems(NotFound, Conflict, InvalidRequest, Unavailable), **ZIP},
    response_class=StreamingResponse,
)
def get_team_export_content(
    team_export_id: UUID,
    caller: MayManage,
    session: Writing,
    blobs: Blobs,
    clock: Now,
    wanted: Annotated[str | None, Header(alias="Range", max_length=100)] = None,
    unless_changed: Annotated[str | None, Header(alias="If-Range", max_length=200)] = None,
) -> Response:
    """Return the file, or a range of it: a download that broke off goes on where it stopped."""
    row = team_exports.get_team_export(session, team_export_id)
    key = team_exports.content_key(row, clock.now())
    size, tag = row.size_bytes or 0, f'"{row.sha256}"'
    name = f"slowpath-team-{row.created_at:%Y-%m-%d}.zip"
    first, last = 0, size - 1
    part = wanted is not None and unless_changed in (None, tag)
    if part and wanted is not None:
        first, last = _range(wanted, size)
    if first == 0:
        facts = {"bytes": row.size_bytes}
        record_audit_event(session, caller, "team-export.downloaded", "team-export", team_export_id, facts)
    answer = make_attachment_response(
        _pieces(blobs, key, first, last), name, media_type="application/zip", size_bytes=last - first + 1
    )
    answer.headers.update({"Accept-Ranges": "bytes", "ETag": tag, "Cache-Control": "private, no-store"})
    if part:
        answer.status_code = 206
        answer.headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return answer


def _range(wanted: str, size: int) -> tuple[int, int]:
    """Return the first and the last byte of one range. Raises `RangeNotSatisfiable`."""
    found = RANGE.fullmatch(wanted.strip())
    if found is None or found.groups() == (None, None):
        raise RangeNotSatisfiable("One range of bytes can be asked for.", remedy="Send `Range: bytes=1000-`.")
    begin, end = found.groups()
    if begin is None:
        first, last = max(size - int(end), 0), size - 1
    else:
        first, last = int(begin), min(int(end), size - 1) if end else size - 1
    if not 0 <= first <= last:
        raise RangeNotSatisfiable("The file has no such range.", limit=size, actual=first, unit="bytes")
    return first, last


def _pieces(blobs: BlobStore, key: BlobKey, first: int, last: int) -> Iterator[bytes]:
    for offset in range(first, last + 1, PIECE_BYTES):
        yield blobs.read_range(key, offset, min(PIECE_BYTES, last + 1 - offset))


def _exports(session: ReadSession, rows: Sequence[TeamExport]) -> list[TeamExportOut]:
    jobs = work.get_jobs_by_id(session, [JobId(row.job_id) if row.job_id else None for row in rows])
    told = []
    for row in rows:
        job = jobs.get(JobId(row.job_id)) if row.job_id else None
        told.append(TeamExportOut.of(row, job.progress if job else 0.0, job.step if job else ""))
    return told
