"""What tools read from the inbox and production events. Members that tools do not read are ignored."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.list_answers import PersonRead, RatioRead


class NamedService(BaseModel):
    """A service by its slug."""

    slug: str


class NamedEnvironment(BaseModel):
    """An environment by its name."""

    name: str


class ClosedRead(BaseModel):
    """How an item was closed."""

    at: datetime
    reason: str
    sentence: str


class InboxItemRead(BaseModel):
    """An item of the inbox."""

    kind: str
    id: UUID
    number: int | None
    severity: str
    added_seconds_per_second: float | None
    title: str
    detail: str
    service: NamedService | None
    environment: NamedEnvironment | None
    since_at: datetime | None
    since_commit: str | None
    change: RatioRead | None
    state: str
    assignee: PersonRead | None
    closed: ClosedRead | None


class InboxRead(BaseModel):
    """A page of the inbox."""

    items: list[InboxItemRead]
    headline: str
    next_cursor: str | None


class ProofRead(BaseModel):
    """A proof that an event happened or ended."""

    sentence: str
    state: str


class EventSignalRead(BaseModel):
    """A changed signal of an event."""

    role: str
    sentence: str


class EventSuspectRead(BaseModel):
    """A suspect commit of an event."""

    sha: str
    title: str
    author: str | None
    suspicion: float
    reasons: list[str]


class EventFindingRead(BaseModel):
    """A finding of the comparison of before and after."""

    sentence: str
    direction: str
    is_significant: bool


class EventComparisonRead(BaseModel):
    """The comparison of before and after an event."""

    id: UUID
    state: str
    verdict: str | None
    headline: str | None
    findings: list[EventFindingRead]


class HistoryEntryRead(BaseModel):
    """An entry of the history of an event."""

    at: datetime
    sentence: str


class ProductionEventRead(BaseModel):
    """A production event with its evidence."""

    item: InboxItemRead
    sentence: str
    proof: list[ProofRead]
    signals: list[EventSignalRead]
    comparison: EventComparisonRead | None
    suspects: list[EventSuspectRead]
    requests_affected: float | None
    history: list[HistoryEntryRead]
