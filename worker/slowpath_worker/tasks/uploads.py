"""Decode what was uploaded; remove bytes that nobody needs any more."""

import mmap
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath.analysis.columns import read_columns
from slowpath.analysis.profiles.profile_table import ProfileTable
from slowpath.core.errors import Refused, SlowpathError
from slowpath.core.ids import BlobKey
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import WriteSession
from slowpath.profiles import service as profiles
from slowpath.uploads.jobs import DecodeArtifact, ExpireUpload, ForgetBlobs
from slowpath.uploads.rules import ArtifactState
from slowpath.uploads.service import parts, reading, receiving
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.decoding import ArtifactRefused, DecodeHelper, Limits

__all__ = [
    "DecodeArtifact",
    "ExpireUpload",
    "ForgetBlobs",
    "decode_artifact",
    "decode_ended_badly",
    "expire_upload",
    "forget_blobs",
]

NOT_READ_YET = {
    "go-trace": "a Go execution trace",
    "spans-otlp": "a set of OpenTelemetry spans",
    "spans-jaeger": "a set of Jaeger spans",
    "spans-zipkin": "a set of Zipkin spans",
    "growth-log": "a stack-growth log",
    "bench": "benchmark output",
    "metrics-text": "a scrape of metrics",
    "zip": "a zip archive",
}


@dataclass(frozen=True)
class _Decoded:
    header: dict[str, Any]
    key: BlobKey
    columns_bytes: int


def decode_artifact(job: DecodeArtifact, context: Context) -> None:
    """Find out what the file is, decode it, keep the columns."""
    with context.writing() as session:
        artifact = reading.find(session, job.artifact_id)
        artifact.state = ArtifactState.DECODING
        artifact.problem = None
        sha256, name = artifact.sha256, artifact.name

    decoded = _decode(context, sha256, name)

    with context.finishing() as session:
        if reading.is_gone(session, job.artifact_id):  # deleted meanwhile: what was just stored goes the same way
            enqueue(session, ForgetBlobs(job.artifact_id, [receiving.original_key(context.team_id, sha256)]))
            return
        artifact = reading.find(session, job.artifact_id)
        profiles.record(session, job.artifact_id, decoded.header, decoded.key, decoded.columns_bytes)
        artifact.state = ArtifactState.DECODED
        artifact.kind = f"profile.{decoded.header['kind']}"
        artifact.summary = profiles.summary(decoded.header)


def _decode(context: Context, sha256: str, name: str) -> _Decoded:
    helper = DecodeHelper(context.settings, context.check)
    context.progress("reading", 0.05)
    with (
        context.blobs.local(receiving.original_key(context.team_id, sha256)) as original,
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="decode-") as folder,
    ):
        found = helper.sniff(original)
        _refuse_unknown(found)
        limits = Limits.for_file(original, found["encoding"], context.settings)
        context.progress("decoding", 0.2)
        out = Path(folder) / "columns"
        helper.profile(original, name, out, limits)
        context.progress("storing", 0.9)
        header = _checked_header(out)
        key = profiles.columns_key(context.team_id, sha256)
        size = out.stat().st_size
        context.blobs.put(key, out)
        return _Decoded(header, key, size)


def _checked_header(path: Path) -> dict[str, Any]:
    """Return the header of decoded columns, having looked at all of them: comparisons then trust them."""
    with path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    ProfileTable.parse(mapped)
    return dict(read_columns(mapped, "slowpath.profile").header)


def _refuse_unknown(found: dict[str, Any]) -> None:
    kind = found["kind"]
    if kind in ("pprof", "unknown"):
        return  # what looks like nothing is given to the reader too: its error says most
    what = NOT_READ_YET.get(kind, kind)
    raise ArtifactRefused(
        f"This is {what}, which is recognised but not read here yet.",
        slug=f"not-read-yet-{kind}",
        remedy="Unpack it and upload the profiles inside." if kind == "zip" else "Upload pprof profiles for now.",
    )


def decode_ended_badly(
    session: WriteSession, job: DecodeArtifact, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the artifact why it could not be decoded. Its original is kept."""
    artifact = reading.find(session, job.artifact_id)
    artifact.state = ArtifactState.REFUSED if isinstance(error, Refused) else ArtifactState.FAILED
    artifact.problem = problem


def expire_upload(job: ExpireUpload, context: Context) -> None:
    """Forget an upload in parts that was never completed (or long ago), and its parts."""
    with context.finishing() as session:
        context.blobs.delete(parts.abandon(session, job.upload_id))


def forget_blobs(job: ForgetBlobs, context: Context) -> None:
    """Remove the bytes of a deleted artifact that no other row of the team needs."""
    with context.finishing() as session:
        for key in job.keys:
            sha256 = key.rsplit("/", 1)[-1]
            if reading.still_needed(session, sha256):
                continue
            columns = profiles.columns_key(context.team_id, sha256)
            context.blobs.delete([BlobKey(key), columns])
