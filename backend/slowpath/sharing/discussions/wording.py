"""The email about mentions. Names and titles from users are put on one line."""

from collections.abc import Sequence
from typing import Final

from slowpath.sharing.discussions.rules import excerpt

SAID_LETTERS: Final = 2_000
_BIDI: Final = str.maketrans(
    dict.fromkeys("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
)


def mail(title: str, url: str, team: str, said: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Return subject and text of the mail to a mentioned user; `said` has author and text, oldest first."""
    who = sorted({_line(name, 60) or "A member" for name, _ in said})
    shown = _line(title, 100)
    parts = [f"{' and '.join(who)} mentioned you: {shown}"]
    parts += [f"{_line(name, 100)} wrote:\n\n{_quoted(text)}" for name, text in said]
    parts.append(url)
    parts.append(f"You receive this email because a member of the team {_line(team, 100)} mentioned you.")
    return f"[Slowpath] {_line(f'{who[0]} mentioned you: {shown}', 150)}", "\n\n".join(parts) + "\n"


def _line(text: str, most: int) -> str:
    return excerpt(_clean(text), most)


def _quoted(text: str) -> str:
    kept = _clean(text)
    kept = kept if len(kept) <= SAID_LETTERS else f"{kept[: SAID_LETTERS - 1]}…"
    return "\n".join(f"> {line}" for line in kept.splitlines())


def _clean(text: str) -> str:
    """Return a text without control characters and marks that change the writing direction."""
    return "".join(letter for letter in text.translate(_BIDI) if letter in "\n\t" or letter.isprintable())
