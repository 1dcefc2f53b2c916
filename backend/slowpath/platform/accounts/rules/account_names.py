"""Normalize the names by which users and teams are found."""

from slowpath.platform.accounts.rules.credentials import encode_base62


def is_unambiguous_email(email: str) -> bool:
    """Return whether an email can identify a user: case folding beyond ASCII would merge two emails."""
    return email.isascii()


def normalize_email(email: str) -> str:
    """Return the case-folded email, so that case does not make two users of one."""
    return email.strip().casefold()


def make_slug(name: str, random_bytes: bytes) -> str:
    """Return a team's slug: its name in plain letters, and five random ones."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.casefold())
    words = "-".join(word for word in plain.split("-") if word)[:40].strip("-") or "team"
    return f"{words}-{encode_base62(int.from_bytes(random_bytes), 5).casefold()}"
