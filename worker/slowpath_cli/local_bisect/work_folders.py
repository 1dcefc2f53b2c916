"""The folders of searches in the user's cache: locked while in use, bounded in number, and removed on request."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from slowpath_cli.local_bisect.local_repositories import InvalidRepository

MAX_SEARCHES: Final = 10
"""Searches in the cache; the ones used longest ago are removed when another one begins."""


def cache_folder() -> Path:
    """Return the folder of all searches without `--work-dir`."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "slowpath" / "bisect"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder: two searches in it would overwrite each other's work trees. Raises `InvalidRepository`."""
    with (folder / "lock").open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.seek(0)
            raise InvalidRepository(
                f"This search is already running (process {lock.read(20).strip() or 'unknown'}, in {folder}). "
                "Wait for it, or choose another folder with --work-dir."
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def remove_searches(folder: Path, keep: int) -> tuple[int, int]:
    """Remove all but the newest searches of a folder that do not run; return how many, and their bytes."""
    searches = sorted(
        (one for one in folder.glob("*") if (one / "lock").is_file()),
        key=lambda one: (one / "lock").stat().st_mtime,
        reverse=True,
    )
    removed, size = 0, 0
    for one in searches[keep:]:
        try:
            with locked(one):
                size += _size(one)
                shutil.rmtree(one)
        except InvalidRepository:
            continue  # it runs
        removed += 1
    return removed, size


def _size(folder: Path) -> int:
    return sum(one.lstat().st_size for one in folder.rglob("*") if not one.is_dir())
