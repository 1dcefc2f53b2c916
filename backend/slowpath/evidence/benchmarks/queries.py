"""SQL queries on benchmark output."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId
from slowpath.evidence.benchmarks.tables import BenchmarkOutput


def outputs(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[BenchmarkOutput]:
    """Return the output of these artifacts, by primary key."""
    return session.scalars(select(BenchmarkOutput).where(BenchmarkOutput.id.in_(artifact_ids))).all()
