"""Git trees and blobs by object id, as package closures read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class GitTreeEntry(Protocol):
    """One entry of a git tree."""

    @property
    def name(self) -> str:
        """Return the file or folder name."""

    @property
    def mode(self) -> str:
        """Return the mode as git writes it, such as 100644."""

    @property
    def id(self) -> str:
        """Return the id of the entry's object."""

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""

    @property
    def is_file(self) -> bool:
        """Return whether it is a plain file."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One entry of a git tree, as a value."""

    name: str
    mode: str
    """As git writes it: 100644, 100755, 120000 (symbolic link), 40000 (folder), 160000 (submodule)."""
    id: str

    @property
    def is_folder(self) -> bool:
        """Return whether it is a folder."""
        return self.mode in {"40000", "040000"}

    @property
    def is_file(self) -> bool:
        """Return whether it is a plain file."""
        return self.mode.startswith("100")


class GitObjectStore(Protocol):
    """Trees and blobs of one repository. Equal ids mean equal bytes, which makes caching safe."""

    def tree(self, tree_id: str) -> Sequence[GitTreeEntry]:
        """Return the entries of a tree."""

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a blob. Raises an error if it is larger than `max_bytes`."""
