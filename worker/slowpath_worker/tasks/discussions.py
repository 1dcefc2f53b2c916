"""Mail those who were named in a discussion, each at most once in a while."""

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.mail import create_mailer
from slowpath.core.errors import Refused, Unavailable
from slowpath.core.ports import Mail, Mailer
from slowpath.discussions import wording
from slowpath.discussions.jobs import MailMentions
from slowpath.discussions.service import mentioning
from slowpath.discussions.service.mentioning import Letter
from slowpath_worker.context import Context, NotYet

__all__ = ["MailMentions", "mail_mentions"]

AWAY_S = 60.0
"""How long to wait for a mail server that is away; the job's own tries would be used up in minutes."""


def mail_mentions(job: MailMentions, context: Context) -> None:
    """Send what may go now, and look again for what has to wait."""
    mailer = create_mailer(context.settings)
    now = SystemClock().now()
    with context.writing() as session:
        post = mentioning.begin_mails(session, job.discussion_id, context.settings.public_url, now)

    again_s = post.again_s
    for letter in post.letters:
        is_told = _send(mailer, letter)
        with context.writing() as session:
            if is_told:
                mentioning.mailed(session, letter.mention_ids, SystemClock().now())
            else:
                mentioning.let_go(session, letter.mention_ids)
                again_s = min(again_s or AWAY_S, AWAY_S)
    if again_s is not None:
        raise NotYet(again_s)
    with context.finishing():
        pass


def _send(mailer: Mailer, letter: Letter) -> bool:
    """Send one letter; False: the server is away. What it will never take is not tried again."""
    subject, text = wording.mail(letter.title, letter.url, letter.team, letter.said)
    try:
        mailer.send(Mail(letter.to, subject, text, str(letter.mention_ids[0])))
    except Unavailable:
        return False
    except Refused:
        return True
    return True
