"""Placeholders in commands and addresses, such as `{commit}`. No shell is used, so values need no quoting."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z_]*)\}")
KNOWN: Final = ("commit", "dir", "overrides", "slot", "out", "port", "run_id", "service", "callback")


class UnknownPlaceholder(Exception):
    """A placeholder is unknown; the message lists the known ones."""


def fill_placeholders(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return words with their placeholders filled in. Raises `UnknownPlaceholder`."""
    return [fill_placeholder(word, values) for word in words]


def fill_placeholder(word: str, values: Mapping[str, str]) -> str:
    """Return a word with its placeholders filled in. Raises `UnknownPlaceholder`."""

    def value_of(found: "re.Match[str]") -> str:
        if found[1] not in values:
            raise UnknownPlaceholder(
                f"Unknown placeholder {found[0]}; known are {', '.join(f'{{{name}}}' for name in values)}."
            )
        return values[found[1]]

    return PLACEHOLDER.sub(value_of, word)


def validate_placeholders(words: Sequence[str]) -> None:
    """Check that all placeholders are known. Raises `UnknownPlaceholder`."""
    fill_placeholders(words, dict.fromkeys(KNOWN, ""))
