"""Compute a module's digest as others build it.

All packages, without tests and other files that no build reads.
"""

import hashlib

from slowpath.analysis.closure.go_packages import PackageReader

COUNTED = frozenset({"go.mod", ".gitattributes"})
LEFT_OUT = frozenset({"testdata", "vendor"})
"""A dependency's vendor folder is not used, and its test data only by tests."""


class ModuleDigests:
    """Digests of a module over the commits of its repository."""

    def __init__(self, folders: PackageReader, go_minor: int = 22) -> None:
        """Read from these folders, for a language version."""
        self._folders, self._go_minor = folders, go_minor
        self._known: dict[str, str] = {}

    def at(self, tree_id: str) -> str:
        """Return a digest of what importing packages of a module may build; equal digests build the same."""
        found = self._known.get(tree_id)
        if found is None:
            found = self._known[tree_id] = self._read(tree_id)
        return found

    def _read(self, tree_id: str) -> str:
        here = self._folders.package(tree_id, self._go_minor)
        parts = [here.digest] if here.anything else []
        for name, entry in sorted(self._folders.names(tree_id).items()):
            if here.unbounded or name in COUNTED:
                parts.append(f"{name} {entry.id}")
            elif entry.is_folder and name not in LEFT_OUT and not name.startswith((".", "_")):
                below = self.at(entry.id)
                parts += [f"{name} {below}"] if below else []
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest() if parts else ""
