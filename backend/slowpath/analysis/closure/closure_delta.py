"""Compute what changed of a closure since another commit.

Most commits touch a few folders, the rest is reused.
"""

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from slowpath.analysis.closure.go_packages import PackageFacts, PackageReader
from slowpath.analysis.closure.import_walk import ImportWalk


@dataclass(frozen=True)
class ClosureBaseline:
    """The inputs of a closure."""

    root: str
    asked: frozenset[str]
    """Paths that were looked up, whether they exist or not."""
    above: frozenset[str]
    """Folders above them."""
    packages: Mapping[str, tuple[tuple[str, int, bool], ...]]
    """Folder to its packages, with the language version and whether their test files count."""
    facts: Mapping[str, PackageFacts]


def basis_of(root: str, asked: Collection[str], walk: ImportWalk) -> ClosureBaseline:
    """Return the inputs of an import walk; `asked` are the paths it looked up."""
    packages: dict[str, list[tuple[str, int, bool]]] = defaultdict(list)
    for path, folder in walk.folders.items():
        packages[folder].append((path, walk.minors[path], path == walk.tested))
    return ClosureBaseline(
        root, frozenset(asked), _above(asked), {name: tuple(some) for name, some in packages.items()}, dict(walk.facts)
    )


def changed_packages(folders: PackageReader, basis: ClosureBaseline, root: str) -> dict[str, PackageFacts] | None:
    """Return the packages that another tree builds differently, with their facts there.

    None if more than the content of packages differs: their imports, the folders, go.mod and the like.
    """
    differing = _differing(folders, basis, root)
    if differing is None:
        return None
    out = {}
    for folder, tree_id in differing.items():
        for path, go_minor, tests in basis.packages[folder]:
            old, new = basis.facts[path], folders.package(tree_id, go_minor, tests=tests)
            if (old.imports, old.anything, old.name, new.unbounded) != (new.imports, new.anything, new.name, None):
                return None
            if old.digest != new.digest:
                out[path] = new
    return out


def _differing(folders: PackageReader, basis: ClosureBaseline, root: str) -> dict[str, str] | None:
    """Return the folders of packages with different trees, with their new trees.

    None if another input differs.
    """
    out = {"": root} if "" in basis.packages else {}
    todo = [("", basis.root, root)]
    while todo:
        at, old_tree, new_tree = todo.pop()
        olds, news = folders.names(old_tree), folders.names(new_tree)
        changed = [name for name, new in news.items() if olds.get(name) != new]
        changed += [name for name in olds if name not in news]
        for name in changed:
            path = posixpath.join(at, name)
            is_input = path in basis.asked
            if not is_input and path not in basis.above:
                continue
            old, new = olds.get(name), news.get(name)
            if (
                old is None
                or new is None
                or not (old.is_folder and new.is_folder)
                or (is_input and path not in basis.packages)
            ):
                return None
            if is_input:
                out[path] = new.id
            if path in basis.above:
                todo.append((path, old.id, new.id))
    return out


def _above(paths: Collection[str]) -> frozenset[str]:
    """Return all folders above paths."""
    out: set[str] = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in out:
            out.add(folder)
            folder = folder.rpartition("/")[0]
    return frozenset(out)
