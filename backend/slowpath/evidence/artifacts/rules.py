"""Pure rules of artifacts: states, names, parts and size limits."""

import unicodedata
import zlib
from dataclasses import dataclass
from enum import StrEnum

MAX_NAME = 255
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Unicode categories that cannot be shown in a line of text, or that would reorder it."""


class ArtifactState(StrEnum):
    """`invalid`: the file cannot be decoded, its original is stored. `failed`: Slowpath or its infrastructure failed."""

    RECEIVED = "received"
    DECODING = "decoding"
    DECODED = "decoded"
    INVALID = "invalid"
    FAILED = "failed"


def clean_name(name: str) -> str:
    """Return a file's name as one line of printable text without a path, at most 255 characters.

    The name is shown and offered for download, never used as a path.
    """
    shown = _shown(name.replace("\\", "/").rsplit("/", 1)[-1])
    if shown in {"", ".", ".."}:
        return "unnamed"
    if len(shown) <= MAX_NAME:
        return shown
    return shown[: MAX_NAME - 21] + "…" + shown[-20:]


MAX_FOLDER = 400


def clean_folder(folder: str | None) -> str | None:
    """Return a folder as one line of printable text with slashes, its last parts if it is long; None if there is none."""
    parts = [_shown(part) for part in (folder or "").replace("\\", "/").split("/")]
    shown = "/".join(part for part in parts if part not in {"", ".", ".."})
    return (shown if len(shown) <= MAX_FOLDER else "…" + shown[1 - MAX_FOLDER :]) or None


def clean_line(text: str, longest: int) -> str:
    """Return a text as one line of printable text, truncated to a length."""
    shown = _shown(text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def _shown(text: str) -> str:
    return "".join("�" if unicodedata.category(char) in _UNSHOWN else char for char in text).strip()


def part_count(size_bytes: int, part_bytes: int) -> int:
    """Return the number of parts of a file of this size; an empty file has one empty part."""
    return max(1, -(-size_bytes // part_bytes))


def part_size(size_bytes: int, part_bytes: int, number: int) -> int:
    """Return the size of part `number` (from 1); only the last may be smaller."""
    return min(part_bytes, size_bytes - (number - 1) * part_bytes)


HEAD_BYTES = 1024
"""Length of the beginning of a file that determines its size limit."""
TRACE_MAGIC = b"go 1."
TRACE_WORD = b" trace\x00"
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 31
"""Window bits for zlib: a gzip header and the largest window."""


@dataclass(frozen=True)
class SizeLimits:
    """Size limits of files in bytes: one for execution traces, one for all other kinds."""

    artifact_bytes: int
    trace_bytes: int

    @property
    def largest(self) -> int:
        """Largest limit of any kind, in bytes."""
        return max(self.artifact_bytes, self.trace_bytes)

    def of(self, head: bytes) -> int:
        """Return the limit of a file with this beginning, in bytes."""
        return self.trace_bytes if is_trace(head) else self.artifact_bytes


def is_trace(head: bytes) -> bool:
    """Return whether a file with this beginning is a Go execution trace, plain or gzip."""
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(GZIP_WINDOW).decompress(head, HEAD_BYTES)
        except zlib.error:
            return False
    return head.startswith(TRACE_MAGIC) and TRACE_WORD in head[:16]
