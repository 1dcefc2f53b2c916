"""Wire shapes of example data."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class ReceivedItemOut(BaseModel):
    """A name, and when it was received."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    at: AwareDatetime


class OwnDataOut(BaseModel):
    """The newest data of the team that is not of the example. Without example data, it is not looked up: all are null."""

    model_config = ConfigDict(from_attributes=True)

    artifact: ReceivedItemOut | None
    build: ReceivedItemOut | None
    deployment: ReceivedItemOut | None


class ExampleDataOut(BaseModel):
    """The example data of the team; `progress` (0 to 1) and `step` are those of the job that adds or removes it."""

    state: Literal["absent", "adding", "added", "removing", "failed"]
    services: list[str]
    """Slugs of its services."""
    series: int
    """Time series of its services."""
    own: OwnDataOut
    progress: Annotated[float, Field(ge=0, le=1)]
    step: str
    detail: str | None
    """Why the last job failed."""
