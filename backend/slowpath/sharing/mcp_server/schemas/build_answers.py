"""What tools read from builds and their verdicts. Members that tools do not read are ignored."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.list_answers import CommitOfBuild, EvidenceNeeded


class KindCount(BaseModel):
    """Number of artifacts of a kind."""

    kind: str
    count: int


class KindAnswer(BaseModel):
    """The verdict on one kind of artifact."""

    kind: str
    verdict: str
    is_announced: bool


class BuildComparison(BaseModel):
    """The comparison of a build with an earlier one."""

    state: str
    direction: str | None
    base: CommitOfBuild | None
    comparison_id: UUID | None
    profiles_needed: int | None


class BuildVerdictRead(BaseModel):
    """The verdict on a build."""

    state: str
    sentence: str
    required_evidence: EvidenceNeeded | None
    regression_ids: list[UUID]
    kinds: list[KindAnswer]
    comparison: BuildComparison | None


class PullRequest(BaseModel):
    """A pull request."""

    number: int
    url: str | None


class BuildRead(BaseModel):
    """A build."""

    id: UUID
    service_id: UUID
    commit: str
    branch: str | None
    display_name: str | None
    title: str | None
    author: str | None
    go_version: str
    goos: str
    goarch: str
    pull_request: PullRequest | None
    committed_at: datetime | None
    created_at: datetime


class ListedBuild(BuildRead):
    """A build as listed."""

    evidence: list[KindCount]
    waiting_artifacts: int
    verdict: BuildVerdictRead | None
