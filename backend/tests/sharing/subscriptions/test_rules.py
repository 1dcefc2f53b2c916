"""When mails are sent: at once, after quiet hours, or in a digest, in the zone of the user and across its changes of time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.sharing.notifications.rules import NotificationEvent
from slowpath.sharing.subscriptions.rules import DEFAULT_EVENTS, MailFrequency, MailTimes, find_send_time, is_wanted

BERLIN = "Europe/Berlin"
NIGHT = MailTimes(quiet_from="22:00", quiet_to="07:30", time_zone=BERLIN)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "sent"),
    [
        ("2026-11-27 20:59", "2026-11-27 20:59"),  # 21:59 in Berlin
        ("2026-11-27 21:00", "2026-11-28 06:30"),
        ("2026-11-28 03:00", "2026-11-28 06:30"),
        ("2026-11-28 06:30", "2026-11-28 06:30"),
        ("2026-03-28 22:00", "2026-03-29 05:30"),  # clocks go forward in between
        ("2026-10-24 22:00", "2026-10-25 06:30"),  # and back
    ],
)
def test_quiet_hours_include_midnight_and_a_change_of_time(now: str, sent: str) -> None:
    assert find_send_time(NIGHT, utc(now), "low") == utc(sent)


def test_high_severity_is_sent_at_once_only_if_the_user_chose_so() -> None:
    now = utc("2026-11-28 03:00")
    held = MailTimes(quiet_from="22:00", quiet_to="07:30", is_high_severity_immediate=False, time_zone=BERLIN)
    assert find_send_time(NIGHT, now, "high") == now
    assert find_send_time(held, now, "high") > now
    assert find_send_time(NIGHT, now, None) > now


@pytest.mark.parametrize(
    ("times", "now", "sent"),
    [
        (MailTimes(MailFrequency.DAILY, 9, time_zone=BERLIN), "2026-11-27 07:59", "2026-11-27 08:00"),
        (MailTimes(MailFrequency.DAILY, 9, time_zone=BERLIN), "2026-11-27 08:00", "2026-11-28 08:00"),
        (MailTimes(MailFrequency.WEEKLY, 9, 0, time_zone="Asia/Tokyo"), "2026-11-27 07:59", "2026-11-30 00:00"),
        (MailTimes(MailFrequency.WEEKLY, 9, 4, time_zone=BERLIN), "2026-11-27 08:00", "2026-12-04 08:00"),
        # A digest within the quiet hours waits for their end.
        (
            MailTimes(MailFrequency.DAILY, 6, 0, "22:00", "07:30", time_zone=BERLIN),
            "2026-11-27 12:00",
            "2026-11-28 06:30",
        ),
    ],
)
def test_a_digest_is_sent_at_its_hour(times: MailTimes, now: str, sent: str) -> None:
    assert find_send_time(times, utc(now), "medium") == utc(sent)


@given(
    st.sampled_from(list(MailFrequency)),
    st.integers(0, 23),
    st.integers(0, 6),
    st.times().map(lambda at: f"{at:%H:%M}"),
    st.times().map(lambda at: f"{at:%H:%M}"),
    st.sampled_from([BERLIN, "UTC", "America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo"]),
    st.integers(0, 2 * 365 * 24 * 60),
)
def test_every_mail_is_sent_within_nine_days(
    frequency: MailFrequency, hour: int, weekday: int, begin: str, end: str, zone: str, minute: int
) -> None:
    now = utc("2026-01-01") + timedelta(minutes=minute)
    sent = find_send_time(MailTimes(frequency, hour, weekday, begin, end, time_zone=zone), now, "low")
    assert now <= sent <= now + timedelta(days=9)


def test_a_subscription_includes_its_events_from_a_severity_on() -> None:
    def wanted(event: NotificationEvent, severity: str | None, min_severity: str = "medium") -> bool:
        return is_wanted(event, severity, list(DEFAULT_EVENTS), min_severity, is_announced=True)

    assert wanted(NotificationEvent.PRODUCTION_OPENED, "medium")
    assert not wanted(NotificationEvent.PRODUCTION_OPENED, "low")
    assert wanted(NotificationEvent.BISECTED, None), "only production events have a severity"
    assert not wanted(NotificationEvent.CHANGED, "high")
