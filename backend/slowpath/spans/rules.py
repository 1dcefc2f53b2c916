"""Pure decisions about pushed spans: what they are written in, what they unpack to."""

import json
import zlib
from enum import StrEnum

GZIP_WINDOW = 31
"""zlib's word for: a gzip header, and the largest window."""


class PushDialect(StrEnum):
    """How a push is written. Pushes of one dialect put together are a file of that dialect."""

    PROTOBUF = "protobuf"
    JSON = "json"


class PushRefused(Exception):
    """The push is at fault; the words say how."""


class PushBomb(Exception):
    """The push unpacks to more than it may."""


def unpacked(body: bytes, encoding: str, most_bytes: int) -> bytes:
    """Return a body without its content encoding. Raises `PushRefused`, `PushBomb`."""
    if encoding in {"", "identity"}:
        plain = body
    elif encoding == "gzip":
        reader = zlib.decompressobj(GZIP_WINDOW)
        try:
            plain = reader.decompress(body, most_bytes + 1)
        except zlib.error as error:
            raise PushRefused(f"The body is not gzip: {error}.") from error
        if len(plain) <= most_bytes and not reader.eof:
            raise PushRefused("The gzip body breaks off.")
    else:
        raise PushRefused(f"The content encoding {encoding[:40]!r} is not known: send gzip or nothing.")
    if len(plain) > most_bytes:
        raise PushBomb
    return plain


def one_line(document: bytes) -> bytes:
    """Return an export request in JSON as one line. Raises `PushRefused`."""
    try:
        told = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise PushRefused(f"The body is not JSON: {str(error)[:200]}.") from error
    spans = told.get("resourceSpans", told.get("resource_spans")) if isinstance(told, dict) else None
    if not isinstance(spans, list):
        raise PushRefused("The JSON is no export request: it has no list resourceSpans.")
    return json.dumps(told, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"


def is_message(body: bytes) -> bool:
    """Tell whether a protobuf body is made of length-delimited members of number 1 alone, as an export request is.

    Only the outermost frame is looked at; what is inside is read by the decoder, under its limits.
    """
    at = 0
    while at < len(body):
        if body[at] != 0x0A:
            return False
        length, at = _varint(body, at + 1)
        if at < 0 or at + length > len(body):
            return False
        at += length
    return True


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(body):
            return 0, -1
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    return 0, -1
