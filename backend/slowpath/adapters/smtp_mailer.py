"""Send e-mail by SMTP to the configured server."""

import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage as MimeMessage
from email.policy import EmailPolicy
from typing import Final
from urllib.parse import unquote, urlsplit

from slowpath.core.errors import InvalidRequest, Unavailable
from slowpath.core.ports import EmailMessage, Mailer
from slowpath.core.settings import Settings

TIMEOUT_SECONDS: Final = 20.0
UNFOLDED: Final = EmailPolicy(max_line_length=998)
"""The limit of RFC 5322. With the usual 78, a long link in a header is encoded, which mail services do not decode."""
PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


class MailRejected(InvalidRequest):
    """The server rejected this mail permanently."""

    slug = "mail-refused"
    title = "The mail was rejected"


class MailNotConfigured(InvalidRequest):
    """No mail server is configured."""

    slug = "no-mail"
    title = "E-mail is not configured"


class MailServerUnavailable(Unavailable):
    """The server does not respond, or rejected the mail temporarily."""

    slug = "mail-unavailable"
    title = "The mail server is not available"


class SmtpMailer:
    """Sends each mail over a new connection."""

    def __init__(self, url: str, sender: str) -> None:
        """Set the server: `smtp://`, `smtp+starttls://` or `smtps://`, optionally with name and password.

        Raises `ValueError` for anything else.
        """
        parts = urlsplit(url)
        if parts.scheme not in PORTS or not parts.hostname:
            raise ValueError("SLOWPATH_SMTP_URL must be smtp://host, smtp+starttls://name:password@host or smtps://...")
        if not sender or any(char in sender for char in "\r\n"):
            raise ValueError("SLOWPATH_SMTP_URL needs SLOWPATH_MAIL_FROM, the sender of e-mail")
        self._parts = parts
        self._sender = sender

    def send(self, mail: EmailMessage) -> None:
        """Send a mail. Raises `MailRejected` (5xx), `MailServerUnavailable` (4xx, or no response)."""
        message = MimeMessage(UNFOLDED)
        message["From"], message["To"], message["Subject"] = self._sender, mail.to, mail.subject
        domain = self._sender.rpartition("@")[2].rstrip(">")
        message["Message-ID"] = f"<{mail.message_id}@{domain}>"
        message["Auto-Submitted"] = "auto-generated"
        if mail.thread_id:  # the root need not exist: mail programs group by it
            message["In-Reply-To"] = message["References"] = f"<{mail.thread_id}@{domain}>"
        if mail.unsubscribe_url:
            message["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        message.set_content(mail.text)
        try:
            server = self._connect()
        except (OSError, smtplib.SMTPException) as error:
            raise MailServerUnavailable(f"The mail server did not respond: {type(error).__name__}.") from error
        try:
            server.send_message(message)
        except (smtplib.SMTPRecipientsRefused, smtplib.SMTPResponseException) as error:
            raise _make_error(error) from error
        except (OSError, smtplib.SMTPException) as error:
            raise MailServerUnavailable(f"The connection to the mail server failed: {type(error).__name__}.") from error
        finally:
            with suppress(OSError, smtplib.SMTPException):
                server.quit()

    def _connect(self) -> smtplib.SMTP:
        scheme, host = self._parts.scheme, self._parts.hostname or ""
        port = self._parts.port or PORTS[scheme]
        trusted = ssl.create_default_context()
        if scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT_SECONDS, context=trusted)
        else:
            server = smtplib.SMTP(host, port, timeout=TIMEOUT_SECONDS)
            if scheme == "smtp+starttls":
                server.starttls(context=trusted)
        if self._parts.username:
            server.login(unquote(self._parts.username), unquote(self._parts.password or ""))
        return server


class DisabledMailer:
    """Rejects all mail: no server is configured."""

    def send(self, mail: EmailMessage) -> None:  # noqa: ARG002 - as the port has it
        """Raise `MailNotConfigured`."""
        raise MailNotConfigured("E-mail is not configured.", remedy="An operator can set SLOWPATH_SMTP_URL.")


def create_mailer(settings: Settings) -> Mailer:
    """Return the mailer as configured. Raises `ValueError` for invalid settings."""
    if not settings.sends_mail:
        return DisabledMailer()
    return SmtpMailer(settings.smtp_url.get_secret_value(), settings.mail_from)


def _make_error(
    error: smtplib.SMTPRecipientsRefused | smtplib.SMTPResponseException,
) -> MailRejected | MailServerUnavailable:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, reply = next(iter(error.recipients.values()))
        text = reply.decode(errors="replace")
    else:
        code, text = (
            error.smtp_code,
            str(error.smtp_error, errors="replace") if isinstance(error.smtp_error, bytes) else error.smtp_error,
        )
    detail = f"The mail server responded with {code}: {' '.join(text.split())[:200]}"
    return MailRejected(detail) if code >= 500 else MailServerUnavailable(detail)
