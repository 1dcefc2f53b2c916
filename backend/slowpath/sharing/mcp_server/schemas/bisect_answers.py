"""What tools read from bisects. Members that tools do not read are ignored."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.list_answers import ProblemRead


class Culprit(BaseModel):
    """The culprit or top suspect."""

    repository: str
    sha: str
    title: str


class BisectEvent(BaseModel):
    """An event of a bisect."""

    occurred_at: datetime
    sentence: str


class Candidate(BaseModel):
    """A candidate of a bisect."""

    sha: str
    title: str
    posterior: float
    verdict: str | None


class BisectLevel(BaseModel):
    """A level of a bisect."""

    repository: str
    commits: int
    candidate_count: int
    candidates: list[Candidate]


class BisectRead(BaseModel):
    """A bisect."""

    id: UUID
    number: int
    title: str
    state: str
    sentence: str
    posterior: float
    deployments: int
    expected_deployments: float | None
    culprit: Culprit | None
    finished_at: datetime | None
    levels: list[BisectLevel]
    events: list[BisectEvent]
    problem: ProblemRead | None
    needs_approval: bool
    revision: int


class BisectProposal(BaseModel):
    """Inputs that a bisect still requires."""

    missing_inputs: list[str]
