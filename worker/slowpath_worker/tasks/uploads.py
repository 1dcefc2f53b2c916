"""Decode what was uploaded; remove bytes that nobody needs any more."""

import tempfile
from pathlib import Path
from typing import Any, NoReturn

from slowpath.benchmarks import service as benchmarks
from slowpath.catalog import service as catalog
from slowpath.core.errors import Refused, SlowpathError
from slowpath.core.ids import BlobKey, BuildId
from slowpath.core.jobs import enqueue, enqueue_once
from slowpath.core.sessions import WriteSession
from slowpath.profiles import service as profiles
from slowpath.regressions.jobs import MeasureBuild
from slowpath.regressions.rules import SETTLE_SECONDS
from slowpath.spans.service import reading as spans
from slowpath.traces.service import reading as traces
from slowpath.uploads.jobs import DecodeArtifact, ExpireUpload, ForgetBlobs
from slowpath.uploads.rules import ArtifactState
from slowpath.uploads.service import parts, reading, receiving
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.decoding import ArtifactRefused, DecodeHelper
from slowpath_worker.readers import READERS
from slowpath_worker.readers.profiles import read_already
from slowpath_worker.readers.reading import Decoded, Original

__all__ = [
    "DecodeArtifact",
    "ExpireUpload",
    "ForgetBlobs",
    "decode_artifact",
    "decode_ended_badly",
    "expire_upload",
    "forget_blobs",
]

MADE_OF_A_FILE = (profiles.columns_key, benchmarks.columns_key)
"""Where lies what was made of the bytes with a hash, beside the folder of a trace."""
NOT_READ_YET = {
    "metrics-text": "a scrape of metrics",
    "zip": "a zip archive",
}


def decode_artifact(job: DecodeArtifact, context: Context) -> None:
    """Find out what the file is, decode it, keep what was made of it."""
    with context.writing() as session:
        artifact = reading.find(session, job.artifact_id)
        artifact.state = ArtifactState.DECODING
        artifact.problem = None
        sha256, name, facts = artifact.sha256, artifact.name, dict(artifact.facts)

    decoded = read_already(sha256, context) or _decode(context, sha256, name, facts)

    with context.finishing() as session:
        if reading.is_gone(session, job.artifact_id):  # deleted meanwhile: what was just stored goes the same way
            enqueue(session, ForgetBlobs(job.artifact_id, [receiving.original_key(context.team_id, sha256)]))
            return
        artifact = reading.find(session, job.artifact_id)
        decoded.record(session, job.artifact_id)
        artifact.state = ArtifactState.DECODED
        artifact.kind = decoded.kind
        artifact.summary = decoded.summary
        if not decoded.keeps_original:
            enqueue(session, ForgetBlobs(job.artifact_id, [receiving.original_key(context.team_id, sha256)]))
        if artifact.build_id is not None:
            _learn(session, BuildId(artifact.build_id), facts, decoded)
            enqueue_once(session, MeasureBuild(BuildId(artifact.build_id)), after_s=SETTLE_SECONDS)


def _learn(session: WriteSession, build_id: BuildId, facts: dict[str, Any], decoded: Decoded) -> None:
    """Tell the build what its file says of it; what somebody said stays."""
    said = {name: facts[name] for name in ("go_version", "goos", "goarch") if facts.get(name)}
    catalog.learn(session, build_id, {**said, **{name: value for name, value in decoded.build.items() if value}})


def _decode(context: Context, sha256: str, name: str, facts: dict[str, Any]) -> Decoded:
    helper = DecodeHelper(context.settings, context.check)
    context.progress("reading", 0.05)
    with (
        context.blobs.local(receiving.original_key(context.team_id, sha256)) as path,
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="decode-") as folder,
    ):
        found = helper.sniff(path)
        reader = READERS.get(found["kind"]) or _refuse_unread(found["kind"])
        context.progress("decoding", 0.2)
        original = Original(path, name, sha256, found["encoding"], facts, Path(folder))
        return reader(original, helper, context)


def _refuse_unread(kind: str) -> NoReturn:
    what = NOT_READ_YET.get(kind, kind)
    raise ArtifactRefused(
        f"This is {what}, which is recognised but not read here yet.",
        slug=f"not-read-yet-{kind}",
        remedy="Unpack it and upload the files inside."
        if kind == "zip"
        else "Send metrics by remote write; upload profiles, traces, spans, stack-growth logs or benchmark output.",
    )


def decode_ended_badly(
    session: WriteSession, job: DecodeArtifact, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the artifact why it could not be decoded. Its original is kept."""
    artifact = reading.find(session, job.artifact_id)
    artifact.state = ArtifactState.REFUSED if isinstance(error, Refused) else ArtifactState.FAILED
    artifact.problem = problem
    if artifact.build_id is not None:  # the others of its build are waited for no longer
        enqueue_once(session, MeasureBuild(BuildId(artifact.build_id)), after_s=SETTLE_SECONDS)


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
            context.blobs.delete([BlobKey(key), *(made(context.team_id, sha256) for made in MADE_OF_A_FILE)])
            for folder in (traces.folder, spans.folder):
                context.blobs.delete_under(folder(context.team_id, sha256))
