"""Every SELECT about decoded profiles."""

from collections.abc import Sequence

from sqlalchemy import exists, select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.evidence.profiles.tables import Profile


def profile(session: ReadSession, artifact_id: ArtifactId) -> Profile | None:
    """Return one profile, by primary key."""
    return session.get(Profile, (session.team_id, artifact_id))


def profiles(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[Profile]:
    """Return the profiles of these artifacts, by primary key."""
    return session.scalars(select(Profile).where(Profile.id.in_(artifact_ids))).all()


def columns_needed(session: ReadSession, key: BlobKey) -> bool:
    """Tell whether any profile of the team has these columns, by ix_profile_columns."""
    needed = exists().where(Profile.team_id == session.team_id, Profile.columns_key == key)
    return bool(session.scalar(select(needed)))
