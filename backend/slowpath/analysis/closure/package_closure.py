"""The package closure of a main package: a digest of everything that its binary is built from.

Equal hashes mean equal binaries, given one toolchain and one set of flags (`go build -trimpath -buildvcs=false`); the reverse
is not guaranteed. Packages of the repository are followed import by import: the module itself, modules that replace
directives or a go.work include from other folders, the vendor folder. The packages that other modules import are unknown
here, so the versions of all required modules count as soon as any of them is imported. Inputs that cannot be bounded (C and
assembly with includes from other folders, links, submodules) make the complete repository count.
"""

import hashlib
import posixpath
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.closure_delta import ClosureBaseline, basis_of, changed_packages
from slowpath.analysis.closure.git_objects import GitObjectStore, TreeEntry
from slowpath.analysis.closure.go_module_files import MOST_BYTES, parse_go_sum
from slowpath.analysis.closure.go_packages import PackageCache, PackageReader
from slowpath.analysis.closure.import_walk import ImportWalk
from slowpath.analysis.closure.module_layout import ModuleLayout, ModuleLayoutReader, printed, selected

VERSION: Final = "1"
PRUNED: Final = 17
"""The language version from which go.mod names every module that a build needs."""
MAX_CACHED: Final = 32
"""Maximum number of cached closures."""


@dataclass(frozen=True)
class PackageClosure:
    """The inputs of a binary at one commit."""

    hash: str | None
    """None if it cannot be built: `problem` is the reason."""
    problem: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    """Import path to folder, of packages in the repository."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The hashed inputs, by name: to find the difference of two closures."""
    unbounded: tuple[str, ...] = ()
    """Why the whole repository counts."""


class PackageClosureReader:
    """Closures of one main package over the commits of a repository."""

    def __init__(
        self,
        objects: GitObjectStore,
        directory: str,
        main_package: str,
        target: BuildTarget | None = None,
        memory: PackageCache | None = None,
    ) -> None:
        """Read from these objects; `directory` is the module's or below it, `main_package` a folder below."""
        self._target = target or BuildTarget()
        self._memory = memory or PackageCache()
        self._folders = PackageReader(objects, self._memory, self._target)
        self._start = "/".join(part for part in (directory, main_package) if part)
        self._layouts = ModuleLayoutReader(self._folders)
        self._found: OrderedDict[str, PackageClosure] = OrderedDict()
        self._basis: tuple[ClosureBaseline, PackageClosure] | None = None

    def at(self, tree_id: str) -> PackageClosure:
        """Return the closure at the tree of a commit. Errors of the object store are raised."""
        found = self._found.get(tree_id)
        if found is None:
            found = self._found[tree_id] = self._since(tree_id) or self._read(tree_id)
            self._memory.trim()
            if len(self._found) > MAX_CACHED:
                self._found.popitem(last=False)
        return found

    def _since(self, root: str) -> PackageClosure | None:
        """Return the closure derived from the last one, if they differ by the content of packages only."""
        if self._basis is None:
            return None
        basis, closure = self._basis
        changed = changed_packages(self._folders, basis, root)
        if changed is None:
            return None
        if changed:
            inputs = {**closure.inputs, **{f"package {path}": facts.digest for path, facts in changed.items()}}
            closure = replace(closure, hash=_digest(self._target, inputs), inputs=inputs)
        self._basis = replace(basis, root=root, facts={**basis.facts, **changed} if changed else basis.facts), closure
        return closure

    def _read(self, root: str) -> PackageClosure:
        self._basis = None
        self._folders.asked.clear()
        entry = self._folders.at(root, self._start)
        if entry is None or not entry.is_folder:
            return PackageClosure(None, f"The folder {self._start or '.'} does not exist.")
        home = self._layouts.above(root, self._start, "go.mod")
        if home is None:
            return self._of_repository(root, "there is no go.mod")
        layout = self._layouts.layout(root, home)
        walk = ImportWalk(self._folders, root, layout)
        start = posixpath.join(layout.main.path, posixpath.relpath(self._start or ".", home or "."))
        walk.follow(posixpath.normpath(start))
        main = walk.facts.get(posixpath.normpath(start))
        if main is None or not main.anything:
            return PackageClosure(None, f"{self._start or '.'} has no Go file to build.")
        if walk.problem:
            return PackageClosure(None, walk.problem)
        closure = self._hash_inputs(root, layout, walk)
        if not closure.unbounded:
            self._basis = basis_of(root, self._folders.asked, walk), closure
        return closure

    def _hash_inputs(self, root: str, layout: ModuleLayout, walk: ImportWalk) -> PackageClosure:
        inputs = {f"package {path}": facts.digest for path, facts in walk.facts.items()}
        inputs |= {f"missing {path}": "" for path in walk.missing}
        inputs |= dict(layout.lines)
        reached = {module.path: module for module in walk.modules.values()}
        inputs |= {f"module {path}": f"{one.folder} {one.mod.go}" for path, one in reached.items()}
        if walk.external:
            inputs |= dict(self._external(root, layout, walk))
        elif len(reached) > 1 or layout.vendor is not None:
            inputs |= {f"replaced {path}": selected(path, layout) for path in reached if path != layout.main.path}
        inputs |= dict(self._attributes(root, walk))
        if walk.unbounded:
            inputs["whole repository"] = root
        return PackageClosure(_digest(self._target, inputs), None, walk.folders, inputs, tuple(walk.unbounded))

    def _of_repository(self, root: str, why: str) -> PackageClosure:
        inputs = {"whole repository": root}
        return PackageClosure(_digest(self._target, inputs), None, {}, inputs, (why,))

    def _external(self, root: str, layout: ModuleLayout, walk: ImportWalk) -> Iterator[tuple[str, str]]:
        """Yield the inputs from external modules."""
        sums_at = [layout.main.folder, self._layouts.above(root, layout.main.folder, "go.work")]
        texts = [
            self._folders.at(root, posixpath.join(at, name))
            for at in sums_at
            if at is not None
            for name in ("go.sum", "go.work.sum")
        ]
        files = [entry for entry in texts if entry is not None and entry.is_file]
        if (
            layout.main.mod.go_minor < PRUNED
        ):  # versions come from the modules' own requirements: everything that affects the choice counts
            yield from ((f"sums {number}", entry.id) for number, entry in enumerate(files))
            yield "requires", printed(layout.requires) + str(layout.replaces)
            if layout.vendor is None:
                return
        sums = {
            key: value for entry in files for key, value in parse_go_sum(self._folders.text(entry, MOST_BYTES)).items()
        }
        if layout.vendor is not None:
            for line in sorted({layout.vendored[path] for path in walk.vendored if path in layout.vendored}):
                name, _, version = line.partition(" ")
                yield f"vendored {name}", f"{line} {sums.get((name, version.split(' ')[0]), '')}"
            return
        for name in sorted(layout.requires):
            selected_version = selected(name, layout)
            by, _, version = selected_version.rpartition(" ")
            yield f"requires {name}", f"{selected_version} {sums.get((by or name, version), '')}"

    def _attributes(self, root: str, walk: ImportWalk) -> Iterator[tuple[str, str]]:
        """Yield the files that define how git writes files: line endings, filters."""
        folders = {""}
        for folder in walk.folders.values():
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)  # noqa: PLW2901 - up to the root
        for folder in sorted(folders):
            entry = self._folders.at(root, posixpath.join(folder, ".gitattributes"))
            if entry is not None and entry.is_file:
                yield f"attributes {folder}", entry.id


def _digest(target: BuildTarget, inputs: Mapping[str, str]) -> str:
    lines = [f"{VERSION} {target.goos}/{target.goarch} {sorted(target.tags)} {target.cgo}"]
    lines += [f"{name}\0{inputs[name]}" for name in sorted(inputs)]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


__all__ = ["GitObjectStore", "PackageClosure", "PackageClosureReader", "TreeEntry"]
