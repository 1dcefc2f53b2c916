"""Record and get decoded span sets, their pages and single traces."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.trace_index import TraceIndex
from slowpath.analysis.kinds.spans.trace_waterfall import waterfall
from slowpath.analysis.kinds.spans.waterfall_document import TraceWaterfall
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, EnvironmentId, TeamId
from slowpath.core.ports import BlobStore
from slowpath.evidence.spans import queries
from slowpath.evidence.spans.errors import SpanSetNotFound, SpanTraceNotFound
from slowpath.evidence.spans.tables import SpanSet

CHECK_ARTIFACT = "Check the state of the artifact: it may still be decoding, or it may be invalid."
COLUMNS_VERSION = 1
"""Version of the decoded data; it is part of the key."""
EARLIEST_NS, LATEST_NS = 0, 7_258_118_400_000_000_000
"""1970 to 2200: times of clocks that were never set are clamped to this range."""


@dataclass(frozen=True)
class StoredSpanSet:
    """Blob keys of the decoded data of a span set."""

    columns_key: BlobKey
    columns_bytes: int
    page_key: BlobKey
    critical_key: BlobKey | None


def folder(team_id: TeamId, sha256: str) -> str:
    """Return the folder of the decoded data of a file; equal bytes are decoded once per team."""
    return f"{team_id}/spans/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}"


def record(
    session: WriteSession,
    artifact_id: ArtifactId,
    table: SpanTable,
    stored: StoredSpanSet,
    environment_id: EnvironmentId | None,
) -> SpanSet:
    """Record a decoded span set; decoding again replaces it."""
    return session.merge(
        SpanSet(
            team_id=session.team_id,
            id=artifact_id,
            dialect=table.dialect,
            spans=len(table),
            traces=table.trace_count,
            environment_id=environment_id,
            began_at=moment(table.start_ns),
            ended_at=moment(table.end_ns),
            columns_key=stored.columns_key,
            columns_bytes=stored.columns_bytes,
            page_key=stored.page_key,
            critical_key=stored.critical_key,
        )
    )


def moment(unix_ns: int) -> datetime:
    """Return a span time as a datetime that PostgreSQL can store."""
    return datetime.fromtimestamp(min(max(unix_ns, EARLIEST_NS), LATEST_NS) / 1e9, UTC)


def summary(table: SpanTable) -> dict[str, Any]:
    """Return the summary of a span set for its artifact."""
    return {
        "dialect": table.dialect,
        **table.counts,
        "start_ns": table.start_ns,
        "end_ns": table.end_ns,
        "warnings": list(table.warnings),
    }


def get_span_set(session: ReadSession, artifact_id: ArtifactId) -> SpanSet:
    """Return the decoded span set of an artifact. Raises `SpanSetNotFound`."""
    row = queries.span_set(session, artifact_id)
    if row is None:
        raise SpanSetNotFound("There is no decoded span set with this ID.", remedy=CHECK_ARTIFACT)
    return row


def between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[SpanSet]:
    """Return the span sets of an environment that overlap [start, end], newest first."""
    return queries.sets_between(session, environment_id, start, end, limit)


def traces_key(columns_key: BlobKey) -> BlobKey:
    """Return the blob key of the trace index of a span set."""
    return BlobKey(f"{columns_key.rpartition('/')[0]}/traces")


def traces(row: SpanSet, blobs: BlobStore) -> TraceIndex:
    """Return the trace index of a span set; computed from its spans if an earlier version decoded it.

    Raises `Unavailable`.
    """
    key = traces_key(BlobKey(row.columns_key))
    return TraceIndex.parse(blobs.read(key)) if blobs.exists(key) else TraceIndex.of(table(row, blobs))


def table(row: SpanSet, blobs: BlobStore) -> SpanTable:
    """Return the decoded spans. Raises `Unavailable`."""
    return SpanTable.parse(blobs.read(BlobKey(row.columns_key)), checked=True)


def trace(row: SpanSet, blobs: BlobStore, trace_id: str) -> TraceWaterfall:
    """Return the waterfall of one trace. Raises `SpanTraceNotFound`, `Unavailable`."""
    spans = table(row, blobs)
    found = spans.find(trace_id)
    if found is None:
        raise SpanTraceNotFound("The span set has no trace with this ID.")
    return waterfall(spans, found)
