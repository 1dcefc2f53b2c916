"""By which names people and teams are found."""

from slowpath.platform.accounts.rules.credentials import encode_base62


def is_unambiguous_email(email: str) -> bool:
    """Tell whether an e-mail can stand for a person: folding the case of letters beyond ASCII makes two of them one."""
    return email.isascii()


def normalize_email(email: str) -> str:
    """Return the form by which an e-mail is found, so that case does not make two people of one."""
    return email.strip().casefold()


def make_slug(name: str, random_bytes: bytes) -> str:
    """Return a team's slug: its name in plain letters, and five random ones."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.casefold())
    words = "-".join(word for word in plain.split("-") if word)[:40].strip("-") or "team"
    return f"{words}-{encode_base62(int.from_bytes(random_bytes), 5).casefold()}"
