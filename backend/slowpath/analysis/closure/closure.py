"""The package closure of a main package: a digest of everything that its binary is built from.

Equal hashes mean equal binaries, given one toolchain and one set of flags (`go build -trimpath -buildvcs=false`); the
reverse is not promised. Packages of the repository are followed import by import: the module itself, modules that replace
lines or a go.work bring in from other folders, the vendor folder. Which packages other modules import cannot be seen here, so the
versions of all required modules count as soon as anything of them is imported. What cannot be bounded (cgo, assembly that
includes from elsewhere, links) makes the whole repository count.
"""

import hashlib
import posixpath
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.closure.constraints import Target
from slowpath.analysis.closure.modfile import (
    MOST_BYTES,
    ModFile,
    Replace,
    read_mod,
    read_sums,
    read_vendored,
)
from slowpath.analysis.closure.objects import Entry, Objects
from slowpath.analysis.closure.packages import Folders, Memory, PackageFacts

VERSION: Final = "1"
MOST_PACKAGES: Final = 20_000
VENDORS: Final = 14
"""The language version from which a vendor folder is used by itself."""
PRUNED: Final = 17
"""The language version from which go.mod names every module that a build needs."""
WORK_VENDORS: Final = 22


@dataclass(frozen=True)
class Closure:
    """What a binary is built from at one commit."""

    hash: str | None
    """Nothing where it cannot be built: `problem` says why."""
    problem: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    """Import path to folder, of what lies in the repository."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What is hashed, by name: for telling what differs between two."""
    unbounded: tuple[str, ...] = ()
    """Why the whole repository counts."""


@dataclass(frozen=True)
class _Module:
    """A module whose source lies in the repository."""

    path: str
    folder: str
    mod: ModFile


@dataclass(frozen=True)
class _Layout:
    """How imports are resolved at one commit."""

    main: _Module
    local: Mapping[str, _Module]
    """Modules in the repository by path, the main one among them."""
    outside: Mapping[str, str]
    """Modules that a replace line looks for outside the repository."""
    requires: Mapping[str, str]
    replaces: tuple[Replace, ...]
    vendor: str | None
    vendored: Mapping[str, str]
    lines: Mapping[str, str]
    """What counts besides packages."""


class Closures:
    """Closures of one main package over the commits of a repository."""

    def __init__(
        self,
        objects: Objects,
        directory: str,
        main_package: str,
        target: Target | None = None,
        memory: Memory | None = None,
    ) -> None:
        """Read from these objects; `directory` is where the module lies or below it, `main_package` a folder below."""
        self._target = target or Target()
        self._memory = memory or Memory()
        self._folders = Folders(objects, self._memory, self._target)
        self._start = "/".join(part for part in (directory, main_package) if part)
        self._found: dict[str, Closure] = {}

    def at(self, tree_id: str) -> Closure:
        """Return the closure at the tree of a commit. Raises what the objects raise where something cannot be read."""
        found = self._found.get(tree_id)
        if found is None:
            found = self._found[tree_id] = self._read(tree_id)
            self._memory.trim()
        return found

    def _read(self, root: str) -> Closure:
        entry = self._folders.at(root, self._start)
        if entry is None or not entry.is_folder:
            return Closure(None, f"There is no folder {self._start or '.'}.")
        home = self._above(root, self._start, "go.mod")
        if home is None:
            return self._whole(root, "there is no go.mod")
        layout = self._layout(root, home)
        walk = _Walk(self._folders, root, layout)
        start = posixpath.join(layout.main.path, posixpath.relpath(self._start or ".", home or "."))
        walk.follow(posixpath.normpath(start))
        main = walk.facts.get(posixpath.normpath(start))
        if main is None or not main.anything:
            return Closure(None, f"There is no Go file to build in {self._start or '.'}.")
        if walk.lost:
            return Closure(None, walk.lost)
        return self._hashed(root, layout, walk)

    def _hashed(self, root: str, layout: _Layout, walk: "_Walk") -> Closure:
        inputs = {f"package {path}": facts.digest for path, facts in walk.facts.items()}
        inputs |= {f"missing {path}": "" for path in walk.missing}
        inputs |= dict(layout.lines)
        reached = {module.path: module for module in walk.modules.values()}
        inputs |= {f"module {path}": f"{one.folder} {one.mod.go}" for path, one in reached.items()}
        if walk.external:
            inputs |= dict(self._external(root, layout, walk))
        elif len(reached) > 1 or layout.vendor is not None:
            inputs |= {f"replaced {path}": _selected(path, layout) for path in reached if path != layout.main.path}
        inputs |= dict(self._attributes(root, walk))
        if walk.unbounded:
            inputs["whole repository"] = root
        return Closure(_digest(self._target, inputs), None, walk.folders, inputs, tuple(walk.unbounded))

    def _whole(self, root: str, why: str) -> Closure:
        inputs = {"whole repository": root}
        return Closure(_digest(self._target, inputs), None, {}, inputs, (why,))

    def _above(self, root: str, folder: str, name: str) -> str | None:
        """Return the nearest folder at or above one in which a file lies."""
        while True:
            entry = self._folders.at(root, posixpath.join(folder, name))
            if entry is not None and entry.is_file:
                return folder
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _mod(self, root: str, folder: str, name: str = "go.mod") -> ModFile:
        entry = self._folders.at(root, posixpath.join(folder, name))
        return read_mod(self._folders.text(entry, MOST_BYTES)) if entry is not None and entry.is_file else ModFile()

    def _layout(self, root: str, home: str) -> _Layout:
        mod = self._mod(root, home)
        main = _Module(mod.module, home, mod)
        local, outside = {main.path: main}, dict[str, str]()
        lines = {f"go.mod {home}": _steering(mod)}
        requires, replaces = dict(mod.requires), list(mod.replaces)
        told = [(home, replaces)]
        place = self._above(root, home, "go.work")
        work = ModFile() if place is None else self._mod(root, place, "go.work")
        if place is not None:
            lines["go.work"] = _steering(work) + " " + " ".join(work.uses)
            for use in work.uses:
                folder = _joined(place, use)
                if folder is None:
                    continue
                used = self._mod(root, folder)
                local[used.module] = _Module(used.module, folder, used)
                lines[f"go.mod {folder}"] = _steering(used)
                requires |= {name: max(version, requires.get(name, "")) for name, version in used.requires.items()}
                lines[f"requires {folder}"] = _printed(used.requires)
                told.append((folder, list(used.replaces)))
            told.insert(0, (place, list(work.replaces)))
        for folder, some in told:
            for one in some:
                if one.by_version is not None or one.module in local:
                    continue
                by = _joined(folder, one.by)
                if by is None:
                    outside[one.module] = one.by
                else:
                    local[one.module] = _Module(one.module, by, self._mod(root, by))
        vendor, vendored = self._vendor(root, home, mod, place, work)
        return _Layout(
            main, local, outside, requires, tuple(one for _, some in told for one in some), vendor, vendored, lines
        )  # fmt: skip

    def _vendor(
        self, root: str, home: str, mod: ModFile, place: str | None, work: ModFile
    ) -> tuple[str | None, dict[str, str]]:
        base = home if place is None else place
        version, least = (mod.go_minor, VENDORS) if place is None else (work.go_minor, WORK_VENDORS)
        entry = self._folders.at(root, posixpath.join(base, "vendor/modules.txt"))
        if entry is None or not entry.is_file or version < least:
            return None, {}
        return posixpath.join(base, "vendor"), read_vendored(self._folders.text(entry, MOST_BYTES))

    def _external(self, root: str, layout: _Layout, walk: "_Walk") -> Iterator[tuple[str, str]]:
        """Yield what counts of modules from elsewhere."""
        sums_at = [layout.main.folder, self._above(root, layout.main.folder, "go.work")]
        texts = [
            self._folders.at(root, posixpath.join(at, name))
            for at in sums_at
            if at is not None
            for name in ("go.sum", "go.work.sum")
        ]
        files = [entry for entry in texts if entry is not None and entry.is_file]
        if (
            layout.main.mod.go_minor < PRUNED
        ):  # versions come from the modules' own requirements: all that steers the choice counts
            yield from ((f"sums {number}", entry.id) for number, entry in enumerate(files))
            yield "requires", _printed(layout.requires) + str(layout.replaces)
            if layout.vendor is None:
                return
        sums = {
            key: value for entry in files for key, value in read_sums(self._folders.text(entry, MOST_BYTES)).items()
        }
        if layout.vendor is not None:
            for line in sorted({layout.vendored[path] for path in walk.vendored if path in layout.vendored}):
                name, _, version = line.partition(" ")
                yield f"vendored {name}", f"{line} {sums.get((name, version.split(' ')[0]), '')}"
            return
        for name in sorted(layout.requires):
            selected = _selected(name, layout)
            by, _, version = selected.rpartition(" ")
            yield f"requires {name}", f"{selected} {sums.get((by or name, version), '')}"

    def _attributes(self, root: str, walk: "_Walk") -> Iterator[tuple[str, str]]:
        """Yield the files that say how git writes files out: ends of lines, filters."""
        folders = {""}
        for folder in walk.folders.values():
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)  # noqa: PLW2901 - up to the root
        for folder in sorted(folders):
            entry = self._folders.at(root, posixpath.join(folder, ".gitattributes"))
            if entry is not None and entry.is_file:
                yield f"attributes {folder}", entry.id


class _Walk:
    """Follows imports from the main package."""

    def __init__(self, folders: Folders, root: str, layout: _Layout) -> None:
        self._trees, self._root, self._layout = folders, root, layout
        self._modules = sorted(layout.local.values(), key=lambda one: len(one.path), reverse=True)
        self._prefixes = frozenset(layout.requires) | {one.module for one in layout.replaces}
        self.facts: dict[str, PackageFacts] = {}
        self.folders: dict[str, str] = {}
        self.modules: dict[str, _Module] = {}
        self.missing: set[str] = set()
        self.vendored: set[str] = set()
        self.unbounded: list[str] = []
        self.external = False
        self.lost: str | None = None

    def follow(self, start: str) -> None:
        """Visit a package and all that it imports."""
        todo, seen = [start], {"C", "unsafe"}
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            seen.add(path)
            facts = self._visit(path)
            if facts is not None:
                todo.extend(facts.imports)
            if len(self.facts) > MOST_PACKAGES:
                self.lost = f"It is built from more than {MOST_PACKAGES} packages."
                return

    def _visit(self, path: str) -> PackageFacts | None:
        module = next((one for one in self._modules if _within(path, one.path)), None)
        if self._layout.vendor is not None and (module is None or self._is_vendored(path, module)):
            return self._visit_vendored(path)
        if module is not None:
            folder = posixpath.normpath(posixpath.join(module.folder, path[len(module.path) :].lstrip("/")))
            folder = "" if folder == "." else folder
            nested = self._is_nested(module.folder, folder)
            found = None if nested else self._package(path, folder, module.mod.go_minor)
            if found is not None:
                self.modules[module.path] = module
                return found
            self.external = True  # a module from elsewhere may lie below this one's path
            self.missing.add(path)
            return None
        if _among(path, self._layout.outside):
            self.lost = f"{path} is looked for outside the repository by a replace line."
        elif _among(path, self._prefixes):
            self.external = True
        elif "." in path.split("/", 1)[0]:
            self.external = True
            self.missing.add(path)
        return None

    def _is_nested(self, home: str, folder: str) -> bool:
        """Tell whether another module begins between the folder of a module and one below it."""
        while folder != home:
            entry = self._trees.at(self._root, posixpath.join(folder, "go.mod"))
            if entry is not None and entry.is_file:
                return True
            folder = posixpath.dirname(folder)
        return False

    def _is_vendored(self, path: str, module: _Module) -> bool:
        """Tell whether the vendor folder stands for a module of the repository: for all but those that are built as main."""
        return path in self._layout.vendored and module.path != self._layout.main.path

    def _visit_vendored(self, path: str) -> PackageFacts | None:
        if path not in self._layout.vendored:
            if "." in path.split("/", 1)[0]:
                self.missing.add(path)
            return None
        assert self._layout.vendor is not None
        self.external = True
        self.vendored.add(path)
        found = self._package(path, posixpath.join(self._layout.vendor, path), VENDORED)
        if found is None:
            self.missing.add(path)
        return found

    def _package(self, path: str, folder: str, go_minor: int) -> PackageFacts | None:
        entry = self._trees.at(self._root, folder)
        if entry is not None and not entry.is_folder and entry.mode in {"120000", "160000"}:
            self.unbounded.append(f"{folder} lies behind a link or in another repository")
            self.facts[path] = found = PackageFacts(entry.id, (), anything=True)
            return found
        if entry is None or not entry.is_folder:
            return None
        found = self._trees.package(entry.id, go_minor)
        if not found.anything and path not in self.facts and not found.imports:
            return None if not self._is_start(path) else self._keep(path, folder, found)
        return self._keep(path, folder, found)

    def _is_start(self, path: str) -> bool:
        return not self.facts and bool(path)

    def _keep(self, path: str, folder: str, found: PackageFacts) -> PackageFacts:
        self.facts[path] = found
        self.folders[path] = folder
        if found.unbounded:
            self.unbounded.append(f"{folder or '.'}: {found.unbounded}")
        return found


VENDORED: Final = 18
"""The language version for which constraints of vendored files are read: that of their own go.mod is not there."""


def changed_inputs(before: Closure, after: Closure) -> list[str]:
    """Return the names of what differs between two closures."""
    names = before.inputs.keys() | after.inputs.keys()
    return sorted(name for name in names if before.inputs.get(name) != after.inputs.get(name))


def _digest(target: Target, inputs: Mapping[str, str]) -> str:
    lines = [f"{VERSION} {target.goos}/{target.goarch} {sorted(target.tags)} {target.cgo}"]
    lines += [f"{name}\0{inputs[name]}" for name in sorted(inputs)]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _steering(mod: ModFile) -> str:
    """Return what of a go.mod or go.work steers the compiler or the choice of versions."""
    return f"{mod.module} go={mod.go} toolchain={mod.toolchain} {list(mod.others)}"


def _selected(name: str, layout: _Layout) -> str:
    """Return what stands for a required module: its version, or `path version` or `folder` of what replaces it."""
    version = layout.requires.get(name, "")
    for one in layout.replaces:
        if one.module == name and one.version in {None, version}:
            return f"{one.by} {one.by_version}" if one.by_version else f"{version} => {one.by}"
    return version


def _printed(requires: Mapping[str, str]) -> str:
    return " ".join(f"{name}@{requires[name]}" for name in sorted(requires))


def _among(path: str, modules: Container[str]) -> bool:
    """Tell whether a package lies in one of these modules."""
    while path:
        if path in modules:
            return True
        path = path.rpartition("/")[0]
    return False


def _within(path: str, module: str) -> bool:
    return bool(module) and (path == module or path.startswith(module + "/"))


def _joined(folder: str, relative: str) -> str | None:
    """Return the folder that a relative one leads to; nothing outside the repository."""
    if relative.startswith("/") or "\\" in relative:
        return None
    joined = posixpath.normpath(posixpath.join(folder, relative))
    if joined == ".." or joined.startswith("../"):
        return None
    return "" if joined == "." else joined


__all__ = ["Closure", "Closures", "Entry", "Objects", "changed_inputs"]
