"""What was read of a repository as JSON, so that the next run begins where this one ended.

Kept by ids of blobs and trees, it never becomes wrong; what an older version kept is not read.
"""

import json
from dataclasses import asdict
from typing import Final

from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.go_file_header import GoFileHeader
from slowpath.analysis.closure.go_packages import PackageCache, PackageFacts

FORMAT: Final = "slowpath.closure-memory/1"


def load_cache(content: bytes) -> PackageCache:
    """Return what was kept; an empty memory where it cannot be read."""
    try:
        told = json.loads(content)
        if told["format"] != FORMAT:
            return PackageCache()
        sources = {
            one: GoFileHeader(tuple(imports), build, tuple(plus), tuple(embeds), unread)
            for one, (imports, build, plus, embeds, unread) in told["sources"].items()
        }
        packages = {
            (tree, _target(target), new): PackageFacts(digest, tuple(imports), anything, unbounded)
            for tree, target, new, digest, imports, anything, unbounded in told["packages"]
        }
        return PackageCache(sources, dict(told["includes"]), packages)
    except (ValueError, KeyError, TypeError, AttributeError):
        return PackageCache()


def dump_cache(memory: PackageCache) -> bytes:
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


def _target(told: list[object]) -> BuildTarget:
    goos, goarch, tags, cgo = told
    assert isinstance(tags, list)
    return BuildTarget(str(goos), str(goarch), frozenset(map(str, tags)), None if cgo is None else bool(cgo))
