"""Pushes unpacked under limits: what a body claims to become is checked before it becomes it."""

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import cramjam

from slowpath.analysis.metrics.incoming import TooMuch
from slowpath.analysis.metrics.wire import BadWire, varint
from slowpath.metrics.errors import PushTooLarge, WriteRefused
from slowpath.metrics.rules import MAX_JSON_BYTES, MAX_UNPACKED_BYTES

B = TypeVar("B")
T = TypeVar("T")
PIECE = 1 << 20


def unsnapped(body: bytes) -> bytes:
    """Return a snappy block unpacked. Raises `WriteRefused`, `PushTooLarge`."""
    try:
        claimed, _ = varint(body, 0, len(body))
    except BadWire as error:
        raise _damaged("the body is no snappy block") from error
    if claimed > MAX_UNPACKED_BYTES:
        raise _too_large(claimed)
    try:
        plain = bytes(cramjam.snappy.decompress_raw(body))
    except cramjam.DecompressionError as error:
        raise _damaged("the body is no snappy block") from error
    if len(plain) != claimed:
        raise _damaged("the body is no snappy block")
    return plain


def ungzipped(body: bytes) -> bytes:
    """Return a gzip stream unpacked. Raises `WriteRefused`, `PushTooLarge`."""
    parts, size = [], 0
    rest = body
    try:
        while rest:
            unpacker = zlib.decompressobj(wbits=31)
            piece = unpacker.decompress(rest, PIECE)
            while piece or unpacker.unconsumed_tail:
                size += len(piece)
                if size > MAX_UNPACKED_BYTES:
                    raise _too_large(size)
                parts.append(piece)
                piece = unpacker.decompress(unpacker.unconsumed_tail, PIECE)
            if not unpacker.eof:
                raise _damaged("the gzip stream breaks off")
            rest = unpacker.unused_data
    except zlib.error as error:
        raise _damaged("the body is no gzip stream") from error
    return b"".join(parts)


def parsed(read: Callable[[B, Mapping[bytes, int]], T], plain: B, known: Mapping[bytes, int]) -> T:
    """Return what a reader makes of a body, its faults by our names. Raises `WriteRefused`."""
    try:
        return read(plain, known)
    except TooMuch as error:
        raise WriteRefused(
            f"The request holds more than {error.limit} {error.what}.",
            slug="too-much-at-once",
            limit=error.limit,
            unit=error.what,
            remedy="Send less at a time.",
        ) from error
    except BadWire as error:
        raise _damaged(str(error)) from error


def export_of_json(plain: bytes) -> Mapping[str, Any]:
    """Return an OTLP export given as JSON. Raises `WriteRefused`, `PushTooLarge`."""
    if len(plain) > MAX_JSON_BYTES:
        raise _too_large(len(plain), MAX_JSON_BYTES)
    try:
        told = json.loads(plain)
    except (ValueError, RecursionError) as error:
        raise _damaged("the body is no JSON") from error
    if not isinstance(told, dict):
        raise _damaged("the body is no JSON object")
    return told


def _damaged(why: str) -> WriteRefused:
    return WriteRefused(
        f"The body can not be read: {why}. Nothing was written.", remedy="Send it as the protocol says."
    )


def _too_large(actual: int, limit: int = MAX_UNPACKED_BYTES) -> PushTooLarge:
    return PushTooLarge(
        "The body is larger than it may be once it is unpacked.",
        limit=limit,
        actual=actual,
        unit="bytes",
        remedy="Send less at a time (max_samples_per_send).",
    )
