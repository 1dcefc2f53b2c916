"""The schedule of a row as a value."""

from slowpath.sharing.subscriptions.rules import MailFrequency, MailTimes
from slowpath.sharing.subscriptions.tables import MailSchedule


def read_mail_times(row: MailSchedule | None, account_zone: str | None) -> MailTimes:
    """Return the schedule of a row; without a row, mails are sent at once.

    Its hours are in the time zone of the user's account; without one, in that of the browser that stored the schedule.
    """
    if row is None:
        return MailTimes()
    return MailTimes(
        frequency=MailFrequency(row.frequency),
        digest_hour=row.digest_hour,
        digest_weekday=row.digest_weekday,
        quiet_from=row.quiet_from,
        quiet_to=row.quiet_to,
        is_high_severity_immediate=row.is_high_severity_immediate,
        time_zone=account_zone or row.time_zone,
    )
