"""Wire shapes of example data."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field


class ExampleDataOut(BaseModel):
    """The example data of the team; `progress` (0 to 1) and `step` are those of the job that adds or removes it."""

    state: Literal["absent", "adding", "added", "removing", "failed"]
    services: list[str]
    """Slugs of its services."""
    progress: Annotated[float, Field(ge=0, le=1)]
    step: str
    detail: str | None
    """Why the last job failed."""
