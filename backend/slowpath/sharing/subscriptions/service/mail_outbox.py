"""Mails to subscribers: one row per event and subscription from the event until it is sent.

A row and its job are written in the transaction that records the event, so a restart loses neither. Sending deletes the
row. A mail that was sent, but not deleted, is sent again with the same Message-ID.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import JobId, ServiceId, SubscriberMailId, TeamEventId, UserId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.link_signatures import LinkSigner
from slowpath.platform.accounts.service import get_team, get_time_zone
from slowpath.sharing.notifications.rules import NotificationContent
from slowpath.sharing.notifications.tables import TeamEvent
from slowpath.sharing.subscriptions import queries, wording
from slowpath.sharing.subscriptions.jobs import SendHeldMails, SendSubscriberMail
from slowpath.sharing.subscriptions.read_models import PreparedMail
from slowpath.sharing.subscriptions.rules import find_send_time, is_wanted
from slowpath.sharing.subscriptions.service.mail_times import read_mail_times
from slowpath.sharing.subscriptions.service.unsubscribe_links import make_unsubscribe_url
from slowpath.sharing.subscriptions.tables import SubscriberMail


def enqueue_subscriber_mails(
    session: WriteSession,
    content: NotificationContent,
    event_id: TeamEventId | None,
    now: datetime,
    *,
    mail_is_sent: bool,
) -> None:
    """Enqueue a mail of a new event to each subscriber of its service who wants it: at once, or held back."""
    if event_id is None or content.service_id is None or not mail_is_sent:
        return
    for each in queries.select_subscribers(session, ServiceId(content.service_id)):
        own = each.subscription
        if not is_wanted(
            content.event, content.severity, own.events, own.min_severity, is_announced=content.is_announced
        ):
            continue
        mail = SubscriberMail(team_id=session.team_id, id=new_id(), subscription_id=own.id, event_id=event_id)
        at = find_send_time(read_mail_times(each.schedule, each.time_zone), now, content.severity)
        mail.is_held, mail.due_at = False, now
        session.add(mail)
        session.flush()
        hold_mail(session, mail, own.user_id, at, now)


def hold_mail(session: WriteSession, mail: SubscriberMail, user_id: UserId, at: datetime, now: datetime) -> None:
    """Set when a mail is sent, and enqueue a job for that time. What was held back stays part of one mail."""
    mail.is_held, mail.due_at = mail.is_held or at > now, at
    session.flush()
    if mail.is_held:
        enqueue(session, SendHeldMails(user_id), after_s=(at - now).total_seconds())
    else:
        enqueue(session, SendSubscriberMail(SubscriberMailId(mail.id)))


def prepare_mail(
    session: ReadSession, mail_id: SubscriberMailId, public_url: str, signer: LinkSigner
) -> PreparedMail | None:
    """Return the mail of one event; None if it was sent, or if the subscription or the membership has ended."""
    found = queries.select_mail_events(session, [mail_id])
    recipient = queries.find_recipient(session, found[0][1].user_id) if found else None
    if recipient is None:
        return None
    ((_mail, subscription, event),) = found
    url = make_unsubscribe_url(public_url, signer, session.team_id, subscription.user_id, [subscription.id])
    content = NotificationContent.from_json(event.content)
    settings = _settings_page(session, public_url)
    subject, text = wording.event_mail(content, url, settings, is_of_all=subscription.service_id is None)
    return PreparedMail(recipient.email, subject, text, str(mail_id), wording.thread_id(content), url)


def claim_held_mails(session: WriteSession, user_id: UserId, job_id: JobId, now: datetime) -> list[UUID]:
    """Return the held mails that are due, for this job alone: two jobs never send the same one."""
    rows = queries.lock_due_mails(session, user_id, job_id, now)
    claimed = [
        row for row in rows if row.job_id == job_id
    ] or rows  # a retry sends the same mail again, not a longer one
    for row in claimed:
        row.job_id = job_id
    return [row.id for row in claimed]


def prepare_digest(
    session: ReadSession,
    user_id: UserId,
    mail_ids: Sequence[UUID],
    job_id: JobId,
    *,
    public_url: str,
    signer: LinkSigner,
) -> PreparedMail | None:
    """Return one mail of several events; None if the subscriptions or the membership have ended."""
    found = queries.select_mail_events(session, mail_ids)
    recipient = queries.find_recipient(session, user_id)
    if recipient is None or not found:
        return None
    subscriptions = list({subscription.id: subscription for _, subscription, _ in found})
    url = make_unsubscribe_url(public_url, signer, session.team_id, user_id, subscriptions)
    times = read_mail_times(queries.find_schedule(session, user_id), get_time_zone(session, user_id))
    events = [_digest_event(event) for _mail, _subscription, event in found]
    subject, text = wording.digest_mail(events, times, url, _settings_page(session, public_url))
    return PreparedMail(recipient.email, subject, text, str(job_id), "", url)


def delete_sent_mails(session: WriteSession, mail_ids: Sequence[UUID]) -> None:
    """Delete mails that were sent, or that have no recipient any more."""
    for mail_id in mail_ids:
        row = queries.find_mail(session, mail_id)
        if row is not None:
            session.delete(row)


def _digest_event(event: TeamEvent) -> tuple[datetime, NotificationContent]:
    return event.created_at, NotificationContent.from_json(event.content)


def _settings_page(session: ReadSession, public_url: str) -> str:
    return f"{public_url}/t/{get_team(session).slug}/settings?tab=account"
