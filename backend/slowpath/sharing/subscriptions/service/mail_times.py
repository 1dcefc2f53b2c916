"""The schedule of a row as a value."""

from slowpath.sharing.subscriptions.rules import MailFrequency, MailTimes
from slowpath.sharing.subscriptions.tables import MailSchedule


def read_mail_times(row: MailSchedule | None) -> MailTimes:
    """Return the schedule of a row; without a row, mails are sent at once."""
    if row is None:
        return MailTimes()
    return MailTimes(
        frequency=MailFrequency(row.frequency),
        digest_hour=row.digest_hour,
        digest_weekday=row.digest_weekday,
        quiet_from=row.quiet_from,
        quiet_to=row.quiet_to,
        is_high_severity_immediate=row.is_high_severity_immediate,
        time_zone=row.time_zone,
    )
