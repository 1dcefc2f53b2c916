"""The words that the glossary bans, and a search for them."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GLOSSARY = ROOT / "backend" / "docs" / "glossary.md"
INLINE_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def _listed(line_start: str) -> tuple[str, ...]:
    """Return the words of one list in the glossary."""
    (line,) = [line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith(line_start)]
    return tuple(re.findall(r"`([^`]+)`", line))


EVERYWHERE = _listed("- Everywhere: ")
"""Banned from documents, the interface, docstrings and messages."""
IN_DOCUMENTS = EVERYWHERE + _listed("- In documents and the interface also: ")
"""Banned from documents and the interface."""


@cache
def _pattern(banned: tuple[str, ...]) -> re.Pattern[str]:
    phrases = "|".join(word.replace(" ", r"\s+") for word in banned)
    return re.compile(rf"\b(?:{phrases})\b", flags=re.IGNORECASE)


def has_banned(text: str, banned: tuple[str, ...]) -> bool:
    """Return whether a banned word is anywhere in a text, in code or not."""
    return _pattern(banned).search(text) is not None


def find_banned(text: str, banned: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield line numbers, counted from 1, and banned words outside code in backticks."""
    words = INLINE_CODE.sub(lambda code: " " * len(code.group()), text) if "`" in text else text
    for hit in _pattern(banned).finditer(words):
        yield words[: hit.start()].count("\n") + 1, " ".join(hit.group().split())
