"""What tools read from regressions. Members that tools do not read are ignored."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.list_answers import (
    CommitOfBuild,
    CommitRangeRead,
    EvidenceNeeded,
    PersonRead,
    RelatedSeries,
)


class RegressionRead(BaseModel):
    """A regression."""

    id: UUID
    number: int | None
    service_id: UUID
    branch: str
    state: str
    is_confirmed: bool
    title: str
    sentence: str
    kind: str
    subject: str
    unit: str
    direction: str
    before: float | None
    after: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    first_bad_build: CommitOfBuild | None
    good: CommitOfBuild | None
    range: CommitRangeRead | None
    fixed_by: CommitOfBuild | None
    assignee: PersonRead | None
    related_series: list[RelatedSeries]
    comparison_id: UUID | None
    required_evidence: EvidenceNeeded | None
    created_at: datetime
    closed_at: datetime | None
