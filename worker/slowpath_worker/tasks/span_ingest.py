"""Merge pushed spans into files."""

import hashlib
import tempfile
from pathlib import Path

from slowpath.evidence.artifacts.service.artifact_ingest import ReceivedFile
from slowpath.evidence.spans.jobs import MergeSpanPushes
from slowpath.evidence.spans.service import span_ingest
from slowpath.evidence.spans.service.span_ingest import MergedPushFile
from slowpath.evidence.spans.service.span_pieces import pieces
from slowpath_worker.job_context import JobContext

__all__ = ["MergeSpanPushes", "merge_span_pushes"]


def merge_span_pushes(_job: MergeSpanPushes, context: JobContext) -> None:
    """Merge pushed spans into files, and delete expired ones.

    Separate jobs decode the files like uploaded ones.
    """
    with (
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="fold-") as folder,
        context.finishing() as session,
    ):
        for merged in span_ingest.lock_pending_pushes(session):
            span_ingest.merge_pushes(session, context.blobs, merged, _write_file(merged, Path(folder) / merged.dialect))
        span_ingest.enqueue_next_merge(session)
        span_ingest.delete_expired_spans(session)


def _write_file(merged: MergedPushFile, path: Path) -> ReceivedFile:
    """Concatenate the pushes, which gives a valid file of their format."""
    digest, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        for push in merged.pushes:
            for piece in pieces(push.content):
                file.write(piece)
                digest.update(piece)
                size_bytes += len(piece)
    return ReceivedFile(path, size_bytes, digest.hexdigest())
