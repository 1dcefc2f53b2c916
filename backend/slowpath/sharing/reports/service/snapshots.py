"""Record snapshots: request what a page shows from our own API, and store the responses with the report."""

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import ReportId, new_id
from slowpath.core.ports import BlobStore, InternalApi, InternalResponse
from slowpath.sharing.reports.errors import SnapshotTooLarge
from slowpath.sharing.reports.rules import (
    MAX_REPORT_BYTES,
    MAX_VIEW_BYTES,
    RecordedResponse,
    SnapshotBlock,
    canonical_request,
    dump_blocks,
    frozen_bytes,
    is_page_path,
    load_blocks,
)
from slowpath.sharing.reports.service import reports


class InvalidSnapshotRequest(InvalidRequest):
    """A request or page address of a snapshot is invalid."""

    slug = "request-refused"
    title = "The request is invalid"


@dataclass(frozen=True)
class SnapshotRequest:
    """The page to record."""

    title: str
    path: str
    requests: Sequence[str]
    """Requests of the page."""
    also: Sequence[str] = ()
    """Requests behind links of the page."""


@dataclass(frozen=True)
class CanonicalRequests:
    """Canonical requests, each once."""

    requests: Sequence[str]
    also: Sequence[str]


def validate_snapshot_request(session: ReadSession, report_id: ReportId, request: SnapshotRequest) -> CanonicalRequests:
    """Return the canonical requests. Raises `ReportNotFound`, `InvalidSnapshotRequest`, `TooManyReportParts`."""
    reports.check_part_limit(len(reports.get_report(session, report_id).blocks))
    if not is_page_path(request.path):
        raise InvalidSnapshotRequest(
            "The page address is not relative to a team's address.", remedy="Start it with one slash."
        )
    requests = list(dict.fromkeys(_canonical(request) for request in request.requests))
    also = dict.fromkeys(_canonical(request) for request in request.also)
    return CanonicalRequests(requests, [request for request in also if request not in requests])


def _canonical(request: str) -> str:
    try:
        return canonical_request(request)
    except ValueError as error:
        raise InvalidSnapshotRequest(f"{request[:200]!r} {error}.", remedy="Use paths under /api/v1.") from error


def record_responses(own: InternalApi, asked: CanonicalRequests) -> Sequence[InternalResponse]:
    """Perform all requests with the permissions of the caller. Raises `InvalidRequest`, `TooLarge`."""
    return own.ask(asked.requests, also=asked.also, most_bytes=MAX_VIEW_BYTES)


def append_snapshot(
    session: WriteSession,
    blobs: BlobStore,
    report_id: ReportId,
    request: SnapshotRequest,
    *,
    answers: Sequence[InternalResponse],
    now: datetime,
) -> SnapshotBlock:
    """Store the responses as a snapshot at the end of the draft. Raises `ReportNotFound`, `TooLarge`, `LimitExceeded`.

    The report is locked meanwhile, so that deletion and cleanup wait until the blobs are referenced.
    """
    row = reports.lock_report(session, report_id)
    reports.check_part_limit(len(row.blocks))
    view = SnapshotBlock(new_id(), request.title, request.path, "", now, tuple(_frozen(answer) for answer in answers))
    blocks = [*load_blocks(row.blocks), view]
    if (whole := frozen_bytes(blocks)) > MAX_REPORT_BYTES:
        raise SnapshotTooLarge(
            "The snapshot would exceed the size limit of the report.",
            limit=MAX_REPORT_BYTES,
            actual=whole,
            unit="bytes",
            remedy="Remove a view, or continue in another report.",
        )
    for answer, frozen in zip(answers, view.answers, strict=True):
        key = reports.blob_key(session.team_id, report_id, frozen.sha256)
        blobs.put(key, gzip.compress(answer.content, compresslevel=6, mtime=0))  # also if it exists: it may be unused
    row.blocks = dump_blocks(blocks)
    row.changed_at = now
    session.flush()
    return view


def _frozen(answer: InternalResponse) -> RecordedResponse:
    digest = hashlib.sha256(answer.content).hexdigest()
    return RecordedResponse(answer.request, answer.status, answer.media_type, len(answer.content), digest)
