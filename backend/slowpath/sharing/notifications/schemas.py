"""Wire shapes of channels and notifications. No secret is returned, except a new signing secret."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints
from typing_extensions import TypedDict

from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonTrue
from slowpath.sharing.notifications.rules import (
    MOST_RECIPIENTS,
    BisectContent,
    BuildContent,
    ChannelKind,
    ChannelState,
    ChannelTarget,
    IssueState,
    NotificationContent,
    NotificationEvent,
    NotificationState,
    ProductionEventContent,
    RegressionContent,
)
from slowpath.sharing.notifications.tables import LinkedIssue, Notification, NotificationChannel, TeamEvent
from slowpath.sharing.notifications.wording import format_headline

Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Short = Annotated[str, StringConstraints(max_length=2_000, pattern=r"^[^\x00-\x1f]*$")]
Events = Annotated[
    list[
        Literal[
            NotificationEvent.OPENED,
            NotificationEvent.CHANGED,
            NotificationEvent.JUDGED,
            NotificationEvent.MEASURED,
            NotificationEvent.BISECTED,
            NotificationEvent.PRODUCTION_OPENED,
            NotificationEvent.PRODUCTION_UPDATED,
            NotificationEvent.PRODUCTION_CLOSED,
            NotificationEvent.SLOW_DEPLOYMENT,
            NotificationEvent.LOAD_CHANGED,
            NotificationEvent.GAUGE_CHANGED,
        ]
    ],
    Field(min_length=1, max_length=11),
]
Services = Annotated[list[UUID], Field(min_length=1, max_length=500)]


class ChannelIn(BaseModel):
    """A new channel. The descriptions of the members state which kind requires them."""

    model_config = ConfigDict(extra="forbid")

    name: Label
    kind: ChannelKind
    url: SecretStr = Field(
        SecretStr(""),
        max_length=2_000,
        description="`slack` and `teams`: URL of the incoming webhook; `webhook`: URL to post to; `grafana`: URL of Grafana; other kinds: URL of the API, if it is not the public one",
    )
    recipients: Annotated[list[Short], Field(max_length=MOST_RECIPIENTS)] = Field(
        [], description="`email`: the addresses"
    )
    repository: Short = Field("", description="`github` and `gitlab`: owner/name")
    token: SecretStr = Field(
        SecretStr(""),
        max_length=4_000,
        description="`github` and `gitlab`: an API token; `github`: or the credential of a GitHub App; `slack-app`: the bot token; `pagerduty`: an integration key; `opsgenie`: an API key; `grafana`: token of a service account",
    )
    signing_secret: SecretStr = Field(SecretStr(""), max_length=1_000, description="`slack-app`: of the app")
    conversation: Short = Field("", description="`slack-app`: ID of the channel in Slack")
    events: Events | None = Field(None, description="the events to send; null: the default of the kind")
    service_ids: Services | None = Field(None, description="the services whose events are sent; null: all services")

    def ending(self) -> ChannelTarget:
        """Return the destination of the channel."""
        return ChannelTarget(
            self.kind,
            self.url.get_secret_value(),
            tuple(self.recipients),
            self.repository,
            self.token.get_secret_value(),
            self.signing_secret.get_secret_value(),
            self.conversation,
        )


class ChannelUpdate(BaseModel):
    """Changes to a channel. The destination cannot change: create another channel."""

    model_config = ConfigDict(extra="forbid")

    name: Label | None = None
    events: Events | None = None
    service_ids: Services | None = Field(None, description="missing or null: unchanged")
    all_services: JsonTrue | None = Field(None, description="true: send the events of all services again")
    state: Literal[ChannelState.ON, ChannelState.OFF] | None = None

    def values(self) -> dict[str, Any]:
        """Return the changed columns."""
        changes = {"label": self.name, "events": self.events, "state": self.state}
        values: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
        if self.service_ids is not None:
            values["service_ids"] = [str(one) for one in self.service_ids]
        if self.all_services:
            values["service_ids"] = None
        return values


class TargetOut(TypedDict, total=False):
    """The destination of a channel, without secrets: the members depend on its kind."""

    to: list[str]
    host: str
    url: str
    api_url: str
    repository: str
    conversation: str


class ChannelOut(BaseModel):
    """A channel and the state of its deliveries."""

    id: UUID
    name: str
    kind: ChannelKind
    target: TargetOut
    events: list[NotificationEvent]
    service_ids: list[UUID] | None
    state: ChannelState
    failing_since: datetime | None
    problem: StoredProblem
    sent_at: datetime | None
    interactivity_url: str | None = Field(description="`slack-app`: the Request URL to enter in Slack")
    created_at: datetime

    @classmethod
    def of(cls, row: NotificationChannel, interactivity_url: str | None = None) -> Self:
        """Return the wire shape of a channel."""
        return cls.model_validate(
            {
                "id": row.id,
                "name": row.label,
                "kind": row.kind,
                "target": row.target,
                "events": row.events,
                "service_ids": row.service_ids,
                "state": row.state,
                "failing_since": row.failing_since,
                "problem": row.problem,
                "sent_at": row.sent_at,
                "interactivity_url": interactivity_url,
                "created_at": row.created_at,
            }
        )


class ChannelCreatedOut(BaseModel):
    """A channel with its signing secret, which only this response contains."""

    channel: ChannelOut
    secret: str | None


class NotificationOut(BaseModel):
    """One event that is sent to one channel."""

    id: UUID
    event: NotificationEvent
    sentence: str
    state: NotificationState
    failures: int
    next_attempt_at: datetime | None
    problem: StoredProblem
    sent_at: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, row: Notification) -> Self:
        """Return the wire shape of a notification."""
        return cls.model_validate(
            {
                "id": row.id,
                "event": row.event,
                "sentence": format_headline(NotificationContent.from_json(row.content)),
                "state": row.state,
                "failures": row.failures,
                "next_attempt_at": row.next_attempt_at,
                "problem": row.problem,
                "sent_at": row.sent_at,
                "created_at": row.created_at,
            }
        )


class TeamEventOut(BaseModel):
    """One event of the team, as of the time it occurred."""

    number: int = Field(description="counts up within the team")
    id: UUID
    type: NotificationEvent
    sentence: str
    url: str
    service_id: UUID | None
    what: str = Field(description="the change of a regression or production event, in words")
    build: BuildContent | None
    regressions: list[RegressionContent]
    bisect: BisectContent | None
    production_event: ProductionEventContent | None
    created_at: datetime


def make_team_event_out(row: TeamEvent) -> TeamEventOut:
    """Return the wire shape of an event."""
    content = NotificationContent.from_json(row.content)
    return TeamEventOut(
        number=row.number,
        id=row.id,
        type=content.event,
        sentence=format_headline(content),
        url=content.url,
        service_id=content.service_id,
        what=content.what,
        build=content.build,
        regressions=list(content.regressions),
        bisect=content.bisect,
        production_event=content.production_event,
        created_at=row.created_at,
    )


class TeamEventsOut(BaseModel):
    """Events, oldest first."""

    items: list[TeamEventOut]
    next_after: int = Field(description="the value of `after` that continues behind these events")


class LinkedIssueIn(BaseModel):
    """Where an issue is created."""

    model_config = ConfigDict(extra="forbid")

    channel_id: UUID


class IssueTrackerOut(BaseModel):
    """A repository where an issue can be created: that of a channel of GitHub or GitLab."""

    channel_id: UUID
    kind: ChannelKind
    repository: str


class LinkedIssueOut(BaseModel):
    """The issue of a production event or regression at a code host."""

    state: IssueState | None = Field(description="null: there is none")
    number: int | None
    url: str | None
    problem: StoredProblem
    trackers: list[IssueTrackerOut]

    @classmethod
    def of(cls, row: LinkedIssue | None, trackers: Sequence[NotificationChannel]) -> Self:
        """Return the wire shape of an issue."""
        listed = [
            {"channel_id": one.id, "kind": one.kind, "repository": one.target.get("repository", "")} for one in trackers
        ]
        stored = {"state": row.state, "number": row.number, "url": row.url, "problem": row.problem} if row else {}
        empty = {"state": None, "number": None, "url": None, "problem": None}
        return cls.model_validate({**empty, **stored, "trackers": listed})
