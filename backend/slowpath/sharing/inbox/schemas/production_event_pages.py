"""Wire shapes of one production event with all its evidence."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.sharing.inbox.schemas.inbox_items import InboxItemOut, ItemAssignee, ItemService
from slowpath.verdicts.production_events.rules.event_ends import ProofState
from slowpath.verdicts.production_events.rules.event_states import EventKindName, HistoryKind


class ProofOut(BaseModel):
    """One condition of the end of the event."""

    id: str
    sentence: str
    state: ProofState


class EventSignal(BaseModel):
    """One change point of the event, in the unit of its signal. `role`: of the culprit, or of a service that follows it."""

    change_point_id: UUID
    service: ItemService
    signal: str
    gauge: str | None
    role: Literal["culprit", "follower"]
    before: float
    after: float
    ratio: float
    low: float
    high: float
    at: datetime
    sentence: str


class EventBudget(BaseModel):
    """A budget of the service that is or was exceeded during the event, by its newest evaluation."""

    sentence: str
    state: Literal["exceeded", "within", "inconclusive"]


class EventRange(BaseModel):
    """The time range of panels, traces and spans, and the services concerned."""

    model_config = ConfigDict(populate_by_name=True)

    from_at: datetime = Field(alias="from")
    to_at: datetime = Field(alias="to")
    environment_id: UUID
    service_ids: list[UUID]


class EventDeployment(BaseModel):
    """A deployment of the service near the event. `role`: what ran before, the cause, or a later one."""

    id: UUID
    commit: str
    label: str | None
    build_id: UUID | None
    started_at: datetime
    ended_at: datetime | None
    role: Literal["former", "cause", "later"]
    verdict: str | None
    verdict_sentence: str | None


class EventFinding(BaseModel):
    """One finding of the comparison."""

    sentence: str
    direction: str
    is_significant: bool


class EventComparison(BaseModel):
    """The comparison of before and after."""

    id: UUID
    state: str
    verdict: str | None
    headline: str | None
    findings: list[EventFinding]


class EventSuspect(BaseModel):
    """A commit of the deployment, with its suspicion (0 to 1, all commits together 1)."""

    sha: str
    title: str
    author: str | None
    committed_at: datetime | None
    suspicion: float
    reasons: list[str]
    commit_id: UUID
    repository_id: UUID


class EventHistoryEntry(BaseModel):
    """One entry of the history, newest first."""

    at: datetime
    type: HistoryKind
    sentence: str
    user: ItemAssignee | None


class ProductionEventOut(BaseModel):
    """A production event with all its evidence. `before` is the limit if a budget alone is the cause."""

    item: InboxItemOut
    kind: EventKindName
    signal: str
    gauge: str | None
    sentence: str
    before: float
    after: float
    cause: Literal["deployment", "unexplained", "budget", "load"]
    proof: list[ProofOut]
    budgets: list[EventBudget]
    signals: list[EventSignal]
    range: EventRange
    deployments: list[EventDeployment]
    comparison: EventComparison | None
    suspects: list[EventSuspect]
    suspects_reason: str | None
    requests_affected: int | None
    announced_at: datetime | None
    history: list[EventHistoryEntry]


class ChangePointEvent(BaseModel):
    """A production event that change points belong to."""

    id: UUID
    number: int
    change_point_ids: list[UUID]


class ChangePointEventList(BaseModel):
    """The production events of the change points in a time range, at most 500."""

    items: list[ChangePointEvent]


class EventComparisonOut(BaseModel):
    """The comparison of before and after."""

    comparison_id: UUID
