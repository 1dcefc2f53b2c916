"""Spans on the wire. Pages travel as the documents that the worker wrote; here is what lists say."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.analysis.kinds.spans.trace_list import Order


class SpanSetOut(BaseModel):
    """A decoded set of spans."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    dialect: str
    spans: int
    traces: int
    environment_id: UUID | None
    began_at: datetime
    ended_at: datetime


class TraceListParams(BaseModel):
    """Which traces of a set, in which order, and from which row on."""

    model_config = ConfigDict(extra="forbid")

    order: Order = "duration"
    """`start` gives the earliest first, all others the largest first."""
    reverse: bool = False
    search: Annotated[str, Field(max_length=200)] = ""
    """Letters of the root's service or operation."""
    errors: bool = False
    """Only traces with an error."""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    offset: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class TraceListItemOut(BaseModel):
    """One trace of a set: its root, how long it took, and its longest gap."""

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
    """A page of the list of traces; `total` is how many there are of those that are asked for."""

    items: list[TraceListItemOut]
    total: int
