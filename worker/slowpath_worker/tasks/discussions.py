"""Mail users who were mentioned in a discussion, at a limited rate each."""

from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.ports import EmailMessage, Mailer
from slowpath.sharing.discussions import wording
from slowpath.sharing.discussions.jobs import MailMentions
from slowpath.sharing.discussions.service import mentions
from slowpath.sharing.discussions.service.mentions import MentionDigest
from slowpath_worker.job_context import JobContext, Postponed

__all__ = ["MailMentions", "mail_mentions"]

RETRY_S = 60.0
"""Pause while the mail server is unavailable, without using up the job's attempts."""


def mail_mentions(job: MailMentions, context: JobContext) -> None:
    """Send mails that are due, and postpone the others."""
    mailer = context.mailer
    now = context.clock.now()
    with context.writing() as session:
        batch = mentions.claim_mention_mails(session, job.discussion_id, context.settings.public_url, now)

    again_s = batch.again_s
    for mail in batch.letters:
        is_sent = _send(mailer, mail)
        with context.writing() as session:
            if is_sent:
                mentions.record_mentions_mailed(session, mail.mention_ids, context.clock.now())
            else:
                mentions.release_mention_mails(session, mail.mention_ids)
                again_s = min(again_s or RETRY_S, RETRY_S)
    if again_s is not None:
        raise Postponed(again_s)
    with context.finishing():
        pass


def _send(mailer: Mailer, mail: MentionDigest) -> bool:
    """Send one mail and return False if the server is unavailable. A rejected mail is not sent again."""
    subject, text = wording.mail(mail.title, mail.url, mail.team, mail.comments)
    try:
        mailer.send(EmailMessage(mail.to, subject, text, str(mail.mention_ids[0])))
    except Unavailable:
        return False
    except InvalidRequest:
        return True
    return True
