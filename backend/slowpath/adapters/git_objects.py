"""Read objects of a repository by ID with one `git cat-file --batch-command`."""

import subprocess
from collections.abc import Sequence
from typing import Final

from slowpath.analysis.closure.git_objects import TreeEntry
from slowpath.core.errors import NotFound, TooLarge

MAX_TREE_BYTES: Final = 32 << 20
MAX_COMMIT_BYTES: Final = 1 << 20
HEX: Final = frozenset("0123456789abcdef")


class CatFileReader:
    """Reads from a running `cat-file`; requests the size first to reject objects above the limit."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        """Read from this child process."""
        assert child.stdin is not None
        assert child.stdout is not None
        self._stdin, self._stdout = child.stdin, child.stdout

    def kind(self, object_id: str) -> str | None:
        """Return the kind of an object (commit, tree, blob, tag); None if it does not exist."""
        found = self._info(object_id)
        return None if found is None else found[0]

    def root(self, sha: str) -> str:
        """Return the ID of a commit's tree. Raises `NotFound`."""
        head = self._contents(sha, "commit", MAX_COMMIT_BYTES)
        if not head.startswith(b"tree "):
            raise NotFound(f"The object {sha} is not a commit.")
        return head[5:45].decode("ascii")

    def tree(self, tree_id: str) -> Sequence[TreeEntry]:
        """Return the entries of a tree. Raises `NotFound`, `TooLarge`."""
        content, entries, at = self._contents(tree_id, "tree", MAX_TREE_BYTES), [], 0
        while at < len(content):
            space, end = content.index(b" ", at), content.index(b"\x00", at)
            name = content[space + 1 : end].decode("utf-8", "surrogateescape")
            entries.append(TreeEntry(name, content[at:space].decode("ascii"), content[end + 1 : end + 21].hex()))
            at = end + 21
        return entries

    def blob(self, blob_id: str, *, max_bytes: int) -> bytes:
        """Return the bytes of a blob. Raises `NotFound`, `TooLarge`."""
        return self._contents(blob_id, "blob", max_bytes)

    def _info(self, object_id: str) -> tuple[str, int] | None:
        if len(object_id) != 40 or not HEX.issuperset(object_id):
            raise ValueError("not an object ID of 40 hexadecimal digits")
        self._stdin.write(f"info {object_id}\n".encode())
        self._stdin.flush()
        words = self._stdout.readline().decode("ascii", "replace").split()
        return (words[1], int(words[2])) if len(words) == 3 else None

    def _contents(self, object_id: str, kind: str, max_bytes: int) -> bytes:
        found = self._info(object_id)
        if found is None or found[0] != kind:
            raise NotFound(f"The mirror of the repository has no {kind} {object_id}.")
        if found[1] > max_bytes:
            raise TooLarge(f"The {kind} {object_id} is too large.", limit=max_bytes, actual=found[1], unit="bytes")
        self._stdin.write(f"contents {object_id}\n".encode())
        self._stdin.flush()
        self._stdout.readline()
        content = self._stdout.read(found[1])
        self._stdout.read(1)
        return content
