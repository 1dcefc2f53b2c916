"""Read files of repositories from their mirrors by commit. Paths only select entries of git trees, never files of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git_ports import GitMirrorHistory, GitMirrors, GitObjectReader
from slowpath.core.ids import RepositoryId
from slowpath.inventory.catalog.rules.go_mod import read_go_mod
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.rules.source_paths import is_safe_path, module_root, serves_module
from slowpath.inventory.repositories.tables import Repository

MOST_FILE_BYTES: Final = 1 << 20
MOST_SEGMENTS: Final = 64


def find_module_repository(session: ReadSession, module: str) -> Repository | None:
    """Return the configured repository that serves a module, by its URL: the one with the longest path."""
    rows = [row for row in queries.select_all_repositories(session) if row.url and serves_module(row.url, module)]
    return max(rows, key=lambda row: len(module_root(row.url or "") or ""), default=None)


def open_history(mirrors: GitMirrors, row: Repository) -> GitMirrorHistory:
    """Return the commit graph of a repository's mirror on this machine, without fetching."""
    return mirrors.get_history(row.team_id, RepositoryId(row.id), row.label, _no_check, _no_check)


@contextmanager
def open_commit(mirrors: GitMirrors, row: Repository, sha: str) -> Iterator[GitObjectReader | None]:
    """Open the objects of a mirror; None if this machine has no mirror with the commit."""
    mirror = mirrors.get_mirror(row.team_id, RepositoryId(row.id))
    if not mirror.has(sha):
        yield None
        return
    with mirror.objects() as objects:
        yield objects


def read_file(objects: GitObjectReader, sha: str, path: str, *, max_bytes: int = MOST_FILE_BYTES) -> str | None:
    """Return the text of a file at a commit; None if there is no plain file, or it is binary.

    Symbolic links and submodules are not followed. Raises `TooLarge`.
    """
    segments = path.split("/")
    if not is_safe_path(path) or path.startswith("/") or len(segments) > MOST_SEGMENTS:
        return None
    try:
        tree = objects.root(sha)
        for segment in segments[:-1]:
            folder = next((one for one in objects.tree(tree) if one.name == segment and one.is_folder), None)
            if folder is None:
                return None
            tree = folder.id
        file = next((one for one in objects.tree(tree) if one.name == segments[-1] and one.is_file), None)
        content = None if file is None else objects.blob(file.id, max_bytes=max_bytes)
    except NotFound:
        return None
    return None if content is None or b"\x00" in content else content.decode("utf-8", "replace")


def read_module_path(objects: GitObjectReader, sha: str, directory: str) -> str | None:
    """Return the module path of the go.mod in a directory at a commit; None if there is none."""
    try:
        text = read_file(objects, sha, f"{directory}/go.mod".lstrip("/"))
    except TooLarge:
        return None
    return None if text is None else read_go_mod(text).module


def _no_check() -> None:
    """Do nothing: the requests of one file are short, and the web server does not fetch."""
