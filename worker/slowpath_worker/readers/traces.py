"""Reader of execution traces: stores columns, a page document, timeline tiles of its longest waits, and two profiles."""

import gzip
from pathlib import Path

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.exec_traces.timeline_tiles import cut_tiles
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_page import page_of_one
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.registry import EXECUTION_TRACE
from slowpath.core.ids import BlobKey
from slowpath.evidence.exec_traces.service import execution_traces as traces
from slowpath.evidence.exec_traces.service.execution_traces import StoredTrace
from slowpath_worker.decode_helper import DecodeHelper, TraceOutputs
from slowpath_worker.decode_limits import trace_limits
from slowpath_worker.job_context import JobContext
from slowpath_worker.readers.profiles import checked_header
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile, mapped

GZIP_LEVEL = 5


def read_trace(original: OriginalFile, helper: DecodeHelper, context: JobContext) -> DecodedArtifact:
    """Decode a trace, or the readable part of a damaged one."""
    outputs = TraceOutputs(*(original.folder / name for name in ("columns", "cpu", "delays")))
    limits = trace_limits(original.path, original.encoding, context.settings)
    helper.trace(original.path, outputs, limits)
    context.progress("cutting timelines", 0.8)
    table = TraceTable.parse(mapped(outputs.columns))
    artifact = TraceArtifact(original.name, table, RunMetadata.from_json(original.facts))
    stored = _stored(artifact, original, outputs, context)
    return DecodedArtifact(
        kind=EXECUTION_TRACE.id,
        summary=traces.summary(table.header),
        record=lambda session, artifact_id: traces.record(session, artifact_id, table.header, stored),
    )


def _stored(artifact: TraceArtifact, original: OriginalFile, outputs: TraceOutputs, context: JobContext) -> StoredTrace:
    folder = traces.folder(context.team_id, original.sha256)

    def put(name: str, content: Path | bytes) -> BlobKey:
        key = BlobKey(f"{folder}/{name}")
        context.blobs.put(key, content)
        return key

    def put_profile(name: str, path: Path) -> BlobKey | None:
        if not path.exists():
            return None
        checked_header(path)
        return put(name, path)

    tiles, offsets = _tiles(read_columns(mapped(outputs.columns), "slowpath.trace"))
    page = dump_document(page_of_one(artifact)).encode()
    context.progress("storing", 0.9)
    return StoredTrace(
        columns_key=put("columns", outputs.columns),
        columns_bytes=outputs.columns.stat().st_size,
        page_key=put("page", gzip.compress(page, GZIP_LEVEL, mtime=0)),
        tiles_key=put("tiles", tiles) if offsets else None,
        tiles=offsets,
        cpu_key=put_profile("cpu", outputs.cpu),
        delays_key=put_profile("delays", outputs.delays),
    )


def _tiles(columns: ColumnFile) -> tuple[bytes, dict[str, tuple[int, int]]]:
    """Return all tiles in one blob, each compressed separately, and their offsets."""
    blob, offsets = bytearray(), {}
    for tile in cut_tiles(columns):
        packed = gzip.compress(tile.content, GZIP_LEVEL, mtime=0)
        offsets[traces.tile_name(tile.index, tile.level, tile.number)] = (len(blob), len(packed))
        blob += packed
    return bytes(blob), offsets
