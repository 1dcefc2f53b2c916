"""Cut a piece out of an execution trace."""

import tempfile
from pathlib import Path
from typing import Any

from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId
from slowpath.core.sessions import WriteSession
from slowpath.traces.jobs import CutTrace
from slowpath.traces.rules import CutState
from slowpath.traces.service import cutting
from slowpath.uploads.service import reading, receiving
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.decoding import DecodeHelper

__all__ = ["CutTrace", "cut_ended_badly", "cut_trace"]


def cut_trace(job: CutTrace, context: Context) -> None:
    """Cut out the generations around the window, and keep them as a file."""
    with context.writing() as session:
        cut = cutting.find(session, job.cut_id)
        cut.state = CutState.RUNNING
        cut.problem = None
        artifact = reading.find(session, ArtifactId(cut.artifact_id))
        sha256, name, window_ns = artifact.sha256, artifact.name, (cut.from_ns, cut.to_ns)

    context.progress("cutting", 0.2)
    with (
        context.blobs.local(receiving.original_key(context.team_id, sha256)) as original,
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="cut-") as folder,
    ):
        out = Path(folder) / "cut"
        DecodeHelper(context.settings, context.check).cut(original, out, window_ns)
        size_bytes = out.stat().st_size
        key = cutting.cut_key(context.team_id, job.cut_id)
        context.blobs.put(key, out)

    with context.finishing() as session:
        cut = cutting.find(session, job.cut_id)
        cut.state = CutState.DONE
        cut.blob_key, cut.size_bytes = key, size_bytes
        cut.file_name = f"{name.removesuffix('.gz')}.{window_ns[0] // 1_000_000}-{window_ns[1] // 1_000_000}ms.trace"


def cut_ended_badly(
    session: WriteSession, job: CutTrace, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the piece why there is none."""
    cut = cutting.find(session, job.cut_id)
    cut.state = CutState.CANCELLED if isinstance(error, Cancelled) else CutState.FAILED
    cut.problem = problem
