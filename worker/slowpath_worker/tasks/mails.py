"""Mail what belongs to an account: invitations, and links to choose another password."""

from slowpath.accounts import wording
from slowpath.accounts.jobs import MailInvitation, MailReset
from slowpath.accounts.service import mailing, resetting
from slowpath.adapters.clock import SystemClock
from slowpath.adapters.mail import create_mailer
from slowpath.core.errors import Refused, Unavailable
from slowpath.core.ports import Mail
from slowpath_worker.context import Context, NotYet

__all__ = ["MailInvitation", "MailReset", "mail_invitation", "mail_reset"]

AWAY_S = 60.0
"""How long to wait for a mail server that is away. Both links have an end, and so has the waiting."""


def mail_invitation(job: MailInvitation, context: Context) -> None:
    """Mail an invitation with a link that is drawn now; what the server refuses is told beside the invitation."""
    now = SystemClock().now()
    with context.writing() as session:
        letter = mailing.draw_invitation(session, job.invitation_id, now)

    problem = None
    if letter is not None:
        url = f"{context.settings.public_url}/invitations/{letter.secret}"
        subject, text = wording.invitation(letter.team, letter.by, letter.role, url, letter.expires_at)
        try:
            create_mailer(context.settings).send(Mail(letter.to, subject, text, str(context.claim.job_id)))
        except Unavailable as error:
            raise NotYet(AWAY_S) from error
        except Refused as error:
            problem = error.facts()

    with context.finishing() as session:
        if letter is not None:
            mailing.invitation_mailed(session, job.invitation_id, SystemClock().now(), problem)


def mail_reset(job: MailReset, context: Context) -> None:
    """Mail a link that is drawn now. What is after the `#` of an address is sent to no server and stands in no log."""
    with context.door() as door:
        letter = resetting.draw_reset(door, job.reset_id, SystemClock().now())

    if letter is not None:
        subject, text = wording.reset(letter.name, f"{context.settings.public_url}/new-password#{letter.secret}")
        try:
            create_mailer(context.settings).send(Mail(letter.to, subject, text, str(job.reset_id)))
        except Unavailable as error:
            raise NotYet(AWAY_S) from error

    with context.finishing():
        pass
