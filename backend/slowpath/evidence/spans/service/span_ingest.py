"""Ingest of pushed spans: each push is stored at once, and merged into a file within a minute.

A push is stored as a row before it is acknowledged. A merge writes the pending rows into one artifact, which is decoded
like an uploaded file, and deletes the rows in the same transaction: no span is lost or counted twice.
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
MERGE_SECONDS = 30.0
MOST_MERGED_BYTES = 32 << 20
MOST_MERGED = 5_000
RETENTION_DAYS = 7
"""Retention of merged files; results of comparisons and reports remain."""
MOST_DELETED = 200
_SUFFIX = {PushDialect.PROTOBUF: "otlp", PushDialect.JSON: "otlp.jsonl"}


@dataclass(frozen=True)
class MergedPushFile:
    """Pushes of one dialect to merge into a file."""

    dialect: PushDialect
    pushes: Sequence[SpanPush]

    @property
    def name(self) -> str:
        """Name of the file: the time of its first push."""
        return f"spans {self.pushes[0].created_at:%Y-%m-%d %H.%M.%S}.{_SUFFIX[self.dialect]}"


def batch_of_pushes(team_id: TeamId) -> UUID:
    """Return the batch of a team's merged files."""
    return uuid5(team_id, "pushed spans")


def store_push(session: WriteSession, body: bytes, encoding: str, dialect: PushDialect) -> None:
    """Store a push and enqueue its merge. Raises `MalformedSpanPush`, `SpanPushTooLarge`."""
    try:
        plain = unpacked(body, encoding, MOST_UNPACKED_BYTES)
        if dialect is PushDialect.JSON:
            check_document(plain)
    except SpanPushExpandsTooLarge:
        raise SpanPushTooLarge(
            "The decompressed push exceeds the size limit.",
            limit=MOST_UNPACKED_BYTES,
            unit="bytes",
            remedy="Export smaller batches (OTEL_BSP_MAX_EXPORT_BATCH_SIZE).",
        ) from None
    except InvalidSpanPush as why:
        raise MalformedSpanPush(str(why)) from why
    if dialect is PushDialect.PROTOBUF and not is_message(plain):
        raise MalformedSpanPush("The body is not an ExportTraceServiceRequest.", remedy="Send OTLP over HTTP/protobuf.")
    if not plain:
        return
    values = {"dialect": dialect, "size_bytes": len(plain), "content": packed(plain, dialect)}
    del plain
    session.execute(insert(SpanPush).values(team_id=session.team_id, id=new_id(), **values))
    enqueue_unless_pending(session, MergeSpanPushes(session.team_id), after_s=MERGE_SECONDS)


def lock_pending_pushes(session: WriteSession) -> list[MergedPushFile]:
    """Return the oldest pushes, by dialect, locked until the transaction ends."""
    rows = queries.pushes(session, MOST_MERGED_BYTES, MOST_MERGED)
    files = (MergedPushFile(dialect, [row for row in rows if row.dialect == dialect]) for dialect in PushDialect)
    return [file for file in files if file.pushes]


def merge_pushes(session: WriteSession, blobs: BlobStore, one: MergedPushFile, file: ReceivedFile) -> ArtifactId:
    """Ingest the file of these pushes as an artifact and delete them; this transaction must have locked them."""
    labels = ArtifactLabels(name=one.name, batch=batch_of_pushes(session.team_id))
    artifact = artifact_ingest.ingest_file(session, blobs, file, labels)
    queries.delete_pushes(session, one.pushes)
    return ArtifactId(artifact.id)


def enqueue_next_merge(session: WriteSession) -> None:
    """Enqueue the merge of the remaining pushes, if there are any."""
    if queries.has_pushes(session):
        enqueue_unless_pending(session, MergeSpanPushes(session.team_id))


def delete_expired_spans(session: WriteSession) -> None:
    """Delete expired merged files, by the clock of the database."""
    for row in queries.select_merged_before(session, batch_of_pushes(session.team_id), RETENTION_DAYS, MOST_DELETED):
        keys = [artifact_ingest.original_key(session.team_id, row.sha256)]
        uploads.delete_artifact(session, ArtifactId(row.id), keys)
