"""Wire shapes of lists of span sets and traces. Pages are sent as the documents that the worker wrote."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.analysis.kinds.spans.trace_list import Order


class SpanSetOut(BaseModel):
    """A decoded span set."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    dialect: str
    spans: int
    traces: int
    environment_id: UUID | None
    began_at: datetime
    ended_at: datetime


class TraceListParams(BaseModel):
    """Filter, order and offset of a list of traces."""

    model_config = ConfigDict(extra="forbid")

    order: Order = "duration"
    """`start` sorts the earliest first, all others the largest first."""
    reverse: bool = False
    search: Annotated[str, Field(max_length=200)] = ""
    """Text in the service or operation of the root span."""
    errors: bool = False
    """Only traces with an error."""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    offset: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class TraceListItemOut(BaseModel):
    """One trace of a span set: its root span, duration and longest gap."""

    model_config = ConfigDict(from_attributes=True)

    trace_id: str
    root: str
    service: str
    start_ns: int
    duration_ns: int
    spans: int
    errors: int
    gap_ns: int


class TraceListOut(BaseModel):
    """A page of the list of traces; `total` is the number of traces that match the filter."""

    items: list[TraceListItemOut]
    total: int
