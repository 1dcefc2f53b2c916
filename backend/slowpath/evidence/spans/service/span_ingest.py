"""Spans as services push them: kept at once, folded into files a minute later.

A push is a row before it is acknowledged. The fold puts the rows of a minute into one artifact, which is decoded as
an uploaded file would be, and deletes them in the same transaction: nothing is lost, nothing counts twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from sqlalchemy import insert

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, TeamId, new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.core.ports import BlobStore
from slowpath.evidence.artifacts.service import artifact_ingest
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels, ReceivedFile
from slowpath.evidence.spans import queries
from slowpath.evidence.spans.errors import MalformedSpanPush, SpanPushTooLarge
from slowpath.evidence.spans.jobs import MergeSpanPushes
from slowpath.evidence.spans.rules import (
    InvalidSpanPush,
    PushDialect,
    SpanPushExpandsTooLarge,
    check_document,
    is_message,
)
from slowpath.evidence.spans.service.span_pieces import packed, unpacked
from slowpath.evidence.spans.tables import SpanPush

MOST_UNPACKED_BYTES = 8 << 20
FOLD_SECONDS = 30.0
MOST_FOLDED_BYTES = 32 << 20
MOST_FOLDED = 5_000
KEPT_DAYS = 7
"""Folded files are forgotten after this; what comparisons and reports made of them stays."""
MOST_FORGOTTEN = 200
_SUFFIX = {PushDialect.PROTOBUF: "otlp", PushDialect.JSON: "otlp.jsonl"}


@dataclass(frozen=True)
class MergedPushFile:
    """Pushes of one dialect that become a file."""

    dialect: PushDialect
    pushes: Sequence[SpanPush]

    @property
    def name(self) -> str:
        """How the file is called: after the minute of its first push."""
        return f"spans {self.pushes[0].created_at:%Y-%m-%d %H.%M.%S}.{_SUFFIX[self.dialect]}"


def batch_of_pushes(team_id: TeamId) -> UUID:
    """Return the batch under which a team's folded files stand together."""
    return uuid5(team_id, "pushed spans")


def store_push(session: WriteSession, body: bytes, encoding: str, dialect: PushDialect) -> None:
    """Keep what was pushed. Raises `MalformedSpanPush`, `SpanPushTooLarge`."""
    try:
        plain = unpacked(body, encoding, MOST_UNPACKED_BYTES)
        if dialect is PushDialect.JSON:
            check_document(plain)
    except SpanPushExpandsTooLarge:
        raise SpanPushTooLarge(
            "The push unpacks to more than one push may hold.",
            limit=MOST_UNPACKED_BYTES,
            unit="bytes",
            remedy="Export smaller batches (OTEL_BSP_MAX_EXPORT_BATCH_SIZE).",
        ) from None
    except InvalidSpanPush as why:
        raise MalformedSpanPush(str(why)) from why
    if dialect is PushDialect.PROTOBUF and not is_message(plain):
        raise MalformedSpanPush("The body is no ExportTraceServiceRequest.", remedy="Send OTLP over HTTP/protobuf.")
    if not plain:
        return
    values = {"dialect": dialect, "size_bytes": len(plain), "content": packed(plain, dialect)}
    del plain
    session.execute(insert(SpanPush).values(team_id=session.team_id, id=new_id(), **values))
    enqueue_unless_pending(session, MergeSpanPushes(session.team_id), after_s=FOLD_SECONDS)


def lock_pending_pushes(session: WriteSession) -> list[MergedPushFile]:
    """Return the oldest pushes, by dialect, held until the transaction ends."""
    rows = queries.pushes(session, MOST_FOLDED_BYTES, MOST_FOLDED)
    folds = (MergedPushFile(dialect, [row for row in rows if row.dialect == dialect]) for dialect in PushDialect)
    return [fold for fold in folds if fold.pushes]


def merge_pushes(session: WriteSession, blobs: BlobStore, one: MergedPushFile, file: ReceivedFile) -> ArtifactId:
    """Make the file that holds these pushes an artifact, and forget them; they must be held by this transaction."""
    labels = ArtifactLabels(name=one.name, batch=batch_of_pushes(session.team_id))
    artifact = artifact_ingest.ingest_file(session, blobs, file, labels)
    queries.forget_pushes(session, one.pushes)
    return ArtifactId(artifact.id)


def enqueue_next_merge(session: WriteSession) -> None:
    """Have the rest folded, if there is any."""
    if queries.any_push(session):
        enqueue_unless_pending(session, MergeSpanPushes(session.team_id))


def delete_expired_spans(session: WriteSession) -> None:
    """Forget folded files whose time is over, by the database's clock."""
    for row in queries.folded_before(session, batch_of_pushes(session.team_id), KEPT_DAYS, MOST_FORGOTTEN):
        keys = [artifact_ingest.original_key(session.team_id, row.sha256)]
        uploads.delete_artifact(session, ArtifactId(row.id), keys)
