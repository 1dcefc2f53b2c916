"""When the mails of a subscriber are sent: at once, after quiet hours, or in a digest. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Final, Literal
from zoneinfo import ZoneInfo

from slowpath.sharing.notifications.rules import PERSONAL_EVENTS, NotificationEvent

SeverityName = Literal["low", "medium", "high"]
SEVERITY_RANKS: Final = {"low": 0, "medium": 1, "high": 2}
DEFAULT_EVENTS: Final = tuple(sorted(PERSONAL_EVENTS))
MOST_EVENTS_IN_MAIL: Final = 100
"""Events that one mail describes; it states the number of the others."""
INVALID_LINKS: Final = (30, 60)
"""Limit of invalid links per address: how many in how many seconds."""


class MailFrequency(StrEnum):
    """How often a user gets mails of their subscriptions."""

    IMMEDIATE = "immediate"
    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True)
class MailTimes:
    """When a user wants mails, in their time zone."""

    frequency: MailFrequency = MailFrequency.IMMEDIATE
    digest_hour: int = 9
    """0 to 23."""
    digest_weekday: int = 0
    """Of a weekly digest: 0 is Monday."""
    quiet_from: str | None = None
    quiet_to: str | None = None
    """`HH:MM`; quiet hours may include midnight. None: no quiet hours."""
    is_high_severity_immediate: bool = True
    time_zone: str = "UTC"
    """IANA name."""


def is_wanted(
    event: NotificationEvent, severity: str | None, events: list[str], min_severity: str, *, is_announced: bool
) -> bool:
    """Return whether a subscription includes an event. Only production events have a severity."""
    if event not in events or not is_announced:
        return False
    return severity is None or SEVERITY_RANKS.get(severity, 0) >= SEVERITY_RANKS.get(min_severity, 0)


def find_send_time(times: MailTimes, now: datetime, severity: str | None) -> datetime:
    """Return when a mail of an event is sent: `now`, or a later time in UTC."""
    if severity == "high" and times.is_high_severity_immediate:
        return now
    at = now if times.frequency is MailFrequency.IMMEDIATE else _find_next_digest(times, now)
    return _find_end_of_quiet(times, at)


def _find_next_digest(times: MailTimes, now: datetime) -> datetime:
    local = now.astimezone(ZoneInfo(times.time_zone))
    for days in range(9):  # a week, and a day whose hour is past or does not exist
        day = local.date() + timedelta(days=days)
        if times.frequency is MailFrequency.WEEKLY and day.weekday() != times.digest_weekday:
            continue
        at = datetime.combine(day, time(times.digest_hour), local.tzinfo).astimezone(UTC)
        if at > now:
            return at
    raise AssertionError("a week has each weekday")


def _find_end_of_quiet(times: MailTimes, at: datetime) -> datetime:
    """Return `at`, or the end of the quiet hours that contain it."""
    if times.quiet_from is None or times.quiet_to is None:
        return at
    local = at.astimezone(ZoneInfo(times.time_zone))
    begin, end, clock = time.fromisoformat(times.quiet_from), time.fromisoformat(times.quiet_to), local.time()
    is_quiet = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not is_quiet:
        return at
    ends_tomorrow = clock >= end
    day = local.date() + timedelta(days=1 if ends_tomorrow else 0)
    found = datetime.combine(day, end, local.tzinfo).astimezone(UTC)
    return max(found, at)
