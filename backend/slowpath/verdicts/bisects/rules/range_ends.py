"""Names of the ends of a commit range: tags, branches, deployments, builds, dates and abbreviated SHAs.

A name is only compared with stored names. No command ever gets it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Literal

EndType = Literal["last-good", "deployment", "tag", "branch", "build", "date", "commit"]
LAST_GOOD = "last good build"
LEAST_DIGITS = 4
"""Digits of an abbreviated SHA that is looked up."""


@dataclass(frozen=True)
class RangeEnd:
    """A commit that a name resolves to."""

    type: EndType
    name: str
    sha: str
    detail: str
    """What the name alone does not say: where a deployment runs, or the branch of a date."""
    is_exact: bool
    """Whether the whole text is its name."""
    title: str = ""
    author: str = ""
    at: datetime | None = None
    """When it was committed; None if its metadata is unknown."""
    is_measured: bool = False
    """Whether a build of it has artifacts."""


def parse_date(text: str) -> datetime | None:
    """Return the time that a text names: the end of a day (`2026-11-17`), or a minute (`2026-11-17 09:12`), in UTC unless it states its offset."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if len(text) == len("2026-11-17"):
        return datetime.combine(found.date(), time.max, UTC)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def strip_ref_prefix(text: str) -> str:
    """Return the short name of a reference: `refs/tags/v1` is `v1`, `origin/main` is `main`."""
    for prefix in ("refs/tags/", "refs/heads/", "refs/remotes/origin/", "tags/", "heads/", "origin/"):
        if text.startswith(prefix):
            return text.removeprefix(prefix)
    return text


def order_names(name: str) -> tuple[tuple[int, ...], str]:
    """Return the order in which later versions come first: v1.10 before v1.9, and releases before their candidates."""
    numbers = "".join(char if char.isdecimal() and char.isascii() else " " for char in name).split()
    return tuple(-int(number[:18]) for number in numbers[:6]), name
