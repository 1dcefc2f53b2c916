"""When a user wants the mails of their subscriptions."""

from dataclasses import asdict, replace
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import UserId, new_id
from slowpath.platform.accounts.service import get_time_zone
from slowpath.sharing.notifications.rules import NotificationContent
from slowpath.sharing.subscriptions import queries
from slowpath.sharing.subscriptions.errors import InvalidMailSchedule
from slowpath.sharing.subscriptions.rules import MailFrequency, MailTimes, find_send_time
from slowpath.sharing.subscriptions.service.mail_outbox import hold_mail
from slowpath.sharing.subscriptions.service.mail_times import read_mail_times
from slowpath.sharing.subscriptions.service.service_subscriptions import require_user
from slowpath.sharing.subscriptions.tables import MailSchedule


def get_mail_times(session: ReadSession, user_id: UserId | None) -> MailTimes | None:
    """Return the schedule of a user; None: mails are sent at once, and no time zone is known."""
    row = None if user_id is None else queries.find_schedule(session, user_id)
    return None if row is None or user_id is None else read_mail_times(row, get_time_zone(session, user_id))


def set_mail_times(session: WriteSession, user_id: UserId | None, times: MailTimes, now: datetime) -> MailTimes:
    """Store the schedule of a user; what is held back for them follows it.

    Raises `SubscriberNotAUser`, `InvalidMailSchedule`.
    """
    owner = require_user(user_id)
    _validate(times)
    values = asdict(times)
    once = insert(MailSchedule).values(team_id=session.team_id, id=new_id(), user_id=owner, **values)
    session.execute(once.on_conflict_do_update(constraint="uq_mail_schedule_user", set_=values))
    times = replace(times, time_zone=get_time_zone(session, owner) or times.time_zone)
    held = queries.lock_held_mails(session, owner)
    events = {
        mail.id: event for mail, _subscription, event in queries.select_mail_events(session, [o.id for o in held])
    }
    for mail in held:
        severity = NotificationContent.from_json(events[mail.id].content).severity
        hold_mail(session, mail, owner, find_send_time(times, now, severity), now)
    return times


def _validate(times: MailTimes) -> None:
    if times.time_zone not in available_timezones():
        raise InvalidMailSchedule(
            f"{times.time_zone} is not a time zone.", remedy="Use an IANA name, for example Europe/Berlin."
        )
    ZoneInfo(times.time_zone)
    if (times.quiet_from is None) != (times.quiet_to is None):
        raise InvalidMailSchedule("Quiet hours need a start and an end.", remedy="Set both, or neither.")
    if times.quiet_from is not None and times.quiet_from == times.quiet_to:
        raise InvalidMailSchedule("Quiet hours that end when they start would last all day.", remedy="Use a digest.")
    assert times.frequency in MailFrequency
