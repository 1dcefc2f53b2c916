"""Arguments of the tools: their JSON schema is what clients see."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from slowpath.sharing.mcp_server.rules import DEFAULT_ROWS, DEFAULT_WAIT_S, MOST_ROWS, MOST_WAIT_S

Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
FunctionName = Annotated[str, StringConstraints(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]
Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Ref = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^\x00]*$")]
WaitSeconds = Annotated[float, Field(ge=0, le=MOST_WAIT_S, description="how long to wait for the result")]


class ToolArguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(extra="forbid")

    from_line: Annotated[int, Field(ge=1, le=1_000_000, description="first line of the answer, for the rest of it")] = 1


class ListArguments(ToolArguments):
    """What every list takes."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = DEFAULT_ROWS
    cursor: Annotated[str | None, Field(max_length=200, description="next cursor of the previous answer")] = None


class ListRegressions(ListArguments):
    """Filters of regressions."""

    service: Annotated[Text | None, Field(description="slug of a service")] = None
    state: Annotated[
        list[Literal["new", "investigating", "acknowledged", "fixed", "improved", "not-a-regression", "ignored"]]
        | None,
        Field(description="default: all states"),
    ] = None
    search: Annotated[Text | None, Field(description="part of a title, function or commit")] = None


class ListEvents(ListArguments):
    """Filters of the inbox."""

    view: Annotated[
        Literal["needs-action", "production", "regressions", "snoozed", "closed"],
        Field(description="production: production events only"),
    ] = "needs-action"
    service: Annotated[Text | None, Field(description="slug of a service")] = None
    severity: list[Literal["high", "medium", "low"]] | None = None
    search: Annotated[Text | None, Field(description="part of a title")] = None


class ExplainEvent(ToolArguments):
    """A production event."""

    event_id: Annotated[UUID, Field(description="id of an item of the kind production-event")]


class Search(ToolArguments):
    """A text to search."""

    text: Annotated[
        Text, Field(description="words of a name, number, commit or function; similar words if there are none")
    ]
    limit: Annotated[int, Field(ge=1, le=20, description="of each type")] = 5


class ExplainRegression(ToolArguments):
    """A regression."""

    regression_id: UUID


class ListBuilds(ListArguments):
    """Filters of builds."""

    service: Annotated[Text | None, Field(description="slug of a service")] = None
    branch: Ref | None = None
    search: Annotated[Text | None, Field(description="prefix of a commit, or part of a name, branch or title")] = None


class ExplainBuild(ToolArguments):
    """A build."""

    build_id: UUID


class SideArgument(BaseModel):
    """One side of a comparison: exactly one of its members."""

    model_config = ConfigDict(extra="forbid")

    build_id: Annotated[UUID | None, Field(description="all artifacts of a build")] = None
    deployment_id: Annotated[UUID | None, Field(description="what was recorded while a deployment ran")] = None
    artifact_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=200)] = None

    @model_validator(mode="after")
    def _validate_one(self) -> Self:
        if sum(each is not None for each in (self.build_id, self.deployment_id, self.artifact_ids)) != 1:
            raise ValueError("set exactly one of build_id, deployment_id and artifact_ids")
        return self


class Compare(ToolArguments):
    """Two sides."""

    base: SideArgument
    candidate: SideArgument
    wait_seconds: WaitSeconds = DEFAULT_WAIT_S


class GetComparison(ToolArguments):
    """A comparison."""

    comparison_id: UUID
    wait_seconds: WaitSeconds = 0


class FunctionDiff(ToolArguments):
    """A function in a comparison."""

    comparison_id: UUID
    function: Annotated[FunctionName, Field(description="full name as in Go, or a part of it")]
    kind: Annotated[Text | None, Field(description="kind of profile, such as cpu; default: the first")] = None
    wait_seconds: WaitSeconds = DEFAULT_WAIT_S


class TopFunctions(ToolArguments):
    """Profiles to open together: exactly one of both members."""

    artifact_ids: Annotated[list[UUID] | None, Field(min_length=1, max_length=200)] = None
    build_id: Annotated[UUID | None, Field(description="the newest profiles of a build")] = None
    kind: Annotated[Text | None, Field(description="kind of profile, such as heap; default: the first")] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 30
    wait_seconds: WaitSeconds = DEFAULT_WAIT_S

    @model_validator(mode="after")
    def _validate_one(self) -> Self:
        if (self.artifact_ids is None) == (self.build_id is None):
            raise ValueError("set exactly one of artifact_ids and build_id")
        return self


class LongestWaits(ToolArguments):
    """An execution trace."""

    artifact_id: UUID
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class SuspectCommits(ToolArguments):
    """A range of commits: that of a regression, that of a comparison, or two commits of a service."""

    regression_id: UUID | None = None
    comparison_id: UUID | None = None
    service: Annotated[Text | None, Field(description="slug of a service, with good and bad")] = None
    good: Sha | None = None
    bad: Sha | None = None
    function: Annotated[FunctionName | None, Field(description="function that got slower, for the suspicion")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 10

    @model_validator(mode="after")
    def _validate_one(self) -> Self:
        by_commits = [self.service, self.good, self.bad]
        named = [self.regression_id is not None, self.comparison_id is not None, all(by_commits)]
        if sum(named) != 1 or (any(by_commits) and not all(by_commits)):
            raise ValueError("set regression_id, or comparison_id, or service with good and bad")
        return self


class CommitPatch(ToolArguments):
    """A commit of a repository."""

    repository_id: UUID
    sha: Sha
    wait_seconds: WaitSeconds = 10


class StartBisect(ToolArguments):
    """What to find the culprit of: exactly one of both members. All settings come from the proposal for it."""

    regression_id: UUID | None = None
    comparison_id: UUID | None = None

    @model_validator(mode="after")
    def _validate_one(self) -> Self:
        if (self.regression_id is None) == (self.comparison_id is None):
            raise ValueError("set exactly one of regression_id and comparison_id")
        return self


class FollowBisect(ToolArguments):
    """A bisect."""

    bisect_id: UUID
    after_revision: Annotated[
        int | None, Field(ge=0, description="wait until the revision is higher than in the previous answer")
    ] = None
    wait_seconds: WaitSeconds = 0
