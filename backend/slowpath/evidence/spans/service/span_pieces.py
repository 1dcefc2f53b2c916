"""Decompress pushed spans, and compress them for storage, in pieces."""

from collections.abc import Iterator
from io import BytesIO
from typing import Final

import zstandard

from slowpath.core.gzip_bodies import DamagedGzip, LargeGzip, unpack_gzip
from slowpath.evidence.spans.rules import InvalidSpanPush, PushDialect, SpanPushExpandsTooLarge

PIECE_BYTES: Final = 1 << 16
BREAKS: Final = bytes.maketrans(b"\r\n", b"  ")


def unpacked(body: bytes, encoding: str, most_bytes: int) -> bytes:
    """Return a body without its content encoding. Raises `InvalidSpanPush`, `SpanPushExpandsTooLarge`."""
    if encoding in {"", "identity"}:
        plain = body
    elif encoding == "gzip":
        try:
            plain = unpack_gzip(body, most_bytes)
        except DamagedGzip as error:
            raise InvalidSpanPush(f"The body cannot be decompressed: {error}.") from error
        except LargeGzip as error:
            raise SpanPushExpandsTooLarge from error
    else:
        raise InvalidSpanPush(f"The content encoding {encoding[:40]!r} is not supported: send gzip or no encoding.")
    if len(plain) > most_bytes:
        raise SpanPushExpandsTooLarge
    return plain


def packed(plain: bytes, dialect: PushDialect) -> bytes:
    """Return a push compressed for storage, JSON in one line."""
    packer, out = zstandard.ZstdCompressor(level=1).compressobj(), BytesIO()
    for at in range(0, len(plain), PIECE_BYTES):
        piece = plain[at : at + PIECE_BYTES]
        # Line breaks occur only between values; in strings they are escaped.
        out.write(packer.compress(piece.translate(BREAKS) if dialect is PushDialect.JSON else piece))
    out.write(packer.compress(b"\n") if dialect is PushDialect.JSON else b"")
    out.write(packer.flush())
    return out.getvalue()


def pieces(content: bytes) -> Iterator[bytes]:
    """Yield the decompressed pieces of a stored push. Pushes of earlier versions are not compressed."""
    if not content.startswith(zstandard.FRAME_HEADER):
        yield content
        return
    yield from zstandard.ZstdDecompressor().read_to_iter(content)
