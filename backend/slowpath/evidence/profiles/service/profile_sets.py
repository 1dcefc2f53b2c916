"""Open artifacts together as a profile set: create, read, record what the worker read, delete."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, JobId, ProfileSetId, TeamId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles import queries
from slowpath.evidence.profiles.errors import ArtifactListedTwice, ProfileSetNotFound, TooManyProfiles
from slowpath.evidence.profiles.jobs import OpenProfileSet
from slowpath.evidence.profiles.rules import MAX_ARTIFACTS_A_SET, ProfileSetState
from slowpath.evidence.profiles.service import stored_exports
from slowpath.evidence.profiles.tables import ProfileSet, ProfileSetArtifact
from slowpath.platform.jobs import service as work

DELETED_AT_ONCE: Final = 100


def open_set(session: WriteSession, artifact_ids: Sequence[ArtifactId]) -> ProfileSet:
    """Return the set of these artifacts, whatever their order; create it and enqueue its job if it is new.

    A set whose job failed is tried again. Raises `TooManyProfiles`, `ArtifactListedTwice`, `ArtifactNotFound`.
    """
    if len(artifact_ids) > MAX_ARTIFACTS_A_SET:
        raise TooManyProfiles(
            "The set has too many artifacts.",
            limit=MAX_ARTIFACTS_A_SET,
            actual=len(artifact_ids),
            unit="artifacts",
            remedy="Remove some.",
        )
    if len(set(artifact_ids)) < len(artifact_ids):
        raise ArtifactListedTwice("An artifact is listed twice.", remedy="List each artifact once.")
    rows = artifacts.get_artifacts(session, sorted(artifact_ids))
    digest = _make_digest(rows)
    found = queries.select_set_by_digest(session, digest) or _insert(session, rows, digest)
    if found.state in stored_exports.RETRYABLE:
        _retry(session, found)
    session.flush()  # the response needs the timestamp set by the database
    return found


def _insert(session: WriteSession, rows: Sequence[Artifact], digest: str) -> ProfileSet:
    created = ProfileSet(
        team_id=session.team_id,
        id=new_id(),
        digest=digest,
        artifact_count=len(rows),
        state=ProfileSetState.WAITING,
        created_by=session.scope.user_id,
    )
    try:
        with session.begin_nested():
            session.add(created)
    except IntegrityError:
        found = queries.select_set_by_digest(session, digest)  # of a concurrent request
        if found is None:
            raise
        return found
    for position, row in enumerate(rows):
        session.add(
            ProfileSetArtifact(
                team_id=session.team_id, id=new_id(), set_id=created.id, artifact_id=row.id, position=position
            )
        )
    created.job_id = enqueue(session, OpenProfileSet(ProfileSetId(created.id)))
    return created


def _make_digest(rows: Sequence[Artifact]) -> str:
    """Return what identifies a set. Run metadata is part of it: other requests or times give other values."""
    content = [[str(row.id), row.run_metadata] for row in sorted(rows, key=lambda row: str(row.id))]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _retry(session: WriteSession, row: ProfileSet) -> None:
    row.state, row.problem = ProfileSetState.WAITING, None
    if row.job_id is None:
        row.job_id = enqueue(session, OpenProfileSet(ProfileSetId(row.id)))
    else:
        work.retry_job(session, JobId(row.job_id))


def get_set(session: ReadSession, set_id: ProfileSetId) -> ProfileSet:
    """Return the set. Raises `ProfileSetNotFound`."""
    row = queries.select_set(session, set_id)
    if row is None:
        raise ProfileSetNotFound("The team has no profile set with this ID.")
    if len(queries.select_set_artifacts(session, set_id)) < row.artifact_count:
        raise ProfileSetNotFound("An artifact of this profile set was deleted.", remedy="Open the other artifacts.")
    return row


def list_set_artifacts(session: ReadSession, set_id: ProfileSetId) -> list[Artifact]:
    """Return the artifacts of a set in order. Raises `ProfileSetNotFound`."""
    get_set(session, set_id)
    rows = queries.select_set_artifacts(session, set_id)
    return artifacts.get_artifacts(session, [ArtifactId(row.artifact_id) for row in rows])


def open_waiting_sets(session: WriteSession, artifact_id: ArtifactId) -> None:
    """Open the sets that waited for this artifact alone now, instead of after the pause of their jobs."""
    queries.make_set_jobs_due(session, artifact_id)


def lock_if_exists(session: WriteSession, set_id: ProfileSetId) -> bool:
    """Return whether the set exists; if so, lock it against deletion until the transaction ends."""
    return queries.lock_set(session, set_id)


def mark_running(session: WriteSession, set_id: ProfileSetId) -> ProfileSet:
    """Mark a set as being read; what was read earlier stays readable."""
    row = get_set(session, set_id)
    if row.state != ProfileSetState.DONE:
        row.state, row.problem = ProfileSetState.RUNNING, None
    return row


def record_contents(
    session: WriteSession, set_id: ProfileSetId, kinds: Sequence[Mapping[str, Any]], conditions: Mapping[str, Any]
) -> None:
    """Record the kinds of a set and the conditions of its profiles, as documents."""
    row = get_set(session, set_id)
    row.kinds, row.conditions = list(kinds), dict(conditions)
    row.state, row.problem = ProfileSetState.DONE, None
    row.finished_at = func.clock_timestamp()


def reset_set(session: WriteSession, job: JobRow) -> None:
    """Mark the failed set of a job as waiting."""
    stored_exports.reset(queries.select_set(session, ProfileSetId(job.subject_id)))


def blob_prefix(team_id: TeamId, set_id: ProfileSetId) -> str:
    """Return the prefix of all blob keys of a set, its views and exports."""
    return f"{team_id}/profile-sets/{set_id}"


def delete_incomplete_sets(session: WriteSession) -> int:
    """Delete up to 100 sets of which an artifact was deleted, with their blobs; return their number."""
    rows = queries.select_incomplete_sets(session, DELETED_AT_ONCE)
    for row in rows:
        session.delete(row)
    session.flush()  # the job must find them deleted, also if it runs immediately
    mark_unused(session, [blob_prefix(session.team_id, ProfileSetId(row.id)) for row in rows])
    return len(rows)
