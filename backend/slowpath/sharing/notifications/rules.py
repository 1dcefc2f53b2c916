"""Rules of notifications: events, retries, and how external values appear in texts."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Self
from uuid import UUID


class ChannelKind(StrEnum):
    """Kinds of channels."""

    SLACK = "slack"
    SLACK_APP = "slack-app"
    EMAIL = "email"
    WEBHOOK = "webhook"
    GITHUB = "github"
    GITLAB = "gitlab"
    PAGERDUTY = "pagerduty"
    OPSGENIE = "opsgenie"
    TEAMS = "teams"
    GRAFANA = "grafana"


class ChannelState(StrEnum):
    """`disabled-after-failures`: deliveries failed for days, or the receiver is gone; a user may activate it again."""

    ON = "on"
    OFF = "off"
    DISABLED = "disabled-after-failures"


class NotificationState(StrEnum):
    """State of a notification."""

    WAITING = "waiting"
    SENT = "sent"
    ABANDONED = "abandoned"


class NotificationEvent(StrEnum):
    """Events that cause notifications."""

    OPENED = "regression.opened"
    CHANGED = "regression.updated"
    JUDGED = "build.evaluated"
    MEASURED = "pull-request.measured"
    BISECTED = "bisect.finished"
    PRODUCTION_OPENED = "production-event.opened"
    PRODUCTION_UPDATED = "production-event.updated"
    PRODUCTION_CLOSED = "production-event.closed"
    SLOW_DEPLOYMENT = "production-event.slow-deployment"
    LOAD_CHANGED = "production-event.load"
    GAUGE_CHANGED = "production-event.gauge"
    TEST = "channel.test"


class IssueState(StrEnum):
    """State of an issue at a code host."""

    CREATING = "creating"
    CREATED = "created"
    FAILED = "failed"


CODE_HOSTS: Final = frozenset({ChannelKind.GITHUB, ChannelKind.GITLAB})
ALERT_SERVICES: Final = frozenset({ChannelKind.PAGERDUTY, ChannelKind.OPSGENIE})
OPTIONAL_EVENTS: Final = frozenset(
    {NotificationEvent.SLOW_DEPLOYMENT, NotificationEvent.LOAD_CHANGED, NotificationEvent.GAUGE_CHANGED}
)
"""Of a production event that is rarely urgent, from its start to its end: sent only to channels that choose it."""
DEFAULT_PRODUCTION_EVENTS: Final = frozenset(
    {
        NotificationEvent.PRODUCTION_OPENED,
        NotificationEvent.PRODUCTION_UPDATED,
        NotificationEvent.PRODUCTION_CLOSED,
    }
)
DEFAULT_INCIDENT_EVENTS: Final = DEFAULT_PRODUCTION_EVENTS | {NotificationEvent.OPENED, NotificationEvent.CHANGED}
PRODUCTION_EVENTS: Final = DEFAULT_PRODUCTION_EVENTS | OPTIONAL_EVENTS
"""All that Grafana shows: events with a start and an end on its time axis."""
INCIDENT_EVENTS: Final = DEFAULT_INCIDENT_EVENTS | OPTIONAL_EVENTS
"""Events of a regression or production event from its start to its end: all that an alert service can show."""
STATUS_ONLY: Final = frozenset({"pending", "cancelled"})
ACKNOWLEDGED_STATES: Final = frozenset({"investigating", "acknowledged"})
ENDED_STATES: Final = frozenset({"fixed", "improved", "not-a-regression", "ignored", "closed", "withdrawn"})

PERSONAL_EVENTS: Final = frozenset(
    {
        NotificationEvent.OPENED,
        NotificationEvent.BISECTED,
        NotificationEvent.PRODUCTION_OPENED,
        NotificationEvent.PRODUCTION_CLOSED,
    }
)
"""Default events of the kinds that people read: without each change of state and assignee."""

USUAL_EVENTS: Final[Mapping[ChannelKind, frozenset[NotificationEvent]]] = {
    ChannelKind.SLACK: PERSONAL_EVENTS,
    ChannelKind.SLACK_APP: DEFAULT_INCIDENT_EVENTS | {NotificationEvent.BISECTED},
    ChannelKind.EMAIL: PERSONAL_EVENTS,
    ChannelKind.WEBHOOK: frozenset(NotificationEvent) - OPTIONAL_EVENTS - {NotificationEvent.TEST},
    ChannelKind.GITHUB: frozenset({NotificationEvent.JUDGED, NotificationEvent.MEASURED}),
    ChannelKind.GITLAB: frozenset({NotificationEvent.JUDGED, NotificationEvent.MEASURED}),
    ChannelKind.PAGERDUTY: DEFAULT_INCIDENT_EVENTS,
    ChannelKind.OPSGENIE: DEFAULT_INCIDENT_EVENTS,
    ChannelKind.TEAMS: PERSONAL_EVENTS,
    ChannelKind.GRAFANA: DEFAULT_PRODUCTION_EVENTS,
}
"""One notification per regression for users; one per build for the code host, which shows it on the commit."""

BUILD_EVENTS: Final = frozenset({NotificationEvent.JUDGED, NotificationEvent.MEASURED})
"""What a code host shows of a build: a status on its commit, and a comment on its pull request."""

ISSUE_EVENTS: Final = frozenset({NotificationEvent.PRODUCTION_CLOSED, NotificationEvent.CHANGED})
"""Events of a subject with an issue at a code host, which is closed with a comment when its subject ends."""

THREADED: Final = frozenset({ChannelKind.SLACK_APP, ChannelKind.GRAFANA})
"""Kinds with one message per incident, which its later events replace: they are delivered in order."""

PERSONAL: Final = frozenset({ChannelKind.SLACK, ChannelKind.SLACK_APP, ChannelKind.EMAIL, ChannelKind.TEAMS})
"""Kinds that people read: of builds, they get only what is announced."""

MOST_CHANNELS: Final = 50
MOST_RECIPIENTS: Final = 20
SEND_SECONDS: Final = 10.0
MAX_ANSWER_BYTES: Final = 1 << 20
PAUSES_S: Final = (5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""After the first failure, the second, ...: the schedule that Standard Webhooks recommends, three days in total."""
RETENTION_DAYS: Final = 90
"""How long notifications are stored. An event sent again later counts as new."""
FORGET_AFTER_S: Final = 86_400.0
DEAD_AFTER_S: Final = 3 * 86_400
"""A channel that failed for this long is disabled when a notification is abandoned."""


@dataclass(frozen=True)
class ChannelTarget:
    """Destination of a channel; fields that its kind does not need are empty."""

    kind: ChannelKind
    url: str = ""
    to: tuple[str, ...] = ()
    repository: str = ""
    token: str = ""
    signing_secret: str = ""
    conversation: str = ""
    """ID of a channel in Slack."""

    def __repr__(self) -> str:
        """Return only the kind, so that logs contain no secrets."""
        return f"Ending({self.kind})"


def pause_after(failures: int) -> float | None:
    """Return the pause after this many failures of a notification; None: it is abandoned."""
    return float(PAUSES_S[failures - 1]) if failures <= len(PAUSES_S) else None


def is_dead(failing_for_s: float) -> bool:
    """Return whether a channel that failed for this long is to be disabled."""
    return failing_for_s >= DEAD_AFTER_S


@dataclass(frozen=True)
class BuildContent:
    """A build, as notifications describe it."""

    id: str
    service: str
    commit: str
    branch: str | None
    pull_request: int | None
    verdict: str
    """`passed`, `changed`, `inconclusive`, `skipped`; of a measurement also `pending` and `cancelled`."""
    sentence: str
    is_announced: bool = False
    """Whether a comment or a message is sent; otherwise only a status, and a comment that exists is updated."""
    comparison_url: str | None = None
    """The comparison with an earlier build."""
    warning: str = ""
    """What a pull request is warned of in a comment, whatever the verdict: stacks that are predicted to grow."""


@dataclass(frozen=True)
class RegressionContent:
    """A regression, as notifications describe it."""

    id: str
    number: int
    service: str
    state: str
    title: str
    sentence: str
    commit: str
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    assignee: str | None


@dataclass(frozen=True)
class BisectContent:
    """A finished bisect, as notifications describe it."""

    id: str
    number: int
    service: str
    state: str
    title: str
    sentence: str


@dataclass(frozen=True)
class ProductionEventContent:
    """A production event, as notifications describe it."""

    id: str
    number: int
    service: str
    environment: str
    state: str
    title: str
    sentence: str
    severity: str
    """`high`, `medium`, `low`."""
    added_seconds_per_second: float | None
    """Requests per second x added seconds; None if the load is unknown."""
    signal: str
    """`p50`, `p90`, `p99`, `mean`; `qps` of load, `gauge`."""
    before: float
    """Seconds; requests per second of load; the value of a gauge."""
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    commit: str | None
    """Of the deployment that caused it, if one did."""
    assignee: str | None
    started_ms: int | None = None
    """Milliseconds since 1970; None in what was stored before."""
    ended_ms: int | None = None
    """Milliseconds since 1970; None while it is open."""
    kind: str = "latency"
    """`latency`, `slow-deployment`, `load`, `gauge`."""
    gauge: str = ""
    """Metric of the gauge."""


@dataclass(frozen=True)
class NotificationContent:
    """The content of one event, as of the time it occurred."""

    event: NotificationEvent
    subject_id: UUID
    service_id: UUID | None
    url: str
    build: BuildContent | None = None
    regressions: tuple[RegressionContent, ...] = ()
    what: str = ""
    """The change of a regression, in words."""
    moment: str = ""
    """Distinguishes two events of one subject."""
    bisect: BisectContent | None = None
    production_event: ProductionEventContent | None = None

    @property
    def is_announced(self) -> bool:
        """Return whether people are notified: of every event except a build without a significant change."""
        return self.build is None or self.build.is_announced or bool(self.regressions)

    @property
    def is_status_only(self) -> bool:
        """Return whether it is only a status of a commit at its code host: a measurement began or was cancelled."""
        return self.build is not None and self.build.verdict in STATUS_ONLY

    @property
    def severity(self) -> str | None:
        """Return the severity of a production event; other events have none."""
        return self.production_event.severity if self.production_event is not None else None

    def dedupe_key(self) -> str:
        """Return the key that repeated notifications of one event share."""
        return f"{self.event}:{self.subject_id}:{self.moment}"

    def announcement_key(self) -> str:
        """Return the key of what people are notified of once: for a build its verdict, whatever its figures."""
        if self.build is None:
            return self.dedupe_key()
        regressions = " ".join(sorted(one.id for one in self.regressions))
        return f"{self.event}:{self.subject_id}:{self.build.verdict} {regressions}".strip()

    def thread(self) -> str | None:
        """Return the key that the events of one incident or pull request share; None: the event has no thread."""
        if self.event in INCIDENT_EVENTS:
            return str(self.subject_id)
        if self.event not in BUILD_EVENTS or self.build is None or self.build.pull_request is None:
            return None
        measured = ":measured" if self.event is NotificationEvent.MEASURED else ""  # its comment is another one
        return f"{self.build.service}#{self.build.pull_request}{measured}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that is stored."""
        return {**asdict(self), "subject_id": str(self.subject_id), "service_id": _text(self.service_id)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the content from the result of `to_json`."""
        return cls(
            event=NotificationEvent(stored["event"]),
            subject_id=UUID(stored["subject_id"]),
            service_id=UUID(stored["service_id"]) if stored["service_id"] else None,
            url=stored["url"],
            build=BuildContent(**stored["build"]) if stored["build"] else None,
            regressions=tuple(RegressionContent(**one) for one in stored["regressions"]),
            what=stored["what"],
            moment=stored["moment"],
            bisect=BisectContent(**stored["bisect"]) if stored.get("bisect") else None,
            production_event=(
                ProductionEventContent(**stored["production_event"]) if stored.get("production_event") else None
            ),
        )


class AlertAction(StrEnum):
    """What an event does to the alert of its incident."""

    TRIGGER = "trigger"
    ACKNOWLEDGE = "acknowledge"
    RESOLVE = "resolve"


def decide_alert_action(content: NotificationContent) -> AlertAction:
    """Return the action of an event; a changed incident without an end triggers again, which updates its alert."""
    if content.event in {NotificationEvent.OPENED, NotificationEvent.PRODUCTION_OPENED}:
        return AlertAction.TRIGGER
    if content.event is NotificationEvent.PRODUCTION_CLOSED:
        return AlertAction.RESOLVE
    incident = content.production_event or next(iter(content.regressions), None)
    state = incident.state if incident is not None else ""
    if state in ENDED_STATES:
        return AlertAction.RESOLVE
    return AlertAction.ACKNOWLEDGE if state in ACKNOWLEDGED_STATES else AlertAction.TRIGGER


def closes_issue(content: NotificationContent) -> bool:
    """Return whether the issue of an event's subject is closed: it has ended now, and was not only assigned to someone."""
    if content.event is NotificationEvent.PRODUCTION_CLOSED:
        return True
    if content.event is not NotificationEvent.CHANGED or not content.regressions:
        return False
    state = content.regressions[0].state
    return state in ENDED_STATES and content.what.startswith(state.replace("-", " "))


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None


_BIDI: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def plain(text: str, most: int) -> str:
    """Return an external text on one line, without control characters and marks that change the writing direction."""
    shown = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"} else char for char in text)
    shown = " ".join(_BIDI.sub("", shown).split())
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
