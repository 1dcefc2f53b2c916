"""Extract excerpts of execution traces."""

import tempfile
from pathlib import Path

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.evidence.exec_traces.jobs import ExtractTraceExcerpt
from slowpath.evidence.exec_traces.rules import ExcerptState
from slowpath.evidence.exec_traces.service import trace_excerpts
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = ["ExtractTraceExcerpt", "extract_excerpt", "record_excerpt_failure"]


def extract_excerpt(job: ExtractTraceExcerpt, context: JobContext) -> None:
    """Extract the generations around the time range, and store them as an artifact."""
    with context.writing() as session:
        excerpt = trace_excerpts.get_excerpt(session, job.cut_id)
        excerpt.state = ExcerptState.RUNNING
        excerpt.problem = None
        artifact = artifacts.get_artifact(session, ArtifactId(excerpt.artifact_id))
        sha256, name, window_ns = artifact.sha256, artifact.name, (excerpt.from_ns, excerpt.to_ns)

    context.progress("extracting", 0.2)
    with (
        context.blobs.local(artifact_ingest.original_key(context.team_id, sha256)) as original,
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="cut-") as folder,
    ):
        out = Path(folder) / "cut"
        DecodeHelper(context.settings, context.check).cut(original, out, window_ns)
        size_bytes = out.stat().st_size
        key = trace_excerpts.cut_key(context.team_id, job.cut_id)
        context.blobs.put(key, out)

    with context.finishing() as session:
        excerpt = trace_excerpts.get_excerpt(session, job.cut_id)
        excerpt.state = ExcerptState.DONE
        excerpt.blob_key, excerpt.size_bytes = key, size_bytes
        excerpt.file_name = (
            f"{name.removesuffix('.gz')}.{window_ns[0] // 1_000_000}-{window_ns[1] // 1_000_000}ms.trace"
        )


def record_excerpt_failure(session: WriteSession, job: ExtractTraceExcerpt, failure: JobFailure) -> None:
    """Record on the excerpt why it failed."""
    excerpt = trace_excerpts.get_excerpt(session, job.cut_id)
    excerpt.state = ExcerptState.CANCELLED if isinstance(failure.error, Cancelled) else ExcerptState.FAILED
    excerpt.problem = failure.problem
