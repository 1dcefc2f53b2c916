"""Follow imports from a package, folder by folder.

Of a package that is not `main` there is no binary but that of its tests and benchmarks, so its test files count.
"""

import posixpath
from collections.abc import Container
from typing import Final

from slowpath.analysis.closure.go_packages import PackageFacts, PackageReader
from slowpath.analysis.closure.module_layout import LocalModule, ModuleLayout

MOST_PACKAGES: Final = 20_000
MAIN_PACKAGE: Final = "main"
VENDORED: Final = 18
"""The language version for constraints of vendored files, whose go.mod is not available."""


class ImportWalk:
    """Follows imports from the main package."""

    def __init__(self, folders: PackageReader, root: str, layout: ModuleLayout) -> None:
        self._trees, self._root, self._layout = folders, root, layout
        self._modules = sorted(layout.local.values(), key=lambda one: len(one.path), reverse=True)
        self._prefixes = frozenset(layout.requires) | {one.module for one in layout.replaces}
        self.facts: dict[str, PackageFacts] = {}
        self.folders: dict[str, str] = {}
        self.minors: dict[str, int] = {}
        """The language version under which each package was read."""
        self.tested: str | None = None
        """The package whose test files count."""
        self.modules: dict[str, LocalModule] = {}
        self.missing: set[str] = set()
        self.vendored: set[str] = set()
        self.unbounded: list[str] = []
        self.external = False
        self._start = ""
        self.problem: str | None = None

    def follow(self, start: str) -> None:
        """Visit a package and all its imports."""
        self._start = start
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
                self.problem = f"It is built from more than {MOST_PACKAGES} packages."
                return

    def _visit(self, path: str) -> PackageFacts | None:
        module = next((one for one in self._modules if _is_in_module(path, one.path)), None)
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
            self.external = True  # an external module may have a path below this one's
            self.missing.add(path)
            return None
        if _is_in_modules(path, self._layout.outside):
            self.problem = f"A replace directive resolves {path} outside the repository."
        elif _is_in_modules(path, self._prefixes):
            self.external = True
        elif "." in path.split("/", 1)[0]:
            self.external = True
            self.missing.add(path)
        return None

    def _is_nested(self, home: str, folder: str) -> bool:
        """Return whether another module begins between a module's folder and a folder below it."""
        while folder != home:
            entry = self._trees.at(self._root, posixpath.join(folder, "go.mod"))
            if entry is not None and entry.is_file:
                return True
            folder = posixpath.dirname(folder)
        return False

    def _is_vendored(self, path: str, module: LocalModule) -> bool:
        """Return whether the vendor folder is used instead of a module of the repository.

        For all but main modules.
        """
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
            self.unbounded.append(f"{folder} is behind a link or in another repository")
            self.facts[path] = found = PackageFacts(entry.id, (), anything=True)
            return found
        if entry is None or not entry.is_folder:
            return None
        found = self._trees.package(entry.id, go_minor)
        if path == self._start and found.name != MAIN_PACKAGE:
            self.tested = path
            found = self._trees.package(entry.id, go_minor, tests=True)
        if not found.anything and path not in self.facts and not found.imports:
            return None if not self._is_start(path) else self._record(path, folder, found, go_minor)
        return self._record(path, folder, found, go_minor)

    def _is_start(self, path: str) -> bool:
        return not self.facts and bool(path)

    def _record(self, path: str, folder: str, found: PackageFacts, go_minor: int) -> PackageFacts:
        self.facts[path] = found
        self.folders[path] = folder
        self.minors[path] = go_minor
        if found.unbounded:
            self.unbounded.append(f"{folder or '.'}: {found.unbounded}")
        return found


def _is_in_modules(path: str, modules: Container[str]) -> bool:
    """Return whether a package is in one of these modules."""
    while path:
        if path in modules:
            return True
        path = path.rpartition("/")[0]
    return False


def _is_in_module(path: str, module: str) -> bool:
    return bool(module) and (path == module or path.startswith(module + "/"))
