"""Artifacts in any state, made by the same verbs that web and worker use."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

from slowpath.analysis.kinds.profiles.decoded.profile_header import parse_profile_header
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ArtifactId, JobId
from slowpath.core.jobs import JobRow, JobState
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels, ReceivedFile
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.profiles.service import profiles
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

HEADER = parse_profile_header(
    {
        "kind": "cpu",
        "sample_types": [{"type": "samples", "unit": "count"}, {"type": "cpu", "unit": "nanoseconds"}],
        "default_sample_type": 1,
        "period": 10_000_000,
        "period_type": {"type": "cpu", "unit": "nanoseconds"},
        "time_ns": 1_700_000_000_000_000_000,
        "duration_ns": 10_000_000_000,
        "mappings": [{"file": "/usr/bin/ingester", "build_id": "abc"}],
        "counts": {"samples": 1000, "locations": 50, "functions": 40, "stacks": 100, "frames_max": 30},
        "cut_samples": 0,
        "warnings": [],
    }
)
"""The description of a profile by the decoder."""
NOWHERE = Path("nowhere")
PROBLEM = {"type": "urn:slowpath:not-pprof", "title": "The file cannot be read", "detail": "This is no profile."}


@dataclass(frozen=True)
class FilesFactory:
    """Makes artifacts of a team."""

    app: AppUnderTest
    team: SomeTeam
    scope: TeamScope = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scope", TeamScope(self.team.id, self.team.owner.user_id))

    def received(self, name: str = "cpu.pprof", content: bytes = b"some bytes", **labels: Any) -> UUID:  # noqa: ANN401
        """Make an artifact whose decode job waits."""
        digest = sha256(content).hexdigest()
        self.app.recorded_blobs.put(artifact_ingest.original_key(self.team.id, digest), content)
        with self.app.database.writing(self.scope) as session:
            # The bytes lie there already, so the path is never read.
            file = ReceivedFile(NOWHERE, len(content), digest)
            return artifact_ingest.ingest_file(
                session, self.app.recorded_blobs, file, ArtifactLabels(name, **labels)
            ).id

    def decoded(self, name: str = "cpu.pprof", content: bytes = b"some bytes", **labels: Any) -> UUID:  # noqa: ANN401
        """Make an artifact that is decoded, without columns behind it."""
        artifact_id = self.received(name, content, **labels)
        with self.app.database.writing(self.scope) as session:
            artifact = artifacts.get_artifact(session, ArtifactId(artifact_id))
            key = profiles.columns_key(self.team.id, artifact.sha256)
            profiles.record(session, ArtifactId(artifact_id), HEADER, key, 1000)
            artifact.state, artifact.kind = ArtifactState.DECODED, "profile.cpu"
            artifact.summary = profiles.summary(HEADER)
            self._end(session.get_one(JobRow, (self.team.id, artifact.job_id)), JobState.DONE)
        self.app.recorded_blobs.put(key, b"columns")
        return artifact_id

    def refused(self, name: str = "bad.pprof", content: bytes = b"bad bytes") -> UUID:
        """Make an artifact that the decoder refused."""
        artifact_id = self.received(name, content)
        with self.app.database.writing(self.scope) as session:
            artifact = session.get_one(Artifact, (self.team.id, artifact_id))
            artifact.state, artifact.problem = ArtifactState.INVALID, PROBLEM
            job = session.get_one(JobRow, (self.team.id, artifact.job_id))
            self._end(job, JobState.FAILED)
            job.problem = PROBLEM
        return artifact_id

    def job_in(self, state: JobState) -> JobId:
        """Make a decode job in a state."""
        artifact_id = self.received()
        with self.app.database.writing(self.scope) as session:
            artifact = artifacts.get_artifact(session, ArtifactId(artifact_id))
            self._end(session.get_one(JobRow, (self.team.id, artifact.job_id)), state)
            assert artifact.job_id is not None
            return JobId(artifact.job_id)

    def _end(self, job: JobRow, state: JobState) -> None:
        job.state = state
        job.attempts = 0 if state is JobState.WAITING else 1
        if state not in {JobState.WAITING, JobState.RUNNING}:
            job.finished_at = self.app.clock.now()
