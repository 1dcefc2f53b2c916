"""Pure decisions about files: their states, their names, how many parts they come in."""

import unicodedata
import zlib
from dataclasses import dataclass
from enum import StrEnum

MAX_NAME = 255
BINARY = "binary"
"""The kind of a Go program: its bytes are not kept once they were read."""
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of Unicode that a line of text can not show, or that would reorder it."""


class ArtifactState(StrEnum):
    """`refused`: the file is at fault, the original is kept. `failed`: we are, or what we stand on."""

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


def clean_line(text: str, longest: int) -> str:
    """Return a text as one line of printable text, cut where it is too long."""
    shown = _shown(text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def _shown(text: str) -> str:
    return "".join("�" if unicodedata.category(char) in _UNSHOWN else char for char in text).strip()


def part_count(size_bytes: int, part_bytes: int) -> int:
    """Return how many parts a file of this size comes in; an empty file is one empty part."""
    return max(1, -(-size_bytes // part_bytes))


def part_size(size_bytes: int, part_bytes: int, number: int) -> int:
    """Return the size of part `number` (from 1); only the last may be smaller."""
    return min(part_bytes, size_bytes - (number - 1) * part_bytes)


HEAD_BYTES = 1024
"""How much of a file tells what it may weigh."""
TRACE_MAGIC = b"go 1."
TRACE_WORD = b" trace\x00"
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 31
"""zlib's word for: a gzip header, and the largest window."""


@dataclass(frozen=True)
class SizeLimits:
    """What files may weigh, by what they are: execution traces are larger than anything else."""

    artifact_bytes: int
    trace_bytes: int

    @property
    def largest(self) -> int:
        """Above this no file is taken, whatever it is."""
        return max(self.artifact_bytes, self.trace_bytes)

    def of(self, head: bytes) -> int:
        """Return the limit of a file that begins so."""
        return self.trace_bytes if is_trace(head) else self.artifact_bytes


def is_trace(head: bytes) -> bool:
    """Tell whether a file that begins so is a Go execution trace, plain or gzip."""
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(GZIP_WINDOW).decompress(head, HEAD_BYTES)
        except zlib.error:
            return False
    return head.startswith(TRACE_MAGIC) and TRACE_WORD in head[:16]
