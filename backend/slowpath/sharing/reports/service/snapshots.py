"""Freeze a page: ask our own API what it shows, and keep the answers as bytes of the report."""

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
    """What is to be frozen is not spelled as a request to the API."""

    slug = "request-refused"
    title = "The request is invalid"


@dataclass(frozen=True)
class SnapshotRequest:
    """What is to be frozen."""

    title: str
    path: str
    requests: Sequence[str]
    """Behind what the page shows."""
    also: Sequence[str] = ()
    """Behind what can be opened in it."""


@dataclass(frozen=True)
class CanonicalRequests:
    """Requests in their one form, each once."""

    requests: Sequence[str]
    also: Sequence[str]


def validate_snapshot_request(session: ReadSession, report_id: ReportId, wanted: SnapshotRequest) -> CanonicalRequests:
    """Return the requests in their one form. Raises `ReportNotFound`, `InvalidSnapshotRequest`, `TooManyReportParts`."""
    reports.check_part_limit(len(reports.get_report(session, report_id).blocks))
    if not is_page_path(wanted.path):
        raise InvalidSnapshotRequest(
            "The page address is not relative to a team's address.", remedy="Start it with one slash."
        )
    requests = list(dict.fromkeys(_canonical(request) for request in wanted.requests))
    also = dict.fromkeys(_canonical(request) for request in wanted.also)
    return CanonicalRequests(requests, [request for request in also if request not in requests])


def _canonical(request: str) -> str:
    try:
        return canonical_request(request)
    except ValueError as error:
        raise InvalidSnapshotRequest(f"{request[:200]!r} {error}.", remedy="Use paths under /api/v1.") from error


def record_responses(own: InternalApi, asked: CanonicalRequests) -> Sequence[InternalResponse]:
    """Ask for all of it, as whoever is asking now. Raises `InvalidRequest`, `TooLarge`."""
    return own.ask(asked.requests, also=asked.also, most_bytes=MAX_VIEW_BYTES)


def append_snapshot(
    session: WriteSession,
    blobs: BlobStore,
    report_id: ReportId,
    wanted: SnapshotRequest,
    *,
    answers: Sequence[InternalResponse],
    now: datetime,
) -> SnapshotBlock:
    """Keep the answers as a view at the end of the draft. Raises `ReportNotFound`, `TooLarge`, `TooMany`.

    The report is held meanwhile, so that whoever deletes it or tidies up waits until the bytes are referred to.
    """
    row = reports.lock_report(session, report_id)
    reports.check_part_limit(len(row.blocks))
    view = SnapshotBlock(new_id(), wanted.title, wanted.path, "", now, tuple(_frozen(answer) for answer in answers))
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
        if not blobs.exists(key):
            blobs.put(key, gzip.compress(answer.content, compresslevel=6, mtime=0))
    row.blocks = dump_blocks(blocks)
    row.changed_at = now
    session.flush()
    return view


def _frozen(answer: InternalResponse) -> RecordedResponse:
    digest = hashlib.sha256(answer.content).hexdigest()
    return RecordedResponse(answer.request, answer.status, answer.media_type, len(answer.content), digest)
