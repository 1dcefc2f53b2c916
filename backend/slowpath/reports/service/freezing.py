"""Freeze a page: ask our own API what it shows, and keep the answers as bytes of the report."""

import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowpath.core.errors import Refused
from slowpath.core.ids import ReportId, new_id
from slowpath.core.ports import BlobStore, OwnAnswer, OwnAnswers
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.reports.errors import FrozenTooLarge
from slowpath.reports.rules import (
    MAX_REPORT_BYTES,
    MAX_VIEW_BYTES,
    FrozenAnswer,
    View,
    blocks_from_json,
    blocks_json,
    canonical_request,
    frozen_bytes,
    is_page_path,
)
from slowpath.reports.service import writing


class RequestRefused(Refused):
    """What is to be frozen is not spelled as a request to the API."""

    slug = "request-refused"
    title = "This request is not understood"


@dataclass(frozen=True)
class Wanted:
    """What is to be frozen."""

    title: str
    path: str
    requests: Sequence[str]
    """Behind what the page shows."""
    also: Sequence[str] = ()
    """Behind what can be opened in it."""


@dataclass(frozen=True)
class Asked:
    """Requests in their one form, each once."""

    requests: Sequence[str]
    also: Sequence[str]


def check(session: ReadSession, report_id: ReportId, wanted: Wanted) -> Asked:
    """Return the requests in their one form. Raises `ReportNotFound`, `RequestRefused`, `TooManyReportParts`."""
    writing.check_room(len(writing.find(session, report_id).blocks))
    if not is_page_path(wanted.path):
        raise RequestRefused("The address of the page is none below a team's.", remedy="It begins with one slash.")
    requests = list(dict.fromkeys(_canonical(request) for request in wanted.requests))
    also = dict.fromkeys(_canonical(request) for request in wanted.also)
    return Asked(requests, [request for request in also if request not in requests])


def _canonical(request: str) -> str:
    try:
        return canonical_request(request)
    except ValueError as error:
        raise RequestRefused(f"{request[:200]!r} {error}.", remedy="Name paths below /api/v1.") from error


def record(own: OwnAnswers, asked: Asked) -> Sequence[OwnAnswer]:
    """Ask for all of it, as whoever is asking now. Raises `Refused`, `TooLarge`."""
    return own.ask(asked.requests, also=asked.also, most_bytes=MAX_VIEW_BYTES)


def keep(
    session: WriteSession,
    blobs: BlobStore,
    report_id: ReportId,
    wanted: Wanted,
    *,
    answers: Sequence[OwnAnswer],
    now: datetime,
) -> View:
    """Keep the answers as a view at the end of the draft. Raises `ReportNotFound`, `TooLarge`, `TooMany`.

    The report is held meanwhile, so that whoever deletes it or tidies up waits until the bytes are referred to.
    """
    row = writing.hold(session, report_id)
    writing.check_room(len(row.blocks))
    view = View(new_id(), wanted.title, wanted.path, "", now, tuple(_frozen(answer) for answer in answers))
    blocks = [*blocks_from_json(row.blocks), view]
    if (whole := frozen_bytes(blocks)) > MAX_REPORT_BYTES:
        raise FrozenTooLarge(
            "The report would hold more than it may.",
            limit=MAX_REPORT_BYTES,
            actual=whole,
            unit="bytes",
            remedy="Remove a view, or go on in another report.",
        )
    for answer, frozen in zip(answers, view.answers, strict=True):
        key = writing.blob_key(session.team_id, report_id, frozen.sha256)
        if not blobs.exists(key):
            blobs.put(key, gzip.compress(answer.content, compresslevel=6, mtime=0))
    row.blocks = blocks_json(blocks)
    row.changed_at = now
    session.flush()
    return view


def _frozen(answer: OwnAnswer) -> FrozenAnswer:
    digest = hashlib.sha256(answer.content).hexdigest()
    return FrozenAnswer(answer.request, answer.status, answer.media_type, len(answer.content), digest)
