"""SQL queries on stack-growth logs."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.growth_logs.tables import GrowthLog


def logs(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[GrowthLog]:
    """Return the logs of these artifacts, by primary key."""
    return session.scalars(select(GrowthLog).where(GrowthLog.id.in_(artifact_ids))).all()
