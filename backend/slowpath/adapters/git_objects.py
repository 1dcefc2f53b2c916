"""Objects of a repository by their ids, read through one `git cat-file --batch-command`."""

import subprocess
from collections.abc import Sequence
from typing import Final

from slowpath.analysis.closure.git_objects import TreeEntry
from slowpath.core.errors import NotFound, TooLarge

MOST_TREE_BYTES: Final = 32 << 20
MOST_COMMIT_BYTES: Final = 1 << 20
HEX: Final = frozenset("0123456789abcdef")


class CatFileReader:
    """Asks a running `cat-file`, size first, so that nothing larger than asked for is ever read."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        """Ask this child."""
        assert child.stdin is not None
        assert child.stdout is not None
        self._said, self._told = child.stdin, child.stdout

    def kind(self, object_id: str) -> str | None:
        """Return what an object is: commit, tree, blob, tag; nothing where there is none."""
        found = self._info(object_id)
        return None if found is None else found[0]

    def root(self, sha: str) -> str:
        """Return the id of a commit's tree. Raises `NotFound`."""
        head = self._contents(sha, "commit", MOST_COMMIT_BYTES)
        if not head.startswith(b"tree "):
            raise NotFound(f"The object {sha} is no commit.")
        return head[5:45].decode("ascii")

    def tree(self, tree_id: str) -> Sequence[TreeEntry]:
        """Return what lies in a folder. Raises `NotFound`, `TooLarge`."""
        content, entries, at = self._contents(tree_id, "tree", MOST_TREE_BYTES), [], 0
        while at < len(content):
            space, end = content.index(b" ", at), content.index(b"\x00", at)
            name = content[space + 1 : end].decode("utf-8", "surrogateescape")
            entries.append(TreeEntry(name, content[at:space].decode("ascii"), content[end + 1 : end + 21].hex()))
            at = end + 21
        return entries

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a file. Raises `NotFound`, `TooLarge`."""
        return self._contents(blob_id, "blob", max_bytes)

    def _info(self, object_id: str) -> tuple[str, int] | None:
        if len(object_id) != 40 or not HEX.issuperset(object_id):
            raise ValueError("not the id of an object")
        self._said.write(f"info {object_id}\n".encode())
        self._said.flush()
        words = self._told.readline().decode("ascii", "replace").split()
        return (words[1], int(words[2])) if len(words) == 3 else None

    def _contents(self, object_id: str, kind: str, most: int) -> bytes:
        found = self._info(object_id)
        if found is None or found[0] != kind:
            raise NotFound(f"There is no {kind} {object_id} in the copy of the repository.")
        if found[1] > most:
            raise TooLarge(f"The {kind} {object_id} is too large.", limit=most, actual=found[1], unit="bytes")
        self._said.write(f"contents {object_id}\n".encode())
        self._said.flush()
        self._told.readline()
        content = self._told.read(found[1])
        self._told.read(1)
        return content
