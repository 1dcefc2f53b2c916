"""Parse protocol buffers in place: only what is needed, with a reason for every error.

A message is never turned into objects: its fields are walked in place. So a body of sixteen million empty submessages costs
only its length.
"""

from collections.abc import Iterator
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5
MOST_VARINT_BYTES: Final = 10
WORD: Final = 1 << 64


class MalformedProtobuf(ValueError):
    """The bytes are not a valid message."""


def varint(body: bytes, at: int, end: int) -> tuple[int, int]:
    """Return an unsigned number and its end. Raises `MalformedProtobuf`."""
    value, shift, limit = 0, 0, min(end, at + MOST_VARINT_BYTES)
    while at < limit:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value % WORD, at
        shift += 7
    raise MalformedProtobuf("a number does not end")


def signed(value: int) -> int:
    """Convert an unsigned number to int32 or int64."""
    return value - WORD if value >= WORD >> 1 else value


def unzigzag(value: int) -> int:
    """Convert an unsigned number to sint32 or sint64."""
    return (value >> 1) ^ -(value & 1)


def fields(body: bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the fields of the message in body[at:end]: number, wire type, and two numbers.

    For a varint these are its value and 0, otherwise start and end of its bytes. Raises `MalformedProtobuf`.
    """
    while at < end:
        tag = body[at]
        at += 1
        if tag >= 0x80:
            tag, at = varint(body, at - 1, end)
        number, kind = tag >> 3, tag & 7
        if number == 0 or number > 0x1FFFFFFF:
            raise MalformedProtobuf("a field has no number")
        if kind == VARINT:
            value, at = varint(body, at, end)
            yield number, kind, value, 0
            continue
        if kind == BYTES:
            size, at = varint(body, at, end)
        elif kind == FIXED64:
            size = 8
        elif kind == FIXED32:
            size = 4
        else:
            raise MalformedProtobuf(f"a field has the unknown wire type {kind}")
        if size > end - at:
            raise MalformedProtobuf("a field is longer than its message")
        yield number, kind, at, at + size
        at += size


def varints(body: bytes, at: int, end: int, most: int) -> list[int]:
    """Return packed numbers. Raises `MalformedProtobuf`, also for more than `most`."""
    block = body[at:end]
    if len(block) <= most and (not block or max(block) < 0x80):
        return list(block)
    values: list[int] = []
    while at < end:
        value, at = varint(body, at, end)
        values.append(value)
        if len(values) > most:
            raise MalformedProtobuf(f"more than {most} packed numbers")
    return values


def text(body: bytes, at: int, end: int) -> str:
    """Return a string. Raises `MalformedProtobuf`."""
    try:
        return body[at:end].decode()
    except UnicodeDecodeError as error:
        raise MalformedProtobuf("a text is not UTF-8") from error
