"""What was read of a repository as JSON, so that the next run begins where this one ended.

Kept by ids of blobs and trees, it never becomes wrong; what an older version kept is not read.
"""

import json
from dataclasses import asdict
from typing import Final

from slowpath.analysis.closure.constraints import Target
from slowpath.analysis.closure.packages import Memory, PackageFacts
from slowpath.analysis.closure.source import SourceFacts

FORMAT: Final = "slowpath.closure-memory/1"


def remembered(content: bytes) -> Memory:
    """Return what was kept; an empty memory where it cannot be read."""
    try:
        told = json.loads(content)
        if told["format"] != FORMAT:
            return Memory()
        sources = {
            one: SourceFacts(tuple(imports), build, tuple(plus), tuple(embeds), unread)
            for one, (imports, build, plus, embeds, unread) in told["sources"].items()
        }
        packages = {
            (tree, _target(target), new): PackageFacts(digest, tuple(imports), anything, unbounded)
            for tree, target, new, digest, imports, anything, unbounded in told["packages"]
        }
        return Memory(sources, dict(told["includes"]), packages)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Memory()


def to_remember(memory: Memory) -> bytes:
    """Return a memory as it is kept. Trees are left out: they are quick to read and many."""
    told = {
        "format": FORMAT,
        "sources": {one: list(asdict(facts).values()) for one, facts in memory.sources.items()},
        "includes": dict(memory.includes),
        "packages": [
            [tree, [target.goos, target.goarch, sorted(target.tags), target.cgo], new, *asdict(facts).values()]
            for (tree, target, new), facts in memory.packages.items()
        ],
    }
    return json.dumps(told).encode("utf-8", "backslashreplace")


def _target(told: list[object]) -> Target:
    goos, goarch, tags, cgo = told
    assert isinstance(tags, list)
    return Target(str(goos), str(goarch), frozenset(map(str, tags)), None if cgo is None else bool(cgo))
