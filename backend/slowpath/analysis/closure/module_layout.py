"""Resolve imports at one commit: go.mod, go.work, replace directives, the vendor folder."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.closure.go_module_files import (
    MOST_BYTES,
    GoModFile,
    ReplaceDirective,
    parse_go_mod,
    read_vendored,
)
from slowpath.analysis.closure.go_packages import PackageReader

VENDORS: Final = 14
"""The language version from which a vendor folder is used by default."""
WORK_VENDORS: Final = 22


@dataclass(frozen=True)
class LocalModule:
    """A module whose source is in the repository."""

    path: str
    folder: str
    mod: GoModFile


@dataclass(frozen=True)
class ModuleLayout:
    """The resolution of imports at one commit."""

    main: LocalModule
    local: Mapping[str, LocalModule]
    """Modules in the repository by path, including the main one."""
    outside: Mapping[str, str]
    """Modules that a replace directive resolves outside the repository."""
    requires: Mapping[str, str]
    replaces: tuple[ReplaceDirective, ...]
    vendor: str | None
    vendored: Mapping[str, str]
    lines: Mapping[str, str]
    """Inputs besides packages."""


class ModuleLayoutReader:
    """Reads layouts of a repository."""

    def __init__(self, folders: PackageReader) -> None:
        """Read from these folders."""
        self._folders = folders

    def above(self, root: str, folder: str, name: str) -> str | None:
        """Return the nearest folder at or above one that contains a file."""
        while True:
            entry = self._folders.at(root, posixpath.join(folder, name))
            if entry is not None and entry.is_file:
                return folder
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _mod(self, root: str, folder: str, name: str = "go.mod") -> GoModFile:
        entry = self._folders.at(root, posixpath.join(folder, name))
        return (
            parse_go_mod(self._folders.text(entry, MOST_BYTES)) if entry is not None and entry.is_file else GoModFile()
        )

    def layout(self, root: str, home: str) -> ModuleLayout:
        """Return the resolution of imports for the module in a folder of a commit's tree."""
        mod = self._mod(root, home)
        main = LocalModule(mod.module, home, mod)
        local, outside = {main.path: main}, dict[str, str]()
        lines = {f"go.mod {home}": build_settings(mod)}
        requires, replaces = dict(mod.requires), list(mod.replaces)
        replace_sets = [(home, replaces)]
        place = self.above(root, home, "go.work")
        work = GoModFile() if place is None else self._mod(root, place, "go.work")
        if place is not None:
            lines["go.work"] = build_settings(work) + " " + " ".join(work.uses)
            for use in work.uses:
                folder = _join(place, use)
                if folder is None:
                    continue
                used = self._mod(root, folder)
                local[used.module] = LocalModule(used.module, folder, used)
                lines[f"go.mod {folder}"] = build_settings(used)
                requires |= {name: max(version, requires.get(name, "")) for name, version in used.requires.items()}
                lines[f"requires {folder}"] = printed(used.requires)
                replace_sets.append((folder, list(used.replaces)))
            replace_sets.insert(0, (place, list(work.replaces)))
        for folder, some in replace_sets:
            for one in some:
                if one.by_version is not None or one.module in local:
                    continue
                by = _join(folder, one.by)
                if by is None:
                    outside[one.module] = one.by
                else:
                    local[one.module] = LocalModule(one.module, by, self._mod(root, by))
        vendor, vendored = self._vendor(root, home, mod, place, work)
        return ModuleLayout(
            main, local, outside, requires, tuple(one for _, some in replace_sets for one in some), vendor, vendored, lines
        )  # fmt: skip

    def _vendor(
        self, root: str, home: str, mod: GoModFile, place: str | None, work: GoModFile
    ) -> tuple[str | None, dict[str, str]]:
        base = home if place is None else place
        version, least = (mod.go_minor, VENDORS) if place is None else (work.go_minor, WORK_VENDORS)
        entry = self._folders.at(root, posixpath.join(base, "vendor/modules.txt"))
        if entry is None or not entry.is_file or version < least:
            return None, {}
        return posixpath.join(base, "vendor"), read_vendored(self._folders.text(entry, MOST_BYTES))


def build_settings(mod: GoModFile) -> str:
    """Return the lines of a go.mod or go.work that affect the compiler or the choice of versions."""
    return f"{mod.module} go={mod.go} toolchain={mod.toolchain} {list(mod.others)}"


def selected(name: str, layout: ModuleLayout) -> str:
    """Return the selected version of a required module, or `path version` or `folder` of its replacement."""
    version = layout.requires.get(name, "")
    for one in layout.replaces:
        if one.module == name and one.version in {None, version}:
            return f"{one.by} {one.by_version}" if one.by_version else f"{version} => {one.by}"
    return version


def printed(requires: Mapping[str, str]) -> str:
    """Return versions in one line."""
    return " ".join(f"{name}@{requires[name]}" for name in sorted(requires))


def _join(folder: str, relative: str) -> str | None:
    """Return the folder at a relative path; None if it is outside the repository."""
    if relative.startswith("/") or "\\" in relative:
        return None
    path = posixpath.normpath(posixpath.join(folder, relative))
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path
