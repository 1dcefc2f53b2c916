"""Mails to subscribers: values in, text out."""

from collections.abc import Sequence
from datetime import datetime

from slowpath.core.local_times import format_local_time
from slowpath.sharing.notifications import wording as notification_wording
from slowpath.sharing.notifications.rules import NotificationContent, plain
from slowpath.sharing.subscriptions.rules import MOST_EVENTS_IN_MAIL, MailFrequency, MailTimes

DIGEST_NAMES = {MailFrequency.DAILY: "Daily digest", MailFrequency.WEEKLY: "Weekly digest"}


def event_mail(
    content: NotificationContent, unsubscribe_url: str, settings_page: str, *, is_of_all: bool
) -> tuple[str, str]:
    """Return subject and text of the mail of one event."""
    subject, text = notification_wording.mail(content)
    what = "all services of the team" if is_of_all else "this service"
    return subject, f"{text}\n{_foot(f'You are subscribed to {what}.', unsubscribe_url, settings_page)}"


def thread_id(content: NotificationContent) -> str:
    """Return the ID that the mails of one incident share; empty: no thread."""
    return notification_wording.mail_thread_id(content)


def digest_mail(
    events: Sequence[tuple[datetime, NotificationContent]], times: MailTimes, unsubscribe_url: str, settings_page: str
) -> tuple[str, str]:
    """Return subject and text of one mail of several events, with their times in the zone of the user."""
    shown = [
        f"{format_local_time(at, times.time_zone)}  {notification_wording.format_headline(content)}\n{content.url}"
        for at, content in events[:MOST_EVENTS_IN_MAIL]
    ]
    left = len(events) - len(shown)
    if left:
        shown.append(f"{left:,} more events are in the inbox.")
    number = "1 event" if len(events) == 1 else f"{len(events):,} events"
    name = DIGEST_NAMES.get(times.frequency, "After quiet hours")
    first = plain(notification_wording.format_headline(events[0][1]), 100)
    head = f"{name}: {number}. Times are in {times.time_zone}."
    text = "\n\n".join([head, *shown])
    foot = _foot("This mail is of all your subscriptions with an event.", unsubscribe_url, settings_page)
    return f"[Slowpath] {name}: {number}, first {first}", f"{text}\n\n{foot}"


def _foot(reason: str, unsubscribe_url: str, settings_page: str) -> str:
    return f"--\n{reason} Unsubscribe: {unsubscribe_url}\nChange what you get and when: {settings_page}\n"
