"""Wire shapes of the sources of sides: where their artifacts come from."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.evidence.profiles.schemas import LabelMatcherIn
from slowpath.platform.http.request_types import JsonTime
from slowpath.verdicts.comparisons.rules import MAX_LABELS_A_SIDE
from slowpath.verdicts.comparisons.rules.side_sources import SideSource, parse_source

Ref = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^\x00]*$")]
MOST_LISTED = 1000
"""Above the limit of a side, so that the error of that limit is returned."""


class ComparisonRequest(BaseModel):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class SourceBase(ComparisonRequest):
    """What every source has: label matchers that samples of profiles must match."""

    labels: Annotated[list[LabelMatcherIn], Field(max_length=MAX_LABELS_A_SIDE)] = []


class ArtifactsSourceIn(SourceBase):
    """Listed artifacts."""

    type: Literal["artifacts"]
    artifact_ids: Annotated[list[UUID], Field(min_length=1, max_length=MOST_LISTED)]


class BuildSourceIn(SourceBase):
    """All artifacts of a build; of too many, the newest."""

    type: Literal["build"]
    build_id: UUID


class RefSourceIn(SourceBase):
    """A branch or tag of a service: the newest build with evidence."""

    type: Literal["ref"]
    service_id: UUID
    ref: Ref


class DeploymentSourceIn(SourceBase):
    """A deployment: artifacts of its build that were recorded while it ran, and metrics of that time."""

    type: Literal["deployment"]
    deployment_id: UUID


class TimeRangeSourceIn(SourceBase):
    """A service in an environment between two times (at most 7 days): artifacts recorded then, and metrics."""

    type: Literal["time_range"]
    service_id: UUID
    environment_id: UUID
    begin: JsonTime
    end: JsonTime


SideSourceIn = Annotated[
    ArtifactsSourceIn | BuildSourceIn | RefSourceIn | DeploymentSourceIn | TimeRangeSourceIn,
    Field(discriminator="type"),
]


def parse_side_source(source: SideSourceIn) -> SideSource:
    """Return the source of a request."""
    return parse_source(source.model_dump(mode="json"))
