"""Database queries of profile sets, their views and exports."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.orm import aliased

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, ProfileSetId
from slowpath.core.jobs import JobRow, JobState
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles.rules import ProfileViewKey
from slowpath.evidence.profiles.tables import ProfileExport, ProfileSet, ProfileSetArtifact, ProfileView


def select_set(session: ReadSession, set_id: ProfileSetId) -> ProfileSet | None:
    """Return one set, by primary key."""
    return session.get(ProfileSet, (session.team_id, set_id))


def select_set_by_digest(session: ReadSession, digest: str) -> ProfileSet | None:
    """Return the set of a digest, by the unique constraint."""
    return session.scalars(select(ProfileSet).where(ProfileSet.digest == digest)).one_or_none()


def lock_set(session: ReadSession, set_id: ProfileSetId) -> bool:
    """Lock a set until the transaction ends, against deletion or its job; return False if it was deleted."""
    found = select(ProfileSet.id).where(ProfileSet.id == set_id).with_for_update()
    return session.scalar(found) is not None


def _artifacts() -> ColumnElement[int]:
    """Return the number of artifacts of a set that still exist."""
    return (
        select(func.count())
        .where(ProfileSetArtifact.team_id == ProfileSet.team_id, ProfileSetArtifact.set_id == ProfileSet.id)
        .scalar_subquery()
    )


def select_incomplete_sets(session: ReadSession, limit: int) -> Sequence[ProfileSet]:
    """Return and lock sets of which an artifact was deleted, without those that another transaction deletes."""
    found = select(ProfileSet).where(_artifacts() < ProfileSet.artifact_count).limit(limit)
    return session.scalars(found.with_for_update(skip_locked=True)).all()


def select_set_artifacts(session: ReadSession, set_id: ProfileSetId) -> Sequence[ProfileSetArtifact]:
    """Return the artifacts of a set in order, by the unique constraint."""
    found = select(ProfileSetArtifact).where(ProfileSetArtifact.set_id == set_id)
    return session.scalars(found.order_by(ProfileSetArtifact.position)).all()


def make_set_jobs_due(session: WriteSession, artifact_id: ArtifactId) -> None:
    """Make the waiting jobs of the sets of an artifact due now, if their other artifacts are decoded; by primary keys."""
    other = aliased(ProfileSetArtifact)
    is_undecoded = (
        select(Artifact.id)
        .join(other, and_(other.team_id == Artifact.team_id, other.artifact_id == Artifact.id))
        .where(
            other.team_id == ProfileSet.team_id,
            other.set_id == ProfileSet.id,
            Artifact.id != artifact_id,
            Artifact.state.in_((ArtifactState.RECEIVED, ArtifactState.DECODING)),
        )
        .exists()
    )
    jobs = (
        select(ProfileSet.job_id)
        .join(
            ProfileSetArtifact,
            and_(ProfileSetArtifact.team_id == ProfileSet.team_id, ProfileSetArtifact.set_id == ProfileSet.id),
        )
        .where(ProfileSetArtifact.artifact_id == artifact_id, ~is_undecoded)
    )
    now = func.clock_timestamp()
    session.execute(
        update(JobRow)
        .where(JobRow.team_id == session.team_id, JobRow.id.in_(jobs), JobRow.state == JobState.WAITING)
        .values(state=JobState.WAITING, due_at=now, not_before=now)  # with the state, the relay is notified
        .execution_options(synchronize_session=False)
    )


def select_views(session: ReadSession, set_id: ProfileSetId) -> Sequence[ProfileView]:
    """Return the views of a set, oldest first, by the unique constraint."""
    found = select(ProfileView).where(ProfileView.set_id == set_id)
    return session.scalars(found.order_by(ProfileView.position, ProfileView.created_at)).all()


def select_view(session: ReadSession, set_id: ProfileSetId, view_id: UUID) -> ProfileView | None:
    """Return one view of a set, by primary key."""
    row = session.get(ProfileView, (session.team_id, view_id))
    return row if row is not None and row.set_id == set_id else None


def select_view_by_key(session: ReadSession, set_id: ProfileSetId, key: ProfileViewKey) -> ProfileView | None:
    """Return the view of this kind, sample type, granularity and labels, by the unique constraint."""
    return session.scalars(
        select(ProfileView).where(
            ProfileView.set_id == set_id,
            ProfileView.kind == key.kind,
            ProfileView.sample_type == key.sample_type,
            ProfileView.granularity == key.granularity,
            ProfileView.labels_digest == key.labels_digest,
        )
    ).one_or_none()


def select_exports(session: ReadSession, set_id: ProfileSetId) -> Sequence[ProfileExport]:
    """Return the exports of a set."""
    return session.scalars(select(ProfileExport).where(ProfileExport.set_id == set_id)).all()
