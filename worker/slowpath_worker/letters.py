"""Letters to people of no team. Jobs belong to teams, so nobody's job carries them: the relay sends them itself."""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from slowpath.accounts import wording
from slowpath.accounts.service import resetting
from slowpath.adapters.clock import SystemClock
from slowpath.adapters.mail import create_mailer
from slowpath.core.errors import Refused, Unavailable
from slowpath.core.ports import Mail
from slowpath.core.sessions import Database
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0


def send_letter(database: Database, settings: Settings) -> bool:
    """Send the next letter to who forgot their password and is in no team; False if there is none.

    The link is drawn for this letter. One whose sending was not written down is drawn and sent again: the older link is
    worthless then.
    """
    now = SystemClock().now()
    with database.door() as door:
        reset_id = resetting.next_letter(door, now)
    if reset_id is None:
        return False
    with database.door() as door:
        letter = resetting.draw_reset(door, reset_id, now)
    if letter is not None:
        subject, text = wording.reset(letter.name, f"{settings.public_url}/new-password#{letter.secret}")
        try:
            create_mailer(settings).send(Mail(letter.to, subject, text, str(reset_id)))
        except Unavailable as error:
            log.warning("mail server away", error=error.detail)
            return True
        except Refused as error:
            log.warning("a letter is refused", error=error.detail)
    with database.door() as door:
        resetting.letter_sent(door, reset_id)
    return True


def post(database: Database, settings: Settings, stop: threading.Event) -> threading.Thread:
    """Send such letters in a thread of its own until told to stop: a slow mail server holds up no job."""

    def send() -> None:
        while not stop.wait(LOOK_SECONDS):
            try:
                while send_letter(database, settings) and not stop.is_set():
                    pass
            except SQLAlchemyError as error:
                log.warning("database away", error=str(error).splitlines()[0])

    thread = threading.Thread(target=send, name="letters", daemon=True)
    thread.start()
    return thread
