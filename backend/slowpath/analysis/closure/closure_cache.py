"""Store parsed parts of a repository as JSON, so that the next run continues from them.

They are stored by ids of blobs and trees and never become wrong. The cache of an older version is ignored.
"""

import json
from dataclasses import asdict
from typing import Final

from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.go_file_header import GoFileHeader
from slowpath.analysis.closure.go_packages import PackageCache, PackageFacts

FORMAT: Final = "slowpath.closure-memory/3"


def load_cache(content: bytes) -> PackageCache:
    """Return the stored cache; an empty one if it cannot be read."""
    try:
        stored = json.loads(content)
        if stored["format"] != FORMAT:
            return PackageCache()
        sources = {
            one: GoFileHeader(tuple(imports), build, tuple(plus), tuple(embeds), unread, package)
            for one, (imports, build, plus, embeds, unread, package) in stored["sources"].items()
        }
        packages = {
            (tree, _target(target), new, tests): PackageFacts(digest, tuple(imports), anything, unbounded, name)
            for tree, target, new, tests, digest, imports, anything, unbounded, name in stored["packages"]
        }
        return PackageCache(sources, dict(stored["includes"]), packages)
    except (ValueError, KeyError, TypeError, AttributeError):
        return PackageCache()


def dump_cache(memory: PackageCache) -> bytes:
    """Serialize a cache. Trees are omitted: they are fast to read, and many."""
    stored = {
        "format": FORMAT,
        "sources": {one: list(asdict(facts).values()) for one, facts in memory.sources.items()},
        "includes": dict(memory.includes),
        "packages": [
            [tree, [target.goos, target.goarch, sorted(target.tags), target.cgo], new, tests, *asdict(facts).values()]
            for (tree, target, new, tests), facts in memory.packages.items()
        ],
    }
    return json.dumps(stored).encode("utf-8", "backslashreplace")


def _target(fields: list[object]) -> BuildTarget:
    goos, goarch, tags, cgo = fields
    assert isinstance(tags, list)
    return BuildTarget(str(goos), str(goarch), frozenset(map(str, tags)), None if cgo is None else bool(cgo))
