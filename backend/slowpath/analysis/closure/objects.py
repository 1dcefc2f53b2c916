"""What the closure reads of a repository: trees and blobs by their ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder."""

    name: str
    mode: str
    """As git writes it: 100644, 100755, 120000 (symbolic link), 40000 (folder), 160000 (another repository)."""
    id: str

    @property
    def is_folder(self) -> bool:
        """Tell whether other entries lie in it."""
        return self.mode in {"40000", "040000"}

    @property
    def is_file(self) -> bool:
        """Tell whether it is a plain file."""
        return self.mode.startswith("100")


class Objects(Protocol):
    """Trees and blobs of one repository. Equal ids are equal bytes, which is what makes caching safe."""

    def tree(self, tree_id: str) -> Sequence[Entry]:
        """Return what lies in a folder."""

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a file. Raises an error where it is larger."""
