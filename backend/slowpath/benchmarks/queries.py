"""Every SELECT about benchmark output."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.benchmarks.tables import BenchmarkOutput
from slowpath.core.ids import ArtifactId
from slowpath.core.sessions import ReadSession


def outputs(session: ReadSession, artifact_ids: Sequence[ArtifactId]) -> Sequence[BenchmarkOutput]:
    """Return the output of these artifacts, by primary key."""
    return session.scalars(select(BenchmarkOutput).where(BenchmarkOutput.id.in_(artifact_ids))).all()
