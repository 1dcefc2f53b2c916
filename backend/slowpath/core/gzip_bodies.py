"""Unpack gzip bodies from outside under a limit, piece by piece."""

import zlib
from io import BytesIO
from typing import Final

GZIP_WINDOW: Final = 31
"""zlib's code for a gzip header and the largest window."""
PIECE_BYTES: Final = 1 << 16
MAX_MEMBERS: Final = 1_000
"""A gzip stream may consist of several members; each costs a decompressor, however small it is."""


class DamagedGzip(Exception):
    """The body is no gzip stream, or it is cut off; the message says which."""


class LargeGzip(Exception):
    """The body unpacks to more than it may."""


def unpack_gzip(body: bytes, most_bytes: int) -> bytes:
    """Return all members of a gzip stream unpacked. Raises `DamagedGzip`, `LargeGzip`."""
    out = BytesIO()
    members, unpacker = 1, zlib.decompressobj(GZIP_WINDOW)
    try:
        for at in range(0, len(body), PIECE_BYTES):
            rest = body[at : at + PIECE_BYTES]
            while rest:
                if unpacker.eof:
                    members, unpacker = members + 1, zlib.decompressobj(GZIP_WINDOW)
                    if members > MAX_MEMBERS:
                        raise DamagedGzip(f"the gzip stream has more than {MAX_MEMBERS:,} members")
                out.write(unpacker.decompress(rest, PIECE_BYTES))
                if out.tell() > most_bytes:
                    raise LargeGzip
                rest = unpacker.unconsumed_tail or unpacker.unused_data
    except zlib.error as error:
        raise DamagedGzip("the body is no gzip stream") from error
    if body and not unpacker.eof:
        raise DamagedGzip("the gzip stream is cut off")
    return out.getvalue()
