"""Record and get decoded traces, their pages, and the tiles of their longest waits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from slowpath.analysis.kinds.exec_traces.trace_header import TraceHeader
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId
from slowpath.core.ports import BlobStore
from slowpath.evidence.exec_traces import queries
from slowpath.evidence.exec_traces.errors import ExecutionTraceNotFound, TileNotFound
from slowpath.evidence.exec_traces.tables import ExecutionTrace

CHECK_ARTIFACT = "Check the state of the artifact: it may still be decoding, or it may be invalid."
COLUMNS_VERSION = 1
"""Version of the decoded data; it is part of the key."""


@dataclass(frozen=True)
class StoredTrace:
    """Blob keys of the decoded data of a trace. `tiles` maps each tile to its offset and length."""

    columns_key: BlobKey
    columns_bytes: int
    page_key: BlobKey
    tiles_key: BlobKey | None
    tiles: Mapping[str, tuple[int, int]]
    cpu_key: BlobKey | None
    delays_key: BlobKey | None


def folder(team_id: TeamId, sha256: str) -> str:
    """Return the folder of the decoded data of a file; equal bytes are decoded once per team."""
    return f"{team_id}/traces/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}"


def record(session: WriteSession, artifact_id: ArtifactId, header: TraceHeader, stored: StoredTrace) -> ExecutionTrace:
    """Record a decoded trace from the header of its columns; decoding again replaces it."""
    trace = ExecutionTrace(
        team_id=session.team_id,
        id=artifact_id,
        header_version=header.header_version,
        duration_ns=header.duration_ns,
        wall_start_ns=header.wall_start_ns,
        events=header.events,
        gomaxprocs=header.procs.last,
        recording=header.recording,
        unreadable_range=asdict(header.lost) if header.lost else None,
        warnings=list(header.warnings),
        columns_key=stored.columns_key,
        columns_bytes=stored.columns_bytes,
        page_key=stored.page_key,
        tiles_key=stored.tiles_key,
        tiles={name: list(where) for name, where in stored.tiles.items()},
        cpu_key=stored.cpu_key,
        delays_key=stored.delays_key,
    )
    return session.merge(trace)


def summary(header: TraceHeader) -> dict[str, Any]:
    """Return the summary of a trace for its artifact."""
    return {
        "header_version": header.header_version,
        "duration_ns": header.duration_ns,
        "events": header.events,
        "gomaxprocs": header.procs.last,
        "recording": header.recording,
        "goroutines": header.goroutines,
        "waits": header.totals.waits,
        "wait_ns": header.totals.wait_ns,
        "cpu_samples": header.cpu_samples,
        "lost": asdict(header.lost) if header.lost else None,
        "warnings": list(header.warnings),
    }


def get_execution_trace(session: ReadSession, artifact_id: ArtifactId) -> ExecutionTrace:
    """Return the decoded trace of an artifact. Raises `ExecutionTraceNotFound`."""
    row = queries.trace(session, artifact_id)
    if row is None:
        raise ExecutionTraceNotFound("There is no decoded execution trace with this ID.", remedy=CHECK_ARTIFACT)
    return row


def tile(trace: ExecutionTrace, blobs: BlobStore, index: int, level: int, number: int) -> bytes:
    """Return one tile of a longest wait as stored: columns, gzip. Raises `TileNotFound`, `Unavailable`."""
    where = trace.tiles.get(tile_name(index, level, number))
    if where is None or trace.tiles_key is None:
        raise TileNotFound("The trace has no such longest wait, or the wait has no such tile.")
    return blobs.read_range(BlobKey(trace.tiles_key), *where)


def tile_name(index: int, level: int, number: int) -> str:
    """Return the key of a tile in `ExecutionTrace.tiles`."""
    return f"{index}/{level}/{number}"
