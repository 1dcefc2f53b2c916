"""Wire shapes of actions on inbox items and saved views."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints, model_validator

from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonDate, JsonTime
from slowpath.sharing.inbox.rules import MOST_ITEMS, MOST_REASON, KindName
from slowpath.sharing.inbox.schemas.inbox_items import InboxItemOut
from slowpath.sharing.inbox.tables import InboxView

Reason = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_REASON, pattern=r"^[^\x00]*$")
]
Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
CommitSha = Annotated[str, StringConstraints(min_length=7, max_length=64, pattern=r"^[0-9a-f]+$")]
QueryString = Annotated[str, StringConstraints(max_length=2_000, pattern=r"^[\x21-\x7e]*$")]
SettableState = Literal[
    "new", "investigating", "acknowledged", "fixed", "improved", "not-a-regression", "ignored", "closed"
]

RegressionStateName = Literal[
    "new", "investigating", "acknowledged", "fixed", "improved", "not-a-regression", "ignored"
]


class ActionBody(BaseModel):
    """A body of the inbox; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


class ItemRef(ActionBody):
    """One item."""

    kind: KindName
    id: UUID


class AssignAction(ActionBody):
    """Assign to a member, or to no member."""

    type: Literal["assign"]
    assignee_id: UUID | None


class SetStateAction(ActionBody):
    """Set the state: of production events and regressions only. Only a proof closes a production event."""

    type: Literal["set-state"]
    state: SettableState


class SetDueAction(ActionBody):
    """Set or remove the due date."""

    type: Literal["set-due"]
    due_on: JsonDate | None


class SnoozeAction(ActionBody):
    """Hide until a time, the next deployment of the service, or the next occurrence."""

    type: Literal["snooze"]
    rule: Literal["time", "next-deployment", "next-occurrence"]
    until: JsonTime | None = None

    @model_validator(mode="after")
    def _has_time(self) -> Self:
        if (self.rule == "time") != (self.until is not None):
            raise ValueError("`until` is required for the rule `time`, and only for it")
        return self


class UnsnoozeAction(ActionBody):
    """End a snooze."""

    type: Literal["unsnooze"]


class MuteAction(ActionBody):
    """Hide until further notice, with a reason."""

    type: Literal["mute"]
    reason: Reason


class UnmuteAction(ActionBody):
    """Show again."""

    type: Literal["unmute"]


class MergeAction(ActionBody):
    """List as a part of another item of the same kind."""

    type: Literal["merge"]
    into: ItemRef


class UnmergeAction(ActionBody):
    """List separately again."""

    type: Literal["unmerge"]


class FixedByAction(ActionBody):
    """State what fixes it: at most one of commit, build and deployment; all null removes the statement.

    A production event is closed when a deployment of it proves it.
    """

    type: Literal["fixed-by"]
    commit: CommitSha | None = None
    build_id: UUID | None = None
    deployment_id: UUID | None = None
    state: RegressionStateName | None = Field(
        None, description="of regressions: the state afterwards; null: `fixed`, or `new` without a fix"
    )

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(each is not None for each in (self.commit, self.build_id, self.deployment_id)) > 1:
            raise ValueError("name only one of `commit`, `build_id` and `deployment_id`")
        return self


InboxAction = Annotated[
    AssignAction
    | SetStateAction
    | SetDueAction
    | SnoozeAction
    | UnsnoozeAction
    | MuteAction
    | UnmuteAction
    | MergeAction
    | UnmergeAction
    | FixedByAction,
    Field(discriminator="type"),
]


class InboxActionIn(ActionBody):
    """One action on several items."""

    items: Annotated[list[ItemRef], Field(min_length=1, max_length=MOST_ITEMS)]
    action: InboxAction


class InboxReadingIn(ActionBody):
    """Items to mark as read, or as unread."""

    items: Annotated[list[ItemRef], Field(min_length=1, max_length=MOST_ITEMS)]
    is_read: StrictBool


class InboxActionResult(BaseModel):
    """The item after the action, or why the action was not taken on it."""

    kind: KindName
    id: UUID
    item: InboxItemOut | None
    problem: StoredProblem


class InboxActionOut(BaseModel):
    """The result of each item, and the requests that restore the former values."""

    results: list[InboxActionResult]
    undo: list[InboxActionIn]


class InboxViewIn(ActionBody):
    """A view to save."""

    name: Line
    filters: QueryString
    is_shared: StrictBool = False


class InboxViewOut(BaseModel):
    """A saved view."""

    id: UUID
    name: str
    filters: str
    is_shared: bool
    is_own: bool
    created_at: datetime

    @classmethod
    def of(cls, row: InboxView, user_id: UUID | None) -> Self:
        """Return the wire shape of a saved view."""
        return cls(
            id=row.id,
            name=row.name,
            filters=row.filters,
            is_shared=row.is_shared,
            is_own=row.user_id == user_id,
            created_at=row.created_at,
        )


class InboxViewList(BaseModel):
    """The views of a user, and those that others share, by name."""

    items: list[InboxViewOut]
