"""Extract metadata of commits with git: files and dependency updates."""

from collections.abc import Mapping
from typing import Final

from slowpath.analysis.closure.go_module_files import MOST_BYTES, GoModFile, changed_versions, parse_go_mod, read_lock
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git_ports import NO_BLOB, GitBlobReader, GitCommit, GitFileChange
from slowpath.inventory.repositories.rules import MOST_BUMPS, ChangedFile, CommitMetadata, DependencyUpdate, FileStatus

STATUSES: Final[Mapping[str, FileStatus]] = {
    "A": "added",
    "M": "modified",
    "D": "removed",
    "R": "renamed",
    "C": "added",
}
MODULES: Final = frozenset({"go.mod", "go.work"})
LOCKS: Final = frozenset({"glide.lock", "Gopkg.lock"})
MOST_READ: Final = 40
"""go.mod files that are read per commit."""


def extract_commit_metadata(commit: GitCommit, blobs: GitBlobReader) -> CommitMetadata:
    """Return the metadata of a commit."""
    return CommitMetadata(
        sha=commit.sha,
        parents=commit.parents,
        author_name=commit.author_name,
        author_email=commit.author_email,
        authored_at=commit.authored_at,
        committed_at=commit.committed_at,
        title=commit.title,
        message=commit.message,
        files=[
            ChangedFile(one.path, one.added, one.removed, STATUSES.get(one.status, "other")) for one in commit.changes
        ],
        dependency_updates=_bumps(commit, blobs),
    )


def _bumps(commit: GitCommit, blobs: GitBlobReader) -> list[DependencyUpdate]:
    found: list[DependencyUpdate] = []
    module_files = [one for one in commit.changes if one.path.rpartition("/")[2] in MODULES | LOCKS]
    for change in [one for one in module_files if "/vendor/" not in f"/{one.path}"][:MOST_READ]:
        before, after = _read(change, change.before, blobs), _read(change, change.after, blobs)
        for module, old, new in changed_versions(before, after):
            found.append(DependencyUpdate(module, old, new, change.path))
    return found[:MOST_BUMPS]


def _read(change: GitFileChange, blob_id: str, blobs: GitBlobReader) -> GoModFile | None:
    if blob_id == NO_BLOB:
        return None
    try:
        text = blobs.blob(blob_id, max_bytes=MOST_BYTES).decode("utf-8", "replace")
    except (NotFound, TooLarge):  # a symbolic link to elsewhere, or a file that Go would not read
        return None
    return parse_go_mod(text) if change.path.rpartition("/")[2] in MODULES else read_lock(text)
