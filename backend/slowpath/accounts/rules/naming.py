"""By which names people and teams are found."""

from slowpath.accounts.rules.credentials import in_letters


def names_one_mailbox(email: str) -> bool:
    """Tell whether an e-mail can stand for a person: folding the case of letters beyond ASCII makes two of them one."""
    return email.isascii()


def email_key(email: str) -> str:
    """Return the form by which an e-mail is found, so that case does not make two people of one."""
    return email.strip().casefold()


def slug_from(name: str, random_bytes: bytes) -> str:
    """Return a team's slug: its name in plain letters, and five random ones."""
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.casefold())
    words = "-".join(word for word in plain.split("-") if word)[:40].strip("-") or "team"
    return f"{words}-{in_letters(int.from_bytes(random_bytes), 5).casefold()}"
