"""Every SELECT about stack-growth logs."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.ids import ArtifactId
from slowpath.core.sessions import ReadSession
from slowpath.growth.tables import GrowthLog


def logs(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[GrowthLog]:
    """Return the logs of these artifacts, by primary key."""
    return session.scalars(select(GrowthLog).where(GrowthLog.id.in_(artifact_ids))).all()
