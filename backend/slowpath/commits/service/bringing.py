"""What git tells of commits, as facts: files, and which versions of modules a commit changes."""

from collections.abc import Mapping
from typing import Final

from slowpath.analysis.closure.modfile import MOST_BYTES, ModFile, changed_versions, read_lock, read_mod
from slowpath.commits.rules import MOST_BUMPS, Bump, ChangedFile, CommitFacts, FileStatus
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git import NO_BLOB, GitBlobs, GitChange, GitCommit

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
"""Files of versions that are read of one commit."""


def facts_of(commit: GitCommit, blobs: GitBlobs) -> CommitFacts:
    """Return what is recorded of a commit."""
    return CommitFacts(
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
        bumps=_bumps(commit, blobs),
    )


def _bumps(commit: GitCommit, blobs: GitBlobs) -> list[Bump]:
    found: list[Bump] = []
    told = [one for one in commit.changes if one.path.rpartition("/")[2] in MODULES | LOCKS]
    for change in [one for one in told if "/vendor/" not in f"/{one.path}"][:MOST_READ]:
        before, after = _read(change, change.before, blobs), _read(change, change.after, blobs)
        for module, old, new in changed_versions(before, after):
            found.append(Bump(module, old, new, change.path))
    return found[:MOST_BUMPS]


def _read(change: GitChange, blob_id: str, blobs: GitBlobs) -> ModFile | None:
    if blob_id == NO_BLOB:
        return None
    try:
        text = blobs.blob(blob_id, max_bytes=MOST_BYTES).decode("utf-8", "replace")
    except (NotFound, TooLarge):  # a symbolic link to elsewhere, or nothing that Go would read
        return None
    return read_mod(text) if change.path.rpartition("/")[2] in MODULES else read_lock(text)
