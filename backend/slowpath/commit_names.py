"""The short form of a commit, as pages, messages and the command line show it."""

import re
from typing import Final

COMMIT_DIGITS: Final = 10
"""Digits of a shortened commit. Among a million commits, two share them with a probability of a third, hardly two of a page."""

_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")


def short_commit(commit: str) -> str:
    """Return the first digits of a commit; the names of releases, branches and settings are returned unchanged."""
    return commit[:COMMIT_DIGITS] if _HEXADECIMAL.fullmatch(commit) else commit
