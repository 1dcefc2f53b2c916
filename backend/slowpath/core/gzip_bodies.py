"""Decompress untrusted gzip bodies in chunks, up to a limit."""

import zlib
from io import BytesIO
from typing import Final

GZIP_WINDOW: Final = 31
"""zlib's code for a gzip header and the largest window."""
CHUNK_BYTES: Final = 1 << 16
MAX_MEMBERS: Final = 1_000
"""Limit of members per gzip stream: each needs a decompressor, even if it is small."""


class DamagedGzip(Exception):
    """The body is not a gzip stream, or it is truncated; the message gives the reason."""


class LargeGzip(Exception):
    """The decompressed body exceeds the limit."""


def unpack_gzip(body: bytes, most_bytes: int) -> bytes:
    """Return all members of a gzip stream decompressed. Raises `DamagedGzip`, `LargeGzip`."""
    out = BytesIO()
    members, unpacker = 1, zlib.decompressobj(GZIP_WINDOW)
    try:
        for at in range(0, len(body), CHUNK_BYTES):
            rest = body[at : at + CHUNK_BYTES]
            while rest:
                if unpacker.eof:
                    members, unpacker = members + 1, zlib.decompressobj(GZIP_WINDOW)
                    if members > MAX_MEMBERS:
                        raise DamagedGzip(f"the gzip stream has more than {MAX_MEMBERS:,} members")
                out.write(unpacker.decompress(rest, CHUNK_BYTES))
                if out.tell() > most_bytes:
                    raise LargeGzip
                rest = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise DamagedGzip("the body is not a gzip stream") from error
    if body and not unpacker.eof:
        raise DamagedGzip("the gzip stream is truncated")
    return out.getvalue()
