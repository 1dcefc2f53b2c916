"""Mail the events of services to their subscribers."""

from slowpath.core.errors import Unavailable
from slowpath.core.ports import EmailMessage
from slowpath.sharing.inbox.jobs import MailSubscriber
from slowpath.sharing.inbox.service.subscriber_mail import prepare_subscriber_mail
from slowpath_worker.job_context import JobContext, Postponed

__all__ = ["MailSubscriber", "mail_subscriber"]

RETRY_S = 60.0
"""Pause while the mail server is unavailable, without using up the job's attempts."""


def mail_subscriber(job: MailSubscriber, context: JobContext) -> None:
    """Send one mail. One that the mail server rejects is not sent again; the job records why."""
    with context.reading() as session:
        mail = prepare_subscriber_mail(session, job.subscription_id, job.event_id, context.settings.public_url)
    if mail is not None:
        try:
            context.mailer.send(EmailMessage(mail.to, mail.subject, mail.text, str(context.claim.job_id)))
        except Unavailable as error:
            raise Postponed(RETRY_S) from error
    with context.finishing():
        pass
