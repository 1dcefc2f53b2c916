"""Which commit a module's version means: a tag, a pseudo-version, a revision."""

import re
from dataclasses import dataclass
from typing import Final

PSEUDO: Final = re.compile(r"-(?:0\.)?\d{14}-([0-9a-f]{12})(?:\+incompatible)?$")
SHORT: Final = re.compile(r"[0-9a-f]{4,40}")


@dataclass(frozen=True)
class VersionQuery:
    """What to look for: the first of the tags that there is, else a commit whose id begins so."""

    tags: tuple[str, ...]
    revision: str | None


def resolve_version(version: str, module: str) -> VersionQuery:
    """Return what a version of a module may be called in its repository."""
    pseudo = PSEUDO.search(version)
    if pseudo is not None:
        return VersionQuery((), pseudo[1])
    bare = version.removesuffix("+incompatible")
    parts = module.split("/")
    tags = [  # a module below the root is tagged with its folder before the version
        "/".join([*words, bare]) for at in range(len(parts), 0, -1) for words in (parts[at:], parts[at:-1])
    ]
    return VersionQuery(tuple(dict.fromkeys(tags)), bare if SHORT.fullmatch(bare) else None)
