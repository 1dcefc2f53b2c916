"""Decode artifacts, and delete unused blobs."""

import tempfile
from pathlib import Path
from typing import Any, NoReturn

from slowpath.analysis.kinds.registry import BINARY, PROFILE, kind_of
from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import BuildId
from slowpath.core.jobs import enqueue, enqueue_unless_pending
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.artifacts.jobs import DecodeArtifact, DeleteUnusedBlobs, ExpireUpload
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts, multipart_uploads
from slowpath.evidence.kind_registry import STORED_KINDS
from slowpath.evidence.profiles.service import profile_sets
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from slowpath.verdicts.regressions.rules import SETTLE_SECONDS
from slowpath.verdicts.regressions.service import stack_checks
from slowpath_worker.decode_helper import DecodeHelper, InvalidArtifact
from slowpath_worker.job_context import JobContext, JobFailure
from slowpath_worker.readers import find_reader
from slowpath_worker.readers.profiles import read_already
from slowpath_worker.readers.reader_types import DecodedArtifact, OriginalFile

__all__ = [
    "DecodeArtifact",
    "DeleteUnusedBlobs",
    "ExpireUpload",
    "decode_artifact",
    "delete_unused_blobs",
    "expire_upload",
    "record_decode_failure",
]

UNSUPPORTED_FORMATS = {
    "metrics-text": "a scrape of metrics",
}


def decode_artifact(job: DecodeArtifact, context: JobContext) -> None:
    """Detect an artifact's format, decode it, and store the result."""
    with context.writing() as session:
        artifact = artifacts.get_artifact(session, job.artifact_id)
        artifact.state = ArtifactState.DECODING
        artifact.problem = None
        sha256, name, facts = artifact.sha256, artifact.name, dict(artifact.run_metadata)

    decoded = read_already(sha256, context) or _decode(context, sha256, name, facts)

    with context.finishing() as session:
        if artifacts.is_gone(session, job.artifact_id):  # deleted meanwhile: also delete the blobs just stored
            keys = [artifact_ingest.original_key(context.team_id, each) for each in (sha256, *decoded.stored_hashes)]
            enqueue(session, DeleteUnusedBlobs(job.artifact_id, [str(key) for key in keys]))
            return
        artifact = artifacts.get_artifact(session, job.artifact_id)
        decoded.record(session, job.artifact_id)
        artifact.state = ArtifactState.DECODED
        artifact.kind = decoded.kind
        artifact.summary = decoded.summary
        if not decoded.keeps_original:
            enqueue(
                session, DeleteUnusedBlobs(job.artifact_id, [artifact_ingest.original_key(context.team_id, sha256)])
            )
        if artifact.build_id is not None:
            _add_build_metadata(session, BuildId(artifact.build_id), facts, decoded)
            enqueue_unless_pending(session, EvaluateBuild(BuildId(artifact.build_id)), after_s=SETTLE_SECONDS)
            if decoded.kind == BINARY.id:
                stack_checks.enqueue_descendant_checks(session, BuildId(artifact.build_id))
        elif kind_of(decoded.kind) is PROFILE and artifacts.is_single_upload(session, artifact):
            profile_sets.open_set(session, [job.artifact_id])  # so that its page has a view at once
        profile_sets.open_waiting_sets(session, job.artifact_id)


def _add_build_metadata(
    session: WriteSession, build_id: BuildId, facts: dict[str, Any], decoded: DecodedArtifact
) -> None:
    """Add build information of a file to its build; values set by a user are not changed."""
    found = {name: facts[name] for name in ("go_version", "goos", "goarch") if facts.get(name)}
    catalog.fill_build_metadata_from_artifact(
        session, build_id, {**found, **{name: value for name, value in decoded.build.items() if value}}
    )


def _decode(context: JobContext, sha256: str, name: str, facts: dict[str, Any]) -> DecodedArtifact:
    helper = DecodeHelper(context.settings, context.check)
    context.progress("reading", 0.05)
    with (
        context.blobs.local(artifact_ingest.original_key(context.team_id, sha256)) as path,
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="decode-") as folder,
    ):
        found = helper.sniff(path)
        reader = find_reader(found["kind"]) or _reject_unsupported(found["kind"])
        context.progress("decoding", 0.2)
        original = OriginalFile(path, name, sha256, found["encoding"], facts, Path(folder))
        return reader(original, helper, context)


def _reject_unsupported(kind: str) -> NoReturn:
    what = UNSUPPORTED_FORMATS.get(kind, kind)
    raise InvalidArtifact(
        f"This is {what}, which is not supported.",
        slug=f"not-read-yet-{kind}",
        remedy="Send metrics by remote write; upload profiles, traces, spans, stack-growth logs or benchmark output.",
    )


def record_decode_failure(session: WriteSession, job: DecodeArtifact, failure: JobFailure) -> None:
    """Record on the artifact why it could not be decoded. The original file is preserved."""
    artifact = artifacts.get_artifact(session, job.artifact_id)
    artifact.state = ArtifactState.INVALID if isinstance(failure.error, InvalidRequest) else ArtifactState.FAILED
    artifact.problem = failure.problem
    profile_sets.open_waiting_sets(session, job.artifact_id)
    if artifact.build_id is not None:  # the build's evaluation no longer waits for this artifact
        enqueue_unless_pending(session, EvaluateBuild(BuildId(artifact.build_id)), after_s=SETTLE_SECONDS)


def expire_upload(job: ExpireUpload, context: JobContext) -> None:
    """Delete an expired multipart upload and its parts."""
    with context.finishing() as session:
        multipart_uploads.abort_upload(session, job.upload_id)


def delete_unused_blobs(job: DeleteUnusedBlobs, context: JobContext) -> None:
    """Mark the blobs of a deleted artifact as unused, and delete its profile sets."""
    with context.finishing() as session:
        profile_sets.delete_incomplete_sets(session)
        hashes = [key.rsplit("/", 1)[-1] for key in job.keys]
        decoded = {stored.blob_prefix(context.team_id, each) for each in hashes for stored in STORED_KINDS.values()}
        mark_unused(session, [*job.keys, *decoded])
