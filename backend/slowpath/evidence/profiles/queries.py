"""SQL queries on decoded profiles."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.profiles.tables import Profile


def profiles(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[Profile]:
    """Return the profiles of these artifacts, by primary key."""
    return session.scalars(select(Profile).where(Profile.id.in_(artifact_ids))).all()
