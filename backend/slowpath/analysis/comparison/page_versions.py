"""Read stored pages of traces and growth logs, and gap explanations, of every version of their format."""

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.formats.former_names import FormerNames
from slowpath.analysis.kinds.exec_traces import trace_page_document
from slowpath.analysis.kinds.growth_logs import growth_page_document
from slowpath.analysis.kinds.spans import gap_explanation_document


@dataclass(frozen=True, kw_only=True)
class FormerFormat(FormerNames):
    """The present format, and the present names."""

    present: str


FORMER_FORMATS: Final[Mapping[object, FormerFormat]] = {
    "slowpath.trace-comparison/1": FormerFormat(
        present=trace_page_document.FORMAT, names={"victim": "waiter", "blame": "occupancy"}
    ),
    "slowpath.growth-comparison/1": FormerFormat(
        present=growth_page_document.FORMAT,
        names={"payer": "attributed_caller", "estimate": "estimated_growths", "basis": "normalization"},
    ),
    "slowpath.gap-explanation/1": FormerFormat(
        present=gap_explanation_document.FORMAT,
        names={"blame": "occupancy", "why": "reason", "doubts": "caveats"},
        values={"basis": {"nobody": "no-goroutine"}},
    ),
}
SNIFFED_BYTES: Final = 100
"""A page begins with its format."""
COMPRESSION_LEVEL: Final = 6
GZIP_MAGIC: Final = b"\x1f\x8b"


def upgrade_document(document: Mapping[str, object]) -> Mapping[str, object]:
    """Return a page in the present version of its format; one of another format unchanged."""
    former = FORMER_FORMATS.get(document.get("format"))
    return document if former is None else {**former.rename(document), "format": former.present}


def upgrade_page(content: bytes) -> bytes:
    """Return the JSON text of a page in the present version of its format; any other content unchanged."""
    if not _is_former(content[:SNIFFED_BYTES]):
        return content
    return json.dumps(upgrade_document(json.loads(content)), ensure_ascii=False, separators=(",", ":")).encode()


def upgrade_packed_page(packed: bytes) -> bytes:
    """Do the same with a page compressed by gzip; content that is not compressed is returned unchanged."""
    if not packed.startswith(GZIP_MAGIC) or not _is_former(
        zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(packed, SNIFFED_BYTES)
    ):
        return packed
    return gzip.compress(upgrade_page(gzip.decompress(packed)), COMPRESSION_LEVEL, mtime=0)


def _is_former(beginning: bytes) -> bool:
    return any(f'"{name}"'.encode() in beginning for name in FORMER_FORMATS)
