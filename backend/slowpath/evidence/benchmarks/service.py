"""Record and get decoded benchmark output and the blob keys of its columns."""

from dataclasses import asdict
from typing import Any

from slowpath.analysis.kinds.benchmarks.benchmark_header import BenchmarkHeader
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ArtifactId, BlobKey, TeamId
from slowpath.evidence.benchmarks.tables import BenchmarkOutput

COLUMNS_VERSION = 1
"""Version of the decoder's format; it is part of the key."""


def columns_key(team_id: TeamId, sha256: str) -> BlobKey:
    """Return the blob key of the columns of a file."""
    return BlobKey(f"{team_id}/benchmarks/v{COLUMNS_VERSION}/{sha256[:2]}/{sha256}")


def record(
    session: WriteSession, artifact_id: ArtifactId, header: BenchmarkHeader, key: BlobKey, columns_bytes: int
) -> BenchmarkOutput:
    """Record decoded output from the header of its columns; decoding again replaces it."""
    output = BenchmarkOutput(
        team_id=session.team_id,
        id=artifact_id,
        results=header.counts.results,
        benchmarks=header.counts.benchmarks,
        units=list(header.units),
        warnings=list(header.warnings),
        columns_key=key,
        columns_bytes=columns_bytes,
    )
    return session.merge(output)


def summary(header: BenchmarkHeader) -> dict[str, Any]:
    """Return the summary of benchmark output for its artifact."""
    return {**asdict(header.counts), "units": list(header.units), "warnings": list(header.warnings)}
