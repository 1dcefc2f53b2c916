"""Get, list, update, retry and delete artifacts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, BuildId, JobId
from slowpath.core.jobs import JobRow, enqueue, enqueue_unless_pending
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.errors import ArtifactNotFound, ArtifactNotRetryable, BuildNotFoundForArtifact
from slowpath.evidence.artifacts.jobs import DecodeArtifact, DeleteUnusedBlobs
from slowpath.evidence.artifacts.queries import ArtifactFilter
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.jobs import BuildChanged
from slowpath.platform.accounts.rules.roles import Caller
from slowpath.platform.jobs import service as work

__all__ = [
    "ArtifactFilter",
    "delete_artifact",
    "delete_artifacts",
    "get_artifact",
    "get_artifacts",
    "get_artifacts_by_hash",
    "is_gone",
    "is_single_upload",
    "list_artifacts",
    "lock_unneeded_hashes",
    "mark_artifact_pending",
    "retry_artifact",
    "update_artifact",
]


def get_artifact(session: ReadSession, artifact_id: ArtifactId) -> Artifact:
    """Return the artifact. Raises `ArtifactNotFound`."""
    row = queries.artifact(session, artifact_id)
    if row is None:
        raise ArtifactNotFound("There is no such artifact in this team.")
    return row


def get_visible_artifact(session: ReadSession, artifact_id: ArtifactId, caller: Caller) -> Artifact:
    """Return the artifact if the caller is allowed to see it. Raises `ArtifactNotFound`."""
    row = get_artifact(session, artifact_id)
    if caller.owns(row.program_id) or (
        row.build_id is not None and can_see_build(session, BuildId(row.build_id), caller)
    ):
        return row
    raise ArtifactNotFound("This token has no such artifact.")


def can_see_build(session: ReadSession, build_id: BuildId, caller: Caller) -> bool:
    """Return whether the caller can see a build: any build, or only those it sent metadata or files of."""
    return not caller.sees_only_own or caller.program_id in catalog.build(session, build_id).sender_ids


def require_visible_build(session: ReadSession, build_id: BuildId | None, caller: Caller) -> None:
    """Raise `BuildNotFoundForArtifact` if the caller cannot see the build."""
    if build_id is None or not caller.sees_only_own:
        return
    if not queries.build_exists(session, build_id) or not can_see_build(session, build_id, caller):
        raise BuildNotFoundForArtifact(
            "This token has no such build.", remedy="Send the build first: POST /builds/{service}/{commit}."
        )


def is_gone(session: ReadSession, artifact_id: ArtifactId) -> bool:
    """Return whether the artifact does not exist any more."""
    return queries.artifact(session, artifact_id) is None


def get_artifacts(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> list[Artifact]:
    """Return the artifacts in the order of their ids. Raises `ArtifactNotFound` naming how many are missing."""
    found = {row.id: row for row in queries.artifacts(session, artifact_ids)}
    missing = [artifact_id for artifact_id in artifact_ids if artifact_id not in found]
    if missing:
        raise ArtifactNotFound(
            f"{len(missing)} of {len(artifact_ids)} artifacts do not exist; the first is {missing[0]}.",
            remedy="Remove them from the selection, or upload them again.",
        )
    return [found[artifact_id] for artifact_id in artifact_ids]


def is_single_upload(session: ReadSession, row: Artifact) -> bool:
    """Return whether no other artifact was uploaded together with this one."""
    return row.batch is None or not queries.has_others_in_batch(session, row)


def get_artifacts_by_hash(session: ReadSession, build_id: BuildId, hashes: Sequence[str]) -> list[Artifact]:
    """Return the build's artifacts with these hashes, in the order of the hashes; deleted ones are omitted."""
    found = (queries.artifact_of_build(session, build_id, sha256) for sha256 in dict.fromkeys(hashes))
    return [row for row in found if row is not None]


def list_artifacts(
    session: ReadSession, filters: ArtifactFilter, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Artifact]:
    """Return up to `limit` artifacts, newest first."""
    return queries.newest(session, filters, after=after, limit=limit)


def update_artifact(
    session: WriteSession, artifact_id: ArtifactId, *, facts: dict[str, Any] | None, build_id: BuildId | None
) -> Artifact:
    """Update the run metadata or the build of an artifact. Raises `ArtifactNotFound`, `BuildNotFoundForArtifact`."""
    row = get_artifact(session, artifact_id)
    was_of, was_metadata = row.build_id, row.run_metadata
    if facts is not None:
        row.run_metadata = facts
    if build_id is not None:
        if not queries.build_exists(session, build_id):
            raise BuildNotFoundForArtifact("There is no such build in this team.")
        row.build_id = build_id
    if row.kind is not None and (row.build_id, row.run_metadata) != (was_of, was_metadata):
        session.flush()  # jobs that run at once must find the updated row
        if was_of is not None and was_of != row.build_id:
            enqueue(session, BuildChanged(BuildId(was_of), row.kind))
        if row.build_id is not None:
            enqueue_unless_pending(session, BuildChanged(BuildId(row.build_id)))
    return row


def retry_artifact(session: WriteSession, artifact_id: ArtifactId) -> Artifact:
    """Decode an invalid or failed artifact again. Raises `ArtifactNotFound`, `ArtifactNotRetryable`."""
    row = get_artifact(session, artifact_id)
    if row.state not in (ArtifactState.INVALID, ArtifactState.FAILED):
        raise ArtifactNotRetryable(f"The artifact is {row.state}.")
    row.state = ArtifactState.RECEIVED
    row.problem = None
    if row.job_id is None:
        row.job_id = enqueue(session, DecodeArtifact(artifact_id))
    else:
        work.retry_job(session, JobId(row.job_id))
    return row


def mark_artifact_pending(session: WriteSession, job: JobRow) -> None:
    """Set an artifact whose decode job is due again to received, so that its former error is not shown."""
    row = queries.artifact(session, ArtifactId(job.subject_id))
    if row is not None and row.state in (ArtifactState.INVALID, ArtifactState.FAILED):
        row.state = ArtifactState.RECEIVED
        row.problem = None


def delete_artifact(session: WriteSession, artifact_id: ArtifactId, keys: Sequence[BlobKey]) -> None:
    """Delete the artifact; a job deletes its bytes unless another artifact has the same."""
    row = get_artifact(session, artifact_id)
    was_of, kind = row.build_id, row.kind
    _delete(session, [row])
    if was_of is not None and kind is not None:
        enqueue(session, BuildChanged(BuildId(was_of), kind))
    enqueue(session, DeleteUnusedBlobs(artifact_id, [str(key) for key in keys]))


def delete_artifacts(session: WriteSession, rows: Sequence[Artifact]) -> None:
    """Delete artifacts; one job deletes the bytes that no other artifact has."""
    if not rows:
        return
    keys = list(dict.fromkeys(str(original_key(session.team_id, row.sha256)) for row in rows))
    _delete(session, rows)
    enqueue(session, DeleteUnusedBlobs(ArtifactId(rows[0].id), keys))


def _delete(session: WriteSession, rows: Sequence[Artifact]) -> None:
    """Delete rows and abandon their decode jobs."""
    for row in rows:
        if row.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) and row.job_id is not None:
            work.abandon_job(session, JobId(row.job_id))
        session.delete(row)
    session.flush()  # the job must find the rows gone, also when it runs at once


def lock_unneeded_hashes(session: WriteSession, hashes: Sequence[str]) -> tuple[set[str], set[str]]:
    """Lock the bytes with these hashes against being stored, and return the locked ones, and those that nothing needs.

    Bytes that another transaction has locked, for example an upload, are omitted.
    """
    locked = queries.try_lock_bytes(session, hashes)
    return locked, locked - queries.select_needed_hashes(session, sorted(locked))
