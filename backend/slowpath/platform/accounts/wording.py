"""Texts of the emails about accounts. Names of others are put on one line."""


def invitation(team: str, by: str | None, role: str, url: str, until: str) -> tuple[str, str]:
    """Return subject and text of an invitation that is valid until a time."""
    who = _line(by) if by else "A team admin"
    article = "an" if role[:1] in "aeiou" else "a"
    parts = [
        f"{who} invites you to the team {_line(team)} on Slowpath, as {article} {role}.",
        url,
        f"The link can be used once, until {until}.",
        "If you did not expect this invitation, ignore it.",
    ]
    return f"[Slowpath] {_line(f'{who} invites you to {team}')[:150]}", "\n\n".join(parts) + "\n"


def reset(name: str, url: str) -> tuple[str, str]:
    """Return subject and text of a password reset email."""
    parts = [
        f"Hello {_line(name)}, a password reset was requested for your Slowpath account. Choose a new password here:",
        url,
        "The link can be used once, within an hour. A new password ends all your sessions.",
        "If you did not request this, ignore it: your password does not change.",
    ]
    return "[Slowpath] Reset your password", "\n\n".join(parts) + "\n"


def _line(text: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(printable.split())[:200]
