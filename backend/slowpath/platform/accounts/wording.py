"""What is mailed to people about their account. Names of others are put on one line."""

from datetime import datetime


def invitation(team: str, by: str | None, role: str, url: str, expires_at: datetime) -> tuple[str, str]:
    """Return subject and text of an invitation."""
    who = _line(by) if by else "Somebody"
    article = "an" if role[:1] in "aeiou" else "a"
    parts = [
        f"{who} invites you to the team {_line(team)} on Slowpath, as {article} {role}.",
        url,
        f"The link is good for one person until {expires_at:%d %B %Y, %H:%M} UTC.",
        "If you do not know why you get this, leave it: nothing happens until the link is opened.",
    ]
    return f"[Slowpath] {_line(f'{who} invites you to {team}')[:150]}", "\n\n".join(parts) + "\n"


def reset(name: str, url: str) -> tuple[str, str]:
    """Return subject and text of the mail to somebody who forgot their password."""
    parts = [
        f"{_line(name)}, somebody (you, we hope) said that you forgot your password for Slowpath. Here you choose another:",
        url,
        "The link is good once, for an hour. It signs you out everywhere.",
        "If it was not you, leave it: your password stays as it is.",
    ]
    return "[Slowpath] Choose another password", "\n\n".join(parts) + "\n"


def _line(text: str) -> str:
    kept = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(kept.split())[:200]
