"""Password reset mail to users without a team. Jobs belong to teams, so the relay sends this mail directly."""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from slowpath.core.db_sessions import Database
from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.ports import Clock, EmailMessage, Mailer
from slowpath.core.settings import Settings
from slowpath.platform.accounts import wording
from slowpath.platform.accounts.service import password_resets

log = structlog.get_logger(__name__)

POLL_SECONDS = 2.0


def send_next_reset_mail(database: Database, settings: Settings, mailer: Mailer, clock: Clock) -> bool:
    """Send the next password reset mail to a user without a team; return False if there is none.

    Each mail gets a new link. If sending was not recorded, the mail is sent again and the older link becomes invalid.
    """
    now = clock.now()
    with database.cross_team() as connection:
        reset_id = password_resets.claim_next_reset_mail(connection, now)
    if reset_id is None:
        return False
    with database.cross_team() as connection:
        mail = password_resets.prepare_password_reset(connection, reset_id, now)
    if mail is not None:
        subject, text = wording.reset(mail.name, f"{settings.public_url}/password-reset/confirm#{mail.secret}")
        try:
            mailer.send(EmailMessage(mail.to, subject, text, str(reset_id)))
        except Unavailable as error:
            log.warning("mail.server_unavailable", error=error.detail)
            return True
        except InvalidRequest as error:
            log.warning("mail.rejected", error=error.detail)
    with database.cross_team() as connection:
        password_resets.record_reset_mail_sent(connection, reset_id)
    return True


def run_reset_mail_loop(
    database: Database, settings: Settings, mailer: Mailer, clock: Clock, stop: threading.Event
) -> threading.Thread:
    """Send password reset mail in a thread until `stop` is set, so that a slow mail server delays no job."""

    def send() -> None:
        while not stop.wait(POLL_SECONDS):
            try:
                while send_next_reset_mail(database, settings, mailer, clock) and not stop.is_set():
                    pass
            except SQLAlchemyError as error:
                log.warning("database.unavailable", error=str(error).splitlines()[0])

    thread = threading.Thread(target=send, name="reset-mail", daemon=True)
    thread.start()
    return thread
