"""Rules of the search: what is searched, how a text is split into words, and the limits."""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

from slowpath.analysis.findings.build_measurements import unpack


class SearchType(StrEnum):
    """Types of objects, in the order of the groups."""

    SERVICE = "service"
    PRODUCTION_EVENT = "production-event"
    REGRESSION = "regression"
    BUILD = "build"
    COMMIT = "commit"
    COMPARISON = "comparison"
    BISECT = "bisect"
    REPORT = "report"
    FUNCTION = "function"
    ARTIFACT = "artifact"


MOST_WORDS: Final = 6
MOST_SEARCHED: Final = 10_000
"""The newest objects of a type, searched for parts of their text."""
MOST_COMPARED: Final = 1_000
"""The newest objects of a type, compared by trigrams if no object of any type contains the text."""
LEAST_SIMILARITY: Final = 0.4
"""Share of the trigrams of a word that an object has: one letter missing, added or replaced leaves more."""
LEAST_COMPARED_LENGTH: Final = 4
"""Shorter words have too few trigrams to be compared."""
MOST_FUNCTION_SERVICES: Final = 50
MOST_FUNCTIONS: Final = 5_000


def parse_words(text: str) -> tuple[str, ...]:
    """Return the words that an object must have; `#12` is found by its number."""
    return tuple(word for word in (part.lstrip("#") for part in text.split()) if word)[:MOST_WORDS]


def is_comparable(words: Sequence[str]) -> bool:
    """Return whether any word is long enough to be compared by trigrams."""
    return any(len(word) >= LEAST_COMPARED_LENGTH for word in words)


@lru_cache(maxsize=64)
def unpack_functions(content: bytes) -> tuple[str, ...]:
    """Return the functions of a packed measurement. Typing sends a request per pause: the same few are read again."""
    return unpack(content).subjects
