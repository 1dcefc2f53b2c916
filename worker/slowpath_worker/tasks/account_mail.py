"""Mail invitations and password resets."""

from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.local_times import format_local_time
from slowpath.core.ports import EmailMessage
from slowpath.platform.accounts import wording
from slowpath.platform.accounts.jobs import MailInvitation, MailPasswordReset
from slowpath.platform.accounts.service import invitation_mail, password_resets
from slowpath_worker.job_context import JobContext, Postponed

__all__ = ["MailInvitation", "MailPasswordReset", "mail_invitation", "mail_password_reset"]

RETRY_S = 60.0
"""Pause while the mail server is unavailable. Both links expire, which ends the retries."""


def mail_invitation(job: MailInvitation, context: JobContext) -> None:
    """Mail an invitation with a new link; record a rejection by the mail server on the invitation."""
    now = context.clock.now()
    with context.writing() as session:
        mail = invitation_mail.prepare_invitation_mail(session, job.invitation_id, now)

    problem = None
    if mail is not None:
        url = f"{context.settings.public_url}/invitations/{mail.secret}"
        until = format_local_time(mail.expires_at, mail.time_zone)
        subject, text = wording.invitation(mail.team, mail.by, mail.role, url, until)
        try:
            context.mailer.send(EmailMessage(mail.to, subject, text, str(context.claim.job_id)))
        except Unavailable as error:
            raise Postponed(RETRY_S) from error
        except InvalidRequest as error:
            problem = error.facts()

    with context.finishing() as session:
        if mail is not None:
            invitation_mail.record_invitation_mailed(session, job.invitation_id, context.clock.now(), problem)


def mail_password_reset(job: MailPasswordReset, context: JobContext) -> None:
    """Mail a password reset with a new link. Browsers do not send the part after `#`, so no server logs it."""
    with context.cross_team() as connection:
        mail = password_resets.prepare_password_reset(connection, job.reset_id, context.clock.now())

    if mail is not None:
        subject, text = wording.reset(mail.name, f"{context.settings.public_url}/password-reset/confirm#{mail.secret}")
        try:
            context.mailer.send(EmailMessage(mail.to, subject, text, str(job.reset_id)))
        except Unavailable as error:
            raise Postponed(RETRY_S) from error

    with context.finishing():
        pass
