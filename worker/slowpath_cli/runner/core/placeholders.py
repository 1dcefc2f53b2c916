"""Placeholders in commands and addresses: `{commit}`. Nothing is ever given to a shell, so nothing needs quoting."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z_]*)\}")
KNOWN: Final = ("commit", "dir", "overrides", "slot", "out", "port", "run_id", "service", "callback")


class UnknownPlaceholder(Exception):
    """A placeholder that means nothing here; the text says which are known."""


def fill_placeholders(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Return words with their placeholders filled in. Raises `UnknownPlaceholder`."""
    return [fill_placeholder(word, values) for word in words]


def fill_placeholder(word: str, values: Mapping[str, str]) -> str:
    """Return a word with its placeholders filled in. Raises `UnknownPlaceholder`."""

    def known(found: "re.Match[str]") -> str:
        if found[1] not in values:
            raise UnknownPlaceholder(
                f"There is no {found[0]} here; known are {', '.join(f'{{{name}}}' for name in values)}."
            )
        return values[found[1]]

    return PLACEHOLDER.sub(known, word)


def validate_placeholders(words: Sequence[str]) -> None:
    """Refuse placeholders that no run has. Raises `UnknownPlaceholder`."""
    fill_placeholders(words, dict.fromkeys(KNOWN, ""))
