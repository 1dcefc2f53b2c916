"""Read fields of payloads. All texts in them are external: they are shortened, and other types are missing values."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from slowpath.inventory.repositories.rules import ABBREVIATED, truncate_text

Message = Mapping[str, Any]
MAX_TEXT: Final = 200
MAX_URL: Final = 2000


def part(whole: Message, key: str) -> Message:
    """Return a nested object; an empty one if it is missing."""
    found = whole.get(key)
    return found if isinstance(found, Mapping) else {}


def text(value: object) -> str | None:
    """Return a short text of one line; None if it is missing."""
    if not isinstance(value, str):
        return None
    shown = "".join(" " if char < " " or char == "\x7f" else char for char in truncate_text(value, MAX_TEXT))
    return shown.strip() or None


def link(value: object) -> str | None:
    """Return a web URL; None if it is missing or invalid."""
    known = isinstance(value, str) and len(value) <= MAX_URL and value.startswith(("https://", "http://"))
    return truncate_text(value, MAX_URL) if known and isinstance(value, str) and value.isprintable() else None


def number(value: object) -> int | None:
    """Return a positive number that JSON represents exactly; None if it is missing or invalid."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 2**53 else None


def when(value: object) -> datetime | None:
    """Return a time with its zone in the format of GitHub or GitLab; None if it is missing or invalid."""
    if not isinstance(value, str):
        return None
    try:
        known = datetime.fromisoformat(value.replace(" UTC", "+00:00").replace(" +", "+").replace(" -", "-"))
    except ValueError:
        return None
    known = known if known.tzinfo else known.replace(tzinfo=UTC)
    return known if 1970 < known.year < 2200 else None


def items(value: object) -> Sequence[Any]:
    """Return a list; an empty one if it is missing."""
    return value if isinstance(value, list) else ()


def sha(value: object) -> str | None:
    """Return a SHA, or an abbreviated one, which Bitbucket sends; None if it is missing or invalid."""
    return value if isinstance(value, str) and ABBREVIATED.fullmatch(value) else None
