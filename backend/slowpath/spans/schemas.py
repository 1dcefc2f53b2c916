"""Spans on the wire. Pages travel as the documents that the worker wrote; here is what lists say."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict


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
