"""What was decoded of a set of spans: writing it down, its page, single traces."""

from collections.abc import Mapping, Sequence
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

LOOK_AT_FILE = "Its file says whether it is still being decoded, or was refused and why."
COLUMNS_VERSION = 1
"""Of what is made from a set of spans; another version is another key."""
EARLIEST_NS, LATEST_NS = 0, 7_258_118_400_000_000_000
"""From 1970 to 2200: what a clock that was never set says is held inside."""


@dataclass(frozen=True)
class StoredSpanSet:
    """Where what was made of a set of spans lies."""

    columns_key: BlobKey
    columns_bytes: int
    page_key: BlobKey
    critical_key: BlobKey | None


def folder(team_id: TeamId, sha256: str) -> str:
    """Return the folder of all that is made of a file with this hash: the same bytes are decoded once in a team."""
    return f"{team_id}/spans/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}"


def record(
    session: WriteSession,
    artifact_id: ArtifactId,
    table: SpanTable,
    stored: StoredSpanSet,
    environment_id: EnvironmentId | None,
) -> SpanSet:
    """Write down a decoded set of spans; decoding again replaces it."""
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
    """Return a time of spans as PostgreSQL can keep it."""
    return datetime.fromtimestamp(min(max(unix_ns, EARLIEST_NS), LATEST_NS) / 1e9, UTC)


def summary(table: SpanTable) -> dict[str, Any]:
    """Return what an artifact says of its spans in few numbers."""
    return {
        "dialect": table.dialect,
        **table.counts,
        "start_ns": table.start_ns,
        "end_ns": table.end_ns,
        "warnings": list(table.warnings),
    }


def get_span_set(session: ReadSession, artifact_id: ArtifactId) -> SpanSet:
    """Return the decoded spans of an artifact. Raises `SpanSetNotFound`."""
    row = queries.span_set(session, artifact_id)
    if row is None:
        raise SpanSetNotFound("There is no decoded set of spans of this id.", remedy=LOOK_AT_FILE)
    return row


def get_span_sets(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Mapping[ArtifactId, SpanSet]:
    """Return the decoded sets of these artifacts; those without one are absent."""
    return {ArtifactId(row.id): row for row in queries.span_sets(session, artifact_ids)}


def between(
    session: ReadSession, environment_id: EnvironmentId, start: datetime, end: datetime, limit: int
) -> Sequence[SpanSet]:
    """Return the newest sets of an environment that touch [start, end], newest first."""
    return queries.sets_between(session, environment_id, start, end, limit)


def traces_key(columns_key: BlobKey) -> BlobKey:
    """Return where the list of a set's traces lies: beside its columns."""
    return BlobKey(f"{columns_key.rpartition('/')[0]}/traces")


def traces(row: SpanSet, blobs: BlobStore) -> TraceIndex:
    """Return the list of all traces; of a set that was decoded before lists were kept, from its spans.

    Raises `Unavailable`.
    """
    key = traces_key(BlobKey(row.columns_key))
    return TraceIndex.parse(blobs.read(key)) if blobs.exists(key) else TraceIndex.of(table(row, blobs))


def table(row: SpanSet, blobs: BlobStore) -> SpanTable:
    """Return the decoded spans. Raises `Unavailable`."""
    return SpanTable.parse(blobs.read(BlobKey(row.columns_key)), checked=True)


def trace(row: SpanSet, blobs: BlobStore, trace_id: str) -> TraceWaterfall:
    """Return one trace as the page draws it. Raises `SpanTraceNotFound`, `Unavailable`."""
    spans = table(row, blobs)
    found = spans.find(trace_id)
    if found is None:
        raise SpanTraceNotFound("The set of spans has no trace of this id.")
    return waterfall(spans, found)
