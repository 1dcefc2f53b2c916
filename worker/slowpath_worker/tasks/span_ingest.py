"""Put pushed spans together into files."""

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
    """Make files of what was pushed, and forget those whose time is over.

    Nothing is decoded here: separate jobs decode the files like uploaded ones.
    """
    with (
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="fold-") as folder,
        context.finishing() as session,
    ):
        for fold in span_ingest.lock_pending_pushes(session):
            span_ingest.merge_pushes(session, context.blobs, fold, _written(fold, Path(folder) / fold.dialect))
        span_ingest.enqueue_next_merge(session)
        span_ingest.delete_expired_spans(session)


def _written(fold: MergedPushFile, path: Path) -> ReceivedFile:
    """Write the pushes one behind the other: so they are a file of their dialect."""
    digest, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        for push in fold.pushes:
            for piece in pieces(push.content):
                file.write(piece)
                digest.update(piece)
                size_bytes += len(piece)
    return ReceivedFile(path, size_bytes, digest.hexdigest())
