"""What tools read from lists, and small parts that several answers share. Members that tools do not read are ignored."""

from typing import Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

Item = TypeVar("Item")


class ListPageRead(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None


class ProblemRead(BaseModel):
    """A stored problem."""

    title: str
    detail: str


class ServiceRead(BaseModel):
    """A service."""

    id: UUID
    slug: str
    name: str
    description: str


class CommitOfBuild(BaseModel):
    """A build by its commit."""

    build_id: UUID | None
    commit: str


class CommitRangeRead(BaseModel):
    """First and last commit of a range."""

    first_commit: str
    last_commit: str


class PersonRead(BaseModel):
    """A person."""

    name: str | None


class EvidenceNeeded(BaseModel):
    """Evidence still required."""

    builds: int | None
    profiles: int | None


class RelatedSeries(BaseModel):
    """A series that changed with a regression."""

    name: str
    ratio: float | None
    is_cost_shift: bool


class RatioRead(BaseModel):
    """A ratio with its interval."""

    ratio: float
    low: float | None
    high: float | None
