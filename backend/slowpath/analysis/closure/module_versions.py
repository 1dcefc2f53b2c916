"""Resolve a module's version to a commit: a tag, a pseudo-version, a revision."""

import re
from dataclasses import dataclass
from typing import Final

PSEUDO: Final = re.compile(r"-(?:0\.)?\d{14}-([0-9a-f]{12})(?:\+incompatible)?$")
SHORT: Final = re.compile(r"[0-9a-f]{4,40}")


@dataclass(frozen=True)
class VersionQuery:
    """What to search: the first existing tag, else a commit whose id has this prefix."""

    tags: tuple[str, ...]
    revision: str | None


def resolve_version(version: str, module: str) -> VersionQuery:
    """Return the possible names of a module's version in its repository."""
    pseudo = PSEUDO.search(version)
    if pseudo is not None:
        return VersionQuery((), pseudo[1])
    bare = version.removesuffix("+incompatible")
    parts = module.split("/")
    tags = [  # a module below the root is tagged with its folder before the version
        "/".join([*words, bare]) for at in range(len(parts), 0, -1) for words in (parts[at:], parts[at:-1])
    ]
    return VersionQuery(tuple(dict.fromkeys(tags)), bare if SHORT.fullmatch(bare) else None)
