"""What sign-in by OpenID Connect and by SAML share: the checks of stated names and addresses, and the error."""

from typing import Final

from slowpath.core.errors import NotAuthenticated

MAX_SUBJECT: Final = 255
MAX_EMAIL: Final = 254
MAX_NAME: Final = 100


def parse_email(stated: object) -> str | None:
    """Return a stated e-mail address, or None for what cannot be one."""
    if not isinstance(stated, str) or not 3 <= len(stated) <= MAX_EMAIL:
        return None
    return stated if stated.count("@") == 1 and stated.isprintable() else None


def choose_name(email: str | None, *stated: object) -> str:
    """Return the first stated name that can be displayed; else the part of the e-mail address before the @."""
    names = (*stated, email and email.partition("@")[0], "Unnamed user")
    return next(one.strip() for one in names if isinstance(one, str) and one.strip() and one.isprintable())[:MAX_NAME]


def make_sign_in_error(reason: str, remedy: str | None = None) -> NotAuthenticated:
    """Return the error of a rejected sign-in at an identity provider."""
    return NotAuthenticated(
        f"The sign-in failed: {reason}.",
        slug="sign-in-refused",
        remedy=remedy or "Sign in again. If it still fails, ask an operator to check the log.",
    )
