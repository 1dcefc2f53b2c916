"""Read go.mod, go.work and lock files of a commit: versions of modules, their folders, and the Go version."""

import posixpath
from collections.abc import Callable
from typing import Final

from slowpath.analysis.closure.go_module_files import MOST_BYTES, GoModFile, parse_go_mod, read_lock
from slowpath.analysis.closure.go_packages import PackageReader
from slowpath.analysis.closure.module_layout import ModuleLayoutReader
from slowpath.core.errors import SlowpathError
from slowpath.verdicts.bisects.rules.go_releases import GoSelection, parse_release

Digest = Callable[[str], str | None]
LOCKS: Final = ("glide.lock", "Gopkg.lock", "glide.yaml")


def read_module_file(folders: PackageReader, root: str, directory: str) -> GoModFile:
    """Return the go.mod in a folder of a tree, or what its lock file requires; empty without both."""
    for name, read in (("go.mod", parse_go_mod), *((lock, read_lock) for lock in LOCKS)):
        entry = folders.at(root, posixpath.join(directory, name))
        if entry is not None and entry.is_file:
            return read(folders.text(entry, MOST_BYTES))
    return GoModFile()


def find_module_folder(folders: PackageReader, root: str, module: str) -> str:
    """Return the folder of a module in a tree: the root, or one named by the end of its path."""
    parts = module.split("/")
    for at in range(len(parts), 0, -1):
        entry = folders.at(root, "/".join([*parts[at:], "go.mod"]))
        if entry is not None and entry.is_file and parse_go_mod(folders.text(entry, MOST_BYTES)).module == module:
            return "/".join(parts[at:])
    return ""


def read_go_selection(folders: PackageReader, root: str, directory: str) -> GoSelection | None:
    """Return the Go version that go.mod in a folder of a tree selects, or go.work at or above it.

    None without a `go` line, and for pre-releases.
    """
    layouts = ModuleLayoutReader(folders)
    places = [(layouts.above(root, directory, name), name) for name in ("go.mod", "go.work")]
    entries = [folders.at(root, posixpath.join(place, name)) for place, name in places if place is not None]
    lines, toolchains = [], []
    for entry in entries:
        if entry is None or not entry.is_file:
            continue
        mod = parse_go_mod(folders.text(entry, MOST_BYTES))
        lines += [mod.go] if mod.go else []
        toolchains += [mod.toolchain] if mod.toolchain and mod.toolchain != "default" else []
    found, named = ([parse_release(one) for one in texts] for texts in (lines, toolchains))
    releases = [one for one in found if one is not None]
    selected = [one for one in named if one is not None]
    if not releases or len(releases) < len(found) or len(selected) < len(named):
        return None
    return GoSelection(max([*releases, *selected]), max(releases))


def none_if_unreadable(digest: Digest) -> Digest:
    """Wrap a digest to return None if a tree cannot be read."""

    def read(sha: str) -> str | None:
        try:
            return digest(sha)
        except SlowpathError:
            return None

    return read


def plain_version(version: str | None) -> str | None:
    """Return the version of `=> path version`."""
    return version.rsplit(" ", 1)[-1] if version is not None and version.startswith("=> ") else version
