"""The email about mentions. Names and titles from users are put on one line."""

from collections.abc import Sequence
from typing import Final

from slowpath.sharing.discussions.rules import excerpt

QUOTED_LETTERS: Final = 2_000
_BIDI: Final = str.maketrans(
    dict.fromkeys("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
)


def mail(title: str, url: str, team: str, comments: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return subject and text of the mail to a mentioned user; `comments` has author and text, oldest first."""
    who = sorted({_line(name, 60) or "A member" for name, _ in comments})
    shown = _line(title, 100)
    parts = [f"{' and '.join(who)} mentioned you: {shown}"]
    parts += [f"{_line(name, 100)} wrote:\n\n{_quoted(text)}" for name, text in comments]
    parts.append(url)
    parts.append(f"You receive this email because a member of the team {_line(team, 100)} mentioned you.")
    return f"[Slowpath] {_line(f'{who[0]} mentioned you: {shown}', 150)}", "\n\n".join(parts) + "\n"


def _line(text: str, most: int) -> str:
    return excerpt(_clean(text), most)


def _quoted(text: str) -> str:
    clean = _clean(text)
    clean = clean if len(clean) <= QUOTED_LETTERS else f"{clean[: QUOTED_LETTERS - 1]}…"
    return "\n".join(f"> {line}" for line in clean.splitlines())


def _clean(text: str) -> str:
    """Return a text without control characters and marks that change the writing direction."""
    return "".join(char for char in text.translate(_BIDI) if char in "\n\t" or char.isprintable())
