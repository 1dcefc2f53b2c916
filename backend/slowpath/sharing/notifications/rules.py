"""What is told to whom, how often it is tried, and what a value outside may look like when it is told."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Self
from uuid import UUID


class ChannelKind(StrEnum):
    """Where a channel ends."""

    SLACK = "slack"
    EMAIL = "email"
    WEBHOOK = "webhook"
    GITHUB = "github"
    GITLAB = "gitlab"


class ChannelState(StrEnum):
    """`dead`: it was refused for days, or said that it is gone; a person may turn it on again."""

    ON = "on"
    OFF = "off"
    DISABLED = "disabled-after-failures"


class NotificationState(StrEnum):
    """Where a message stands."""

    WAITING = "waiting"
    SENT = "sent"
    ABANDONED = "abandoned"


class NotificationEvent(StrEnum):
    """What is told of."""

    OPENED = "regression.opened"
    CHANGED = "regression.updated"
    JUDGED = "build.evaluated"
    BISECTED = "bisect.finished"
    TEST = "channel.test"


CODE_HOSTS: Final = frozenset({ChannelKind.GITHUB, ChannelKind.GITLAB})
USUAL_EVENTS: Final[Mapping[ChannelKind, frozenset[NotificationEvent]]] = {
    ChannelKind.SLACK: frozenset({NotificationEvent.OPENED, NotificationEvent.BISECTED}),
    ChannelKind.EMAIL: frozenset({NotificationEvent.OPENED, NotificationEvent.BISECTED}),
    ChannelKind.WEBHOOK: frozenset(
        {NotificationEvent.OPENED, NotificationEvent.CHANGED, NotificationEvent.JUDGED, NotificationEvent.BISECTED}
    ),
    ChannelKind.GITHUB: frozenset({NotificationEvent.JUDGED}),
    ChannelKind.GITLAB: frozenset({NotificationEvent.JUDGED}),
}
"""One message a regression for people; a word on every build for the code host, which shows it beside the commit."""

TOLD_OF_BUILDS: Final = frozenset({NotificationEvent.JUDGED})
"""All that can be said at a code host: beside a commit, and on the pull request of a build."""

MOST_CHANNELS: Final = 50
MOST_RECIPIENTS: Final = 20
SEND_SECONDS: Final = 10.0
MAX_ANSWER_BYTES: Final = 1 << 20
PAUSES_S: Final = (5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""After the first failure, the second, ...: the schedule that Standard Webhooks recommends, three days in all."""
KEPT_DAYS: Final = 90
"""How long it is known what was told; nobody asks later, and what is told again by then is news."""
FORGET_AFTER_S: Final = 86_400.0
DEAD_AFTER_S: Final = 3 * 86_400
"""A channel through which nothing came for so long is dead when a message is given up."""


@dataclass(frozen=True)
class ChannelTarget:
    """Where a channel ends, as it was given; what its kind does not need stays empty."""

    kind: ChannelKind
    url: str = ""
    to: tuple[str, ...] = ()
    repository: str = ""
    token: str = ""

    def __repr__(self) -> str:
        """Return the kind alone: what is printed somewhere shows no secrets."""
        return f"Ending({self.kind})"


def pause_after(failures: int) -> float | None:
    """Return how long to wait after so many failures of a message; None: it is given up."""
    return float(PAUSES_S[failures - 1]) if failures <= len(PAUSES_S) else None


def is_dead(failing_for_s: float) -> bool:
    """Tell whether a channel that has been failing for so long is dead."""
    return failing_for_s >= DEAD_AFTER_S


@dataclass(frozen=True)
class BuildContent:
    """A build, as far as others are told of it."""

    id: str
    service: str
    commit: str
    branch: str | None
    pull_request: int | None
    verdict: str
    """`passed`, `changed`, `inconclusive`, `skipped`."""
    sentence: str


@dataclass(frozen=True)
class RegressionContent:
    """A regression, as far as others are told of it."""

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
    """A bisect that has ended, as far as others are told of it."""

    id: str
    number: int
    service: str
    state: str
    title: str
    sentence: str


@dataclass(frozen=True)
class NotificationContent:
    """One event with all that is said of it, in words of the moment in which it happened."""

    event: NotificationEvent
    subject_id: UUID
    service_id: UUID | None
    url: str
    build: BuildContent | None = None
    regressions: tuple[RegressionContent, ...] = ()
    what: str = ""
    """What became of a regression, in words."""
    moment: str = ""
    """Tells two events about one subject apart."""
    bisect: BisectContent | None = None

    def dedupe_key(self) -> str:
        """Return what two tellings of one event have in common."""
        return f"{self.event}:{self.subject_id}:{self.moment}"

    def thread(self) -> str | None:
        """Return what the comments of one pull request have in common; None: nothing is commented."""
        if self.event is not NotificationEvent.JUDGED or self.build is None or self.build.pull_request is None:
            return None
        return f"{self.build.service}#{self.build.pull_request}"

    def to_json(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {**asdict(self), "subject_id": str(self.subject_id), "service_id": _text(self.service_id)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Return what `to_json` gave."""
        return cls(
            event=NotificationEvent(kept["event"]),
            subject_id=UUID(kept["subject_id"]),
            service_id=UUID(kept["service_id"]) if kept["service_id"] else None,
            url=kept["url"],
            build=BuildContent(**kept["build"]) if kept["build"] else None,
            regressions=tuple(RegressionContent(**one) for one in kept["regressions"]),
            what=kept["what"],
            moment=kept["moment"],
            bisect=BisectContent(**kept["bisect"]) if kept.get("bisect") else None,
        )


def _text(value: UUID | None) -> str | None:
    return str(value) if value else None


_BIDI: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def plain(text: str, most: int) -> str:
    """Return a name or sentence of others on one line, without control characters and what turns the writing round."""
    shown = "".join(" " if unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"} else letter for letter in text)
    shown = " ".join(_BIDI.sub("", shown).split())
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
