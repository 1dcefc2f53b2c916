"""E-mail over SMTP, to the server that the operator names."""

import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage as MimeMessage
from typing import Final
from urllib.parse import unquote, urlsplit

from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.ports import EmailMessage, Mailer
from slowpath.core.settings import Settings

SECONDS: Final = 20.0
PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


class MailRejected(InvalidRequest):
    """The server will never take this mail."""

    slug = "mail-refused"
    title = "The mail was refused"


class MailNotConfigured(InvalidRequest):
    """The operator has named no server."""

    slug = "no-mail"
    title = "No e-mail is sent from here"


class MailServerUnavailable(Unavailable):
    """The server does not answer, or asks to come again."""

    slug = "mail-unavailable"
    title = "The mail server can not be reached"


class SmtpMailer:
    """Hands over one mail a connection; mails are few."""

    def __init__(self, url: str, sender: str) -> None:
        """`url` is `smtp://`, `smtp+starttls://` or `smtps://`, with name and password if the server wants them.

        Raises `ValueError` for anything else.
        """
        parts = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError(
                "SLOWPATH_SMTP_URL: smtp://host, smtp+starttls://name:password@host or smtps://... is meant"
            )
        if not sender or any(letter in sender for letter in "\r\n"):
            raise ValueError("SLOWPATH_MAIL_FROM: whom e-mail comes from must be named with SLOWPATH_SMTP_URL")
        self._parts = parts
        self._sender = sender

    def send(self, mail: EmailMessage) -> None:
        """Hand one over. Raises `MailRejected` (5xx), `MailServerUnavailable` (4xx, or no answer)."""
        letter = MimeMessage()
        letter["From"], letter["To"], letter["Subject"] = self._sender, mail.to, mail.subject
        letter["Message-ID"] = f"<{mail.message_id}@{self._sender.rpartition('@')[2].rstrip('>')}>"
        letter["Auto-Submitted"] = "auto-generated"
        letter.set_content(mail.text)
        try:
            server = self._connected()
        except (OSError, smtplib.SMTPException) as error:
            raise MailServerUnavailable(f"The mail server did not answer: {type(error).__name__}.") from error
        try:
            server.send_message(letter)
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPResponseException) as error:
            raise _told(error) from error
        except (OSError, smtplib.SMTPException) as error:
            raise MailServerUnavailable(f"The mail server broke off: {type(error).__name__}.") from error
        finally:
            with suppress(OSError, smtplib.SMTPException):
                server.quit()

    def _connected(self) -> smtplib.SMTP:
        scheme, host = self._parts.scheme, self._parts.hostname or ""
        port = self._parts.port or PORTS[scheme]
        trusted = ssl.create_default_context()
        if scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=trusted)
        else:
            server = smtplib.SMTP(host, port, timeout=SECONDS)
            if scheme == "smtp+starttls":
                server.starttls(context=trusted)
        if self._parts.username:
            server.login(unquote(self._parts.username), unquote(self._parts.password or ""))
        return server


class DisabledMailer:
    """Sends nothing, and says so."""

    def send(self, mail: EmailMessage) -> None:  # noqa: ARG002 - as the port has it
        """Raise `MailNotConfigured`."""
        raise MailNotConfigured("No e-mail is sent from here.", remedy="The operator sets SLOWPATH_SMTP_URL.")


def create_mailer(settings: Settings) -> Mailer:
    """Return the mailer as the operator set it. Raises `ValueError` for settings that can not be used."""
    if not settings.sends_mail:
        return DisabledMailer()
    return SmtpMailer(settings.smtp_url.get_secret_value(), settings.mail_from)


def _told(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException) -> MailRejected | MailServerUnavailable:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, said = next(iter(error.recipients.values()))
        text = said.decode(errors="replace")
    else:
        code, text = (
            error.smtp_code,
            str(error.smtp_error, errors="replace") if isinstance(error.smtp_error, bytes) else error.smtp_error,
        )
    detail = f"The mail server answered {code}: {' '.join(text.split())[:200]}"
    return MailRejected(detail) if code >= 500 else MailServerUnavailable(detail)
