"""Files of at most 1 MB that want more than a file may have, each in its own way; made here, none comes from elsewhere."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import zstandard

MIB = 1 << 20
BIG = 64 * MIB


@dataclass(frozen=True)
class Bomb:
    """One bomb; `limited` if what refuses it is a limit with numbers, not its form."""

    name: str
    make: Callable[[], bytes]
    limited: bool = True


def varint(number: int) -> bytes:
    """Encode as protobuf does."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, body: bytes) -> bytes:
    """Return a length-delimited field."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def whole(number: int, value: int) -> bytes:
    """Return a varint field."""
    return varint(number << 3) + varint(value)


TEXTS = b"".join(field(6, text) for text in (b"", b"cpu", b"ns", b"main.main"))
TYPES = field(1, whole(1, 1) + whole(2, 2))
FUNCTION = field(5, whole(1, 1) + whole(2, 3))
LOCATION = field(4, whole(1, 1) + field(4, whole(1, 1)))
SAMPLE = field(2, field(1, varint(1)) + field(2, varint(7)))
GOOD = TYPES + SAMPLE + LOCATION + FUNCTION + TEXTS
"""A profile of one sample."""
AMONG_GOOD = GOOD[: -len(TEXTS)]


def packed(content: bytes) -> bytes:
    """Compress as small as gzip can."""
    return gzip.compress(content, 9, mtime=0)


def repeated(piece: bytes, total: int) -> bytes:
    """Return gzip of a piece again and again, as members of equal content: made fast, unpacked slowly."""
    block = piece * max(1, 4 * MIB // len(piece))
    return packed(block) * max(1, total // len(block))


def _zstd_zeros() -> bytes:
    out = io.BytesIO()
    with zstandard.ZstdCompressor(level=3).stream_writer(out, closefd=False) as writer:
        for _ in range(900):
            writer.write(bytes(MIB))
    return out.getvalue()


def _liar() -> bytes:
    """Say in the trailer that there are 64 bytes."""
    squeezed = zlib.compressobj(9, wbits=31)
    content = squeezed.compress(bytes(BIG)) + squeezed.flush()
    return content[:-4] + struct.pack("<I", 64)


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cpu.pprof", bytes(BIG))
    return out.getvalue()


def _stack(frames: int) -> bytes:
    return field(2, field(1, varint(1) * frames) + field(2, varint(7)))


def _inlined(lines: int) -> bytes:
    return field(4, whole(1, 1) + field(4, whole(1, 1)) * lines)


def _sparse() -> Iterator[bytes]:
    for number in range(60_000):
        yield field(2, field(1, varint(2**63 - number * 7919)) + field(2, varint(1)))


def _labels(count: int) -> bytes:
    labels = field(3, whole(1, 1) + whole(2, 2)) * count
    return field(2, field(1, varint(1)) + field(2, varint(7)) + labels)


BOMBS = [
    Bomb("gzip of zeros", lambda: repeated(bytes(4 * MIB), 900 * MIB)),
    Bomb("zstd of zeros", _zstd_zeros),
    Bomb("gzip in gzip", lambda: packed(packed(bytes(BIG)))),
    Bomb("gzip in gzip in zstd", lambda: zstandard.compress(packed(packed(bytes(BIG))))),
    Bomb("gzip with a false size", _liar),
    Bomb("fifty thousand empty gzip members", lambda: packed(b"") * 45_000),
    Bomb("zip", _zip, limited=False),
    Bomb("empty samples", lambda: GOOD + b"\x12\x00" * 500_000, limited=False),
    Bomb("empty samples, packed", lambda: packed(GOOD) + repeated(b"\x12\x00", BIG)),
    Bomb("empty mappings, packed", lambda: packed(GOOD) + repeated(b"\x1a\x00", BIG)),
    Bomb("empty locations, packed", lambda: packed(GOOD) + repeated(b"\x22\x00", BIG)),
    Bomb("empty functions, packed", lambda: packed(GOOD) + repeated(b"\x2a\x00", BIG)),
    Bomb("empty strings, packed", lambda: packed(GOOD) + repeated(b"\x32\x00", BIG)),
    Bomb("long strings, packed", lambda: packed(GOOD) + repeated(field(6, b"x" * 65_536), 320 * MIB)),
    Bomb("one string longer than memory", lambda: GOOD + b"\x32" + varint(1 << 60)),
    Bomb("a length beyond 64 bits", lambda: GOOD + b"\x12" + b"\xff" * 20, limited=False),
    Bomb("a number without end", lambda: b"\x0a" + b"\xff" * (900 * 1024), limited=False),
    Bomb("groups in groups", lambda: GOOD + b"\x0b" * (900 * 1024), limited=False),
    Bomb("a stack of a hundred thousand frames", lambda: AMONG_GOOD + _stack(100_000) + TEXTS),
    Bomb("a hundred thousand inlined frames", lambda: TYPES + SAMPLE + _inlined(100_000) + FUNCTION + TEXTS),
    Bomb(
        "inlined frames times deep stacks",
        lambda: TYPES + _stack(8_000) * 40 + _inlined(8_000) + FUNCTION + TEXTS,
    ),
    Bomb("samples that name what there is not", lambda: TYPES + b"".join(_sparse()) + TEXTS, limited=False),
    Bomb("labels without end", lambda: packed(AMONG_GOOD + _labels(2_000_000) + TEXTS)),
    Bomb("a hundred thousand sample types", lambda: TYPES * 100_000 + SAMPLE + LOCATION + FUNCTION + TEXTS),
    Bomb("totals beyond 64 bits", lambda: TYPES + _largest() * 3 + LOCATION + FUNCTION + TEXTS, limited=False),
    Bomb(
        "a text profile without end",
        lambda: b"heap profile: 1: 1 [1: 1] @ heap/1\n" + b"1: 1 [1: 1] @" + b" 0x1" * 220_000,
        limited=False,
    ),
]


def _largest() -> bytes:
    return field(2, field(1, varint(1)) + field(2, varint(2**63 - 1)))
