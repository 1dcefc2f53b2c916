"""Parse the dependencies of a go.mod: module path to version, with replacements applied.

Reads only the relevant directives; an unknown line is ignored.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MOST_DEPENDENCIES: Final = 5000
LONGEST: Final = 200
_COMMENT = re.compile(r"(^|\s)//.*$")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|=>|[^\s()"`]+')


@dataclass(frozen=True)
class GoMod:
    """The parsed file. `go_version` is the required version, not that of the build."""

    module: str | None
    go_version: str | None
    dependencies: dict[str, str]


def read_go_mod(text: str) -> GoMod:
    """Return the parsed go.mod; of more than 5,000 dependencies only the first."""
    required: dict[str, str] = {}
    replaced: dict[tuple[str, str | None], str] = {}
    module = go_version = None
    for verb, words in _statements(text):
        if verb == "module" and len(words) == 1:
            module = words[0]
        elif verb == "go" and len(words) == 1:
            go_version = words[0]
        elif verb == "require" and len(words) == 2 and len(required) < MOST_DEPENDENCIES:
            required[words[0]] = words[1]
        elif verb == "replace" and "=>" in words:
            at = words.index("=>")
            old, new = words[:at], words[at + 1 :]
            if old and new:
                replaced[old[0], old[1] if len(old) > 1 else None] = " ".join(new[:2])
    return GoMod(module, go_version, {path: _taken(path, version, replaced) for path, version in required.items()})


def _taken(path: str, version: str, replaced: dict[tuple[str, str | None], str]) -> str:
    instead = replaced.get((path, version)) or replaced.get((path, None))
    return f"{version} => {instead}"[:LONGEST] if instead else version


def _statements(text: str) -> Iterator[tuple[str, list[str]]]:
    block: str | None = None
    for line in text.splitlines():
        plain = _COMMENT.sub("", line).strip()
        words = [_plain(word) for word in _WORD.findall(plain)]
        if any(len(word) > LONGEST for word in words):
            continue
        if block is None:
            if plain.endswith("(") and len(words) == 1:
                block = words[0]
            elif len(words) > 1:
                yield words[0], words[1:]
        elif plain == ")":
            block = None
        elif words:
            yield block, words


def _plain(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] in '"`' and word[-1] == word[0] else word
