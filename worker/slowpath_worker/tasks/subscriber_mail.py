"""Mail events to subscribers: one at once, or what was held back in one mail."""

from collections.abc import Sequence
from uuid import UUID

from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.link_signatures import create_link_signer
from slowpath.core.ports import EmailMessage
from slowpath.sharing.subscriptions.jobs import SendHeldMails, SendSubscriberMail
from slowpath.sharing.subscriptions.read_models import PreparedMail
from slowpath.sharing.subscriptions.service import mail_outbox
from slowpath_worker.job_context import JobContext, Postponed

__all__ = ["SendHeldMails", "SendSubscriberMail", "send_held_mails", "send_subscriber_mail"]

RETRY_S = 60.0
"""Pause while the mail server is unavailable, without using up the job's attempts."""


def send_subscriber_mail(job: SendSubscriberMail, context: JobContext) -> None:
    """Send the mail of one event."""
    signer, public_url = create_link_signer(context.settings), context.settings.public_url
    with context.reading() as session:
        mail = mail_outbox.prepare_mail(session, job.mail_id, public_url, signer)
    _send(context, mail, [job.mail_id])


def send_held_mails(job: SendHeldMails, context: JobContext) -> None:
    """Send what was held back for a user in one mail. Another job may have sent it."""
    signer, public_url = create_link_signer(context.settings), context.settings.public_url
    job_id = context.claim.job_id
    with context.writing() as session:
        mail_ids = mail_outbox.claim_held_mails(session, job.user_id, job_id, context.clock.now())
    with context.reading() as session:
        mail = mail_outbox.prepare_digest(session, job.user_id, mail_ids, job_id, public_url=public_url, signer=signer)
    _send(context, mail, mail_ids)


def _send(context: JobContext, mail: PreparedMail | None, mail_ids: Sequence[UUID]) -> None:
    """Send a mail, and delete what it contains. One that the mail server rejects is not sent again."""
    if mail is not None:
        message = EmailMessage(mail.to, mail.subject, mail.text, mail.message_id, mail.thread_id, mail.unsubscribe_url)
        try:
            context.mailer.send(message)
        except Unavailable as error:
            raise Postponed(RETRY_S) from error
        except InvalidRequest:
            with context.writing() as session:
                mail_outbox.delete_sent_mails(session, mail_ids)
            raise
    with context.finishing() as session:
        mail_outbox.delete_sent_mails(session, mail_ids)
