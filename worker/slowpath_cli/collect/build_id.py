"""Read the build ID of a Go program from its profile: that of the first mapping, which is the main binary.

Only the needed fields are parsed (https://github.com/google/pprof/blob/main/proto/profile.proto); invalid input gives None.
"""

import zlib
from collections.abc import Iterator

UNPACKED_BYTES = 256 << 20
_GZIP_WINDOW = 31
_LONGEST_ID = 200
_MAPPING, _STRING_TABLE, _MAPPING_BUILD_ID = 3, 6, 6
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def read_build_id(body: bytes) -> str | None:
    """Read the build ID of the main binary from a gzipped profile; None if it has none."""
    try:
        unpacker = zlib.decompressobj(_GZIP_WINDOW)
        profile = memoryview(unpacker.decompress(body, UNPACKED_BYTES))
        if unpacker.unconsumed_tail:
            return None
        return _build_id(profile)
    except (zlib.error, ValueError, IndexError):
        return None


def _build_id(profile: memoryview) -> str | None:
    build_id_index: int | None = None
    strings: list[memoryview] = []
    for number, value in _fields(profile):
        if number == _MAPPING and build_id_index is None and isinstance(value, memoryview):
            build_id_index = next((at for n, at in _fields(value) if n == _MAPPING_BUILD_ID and isinstance(at, int)), 0)
        elif number == _STRING_TABLE and isinstance(value, memoryview):
            strings.append(value)
    if not build_id_index or build_id_index >= len(strings):
        return None
    text = bytes(strings[build_id_index]).decode("ascii")
    return text if text.isprintable() and 0 < len(text) <= _LONGEST_ID else None


def _fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the number and value of each field. Raises `IndexError` or `ValueError` for an invalid message."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        if kind not in {_FIXED64, _BYTES, _FIXED32}:
            raise ValueError(f"wire type {kind}")
        length, at = _varint(message, at) if kind == _BYTES else (8 if kind == _FIXED64 else 4, at)
        if at + length > len(message):
            raise ValueError("a field is longer than its message")
        yield key >> 3, message[at : at + length]
        at += length


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number is longer than 64 bits")
