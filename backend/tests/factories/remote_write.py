"""Requests of remote write as a sender makes them: the wire format written out by hand, both versions."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import cramjam

Labels = Mapping[str, str] | Sequence[tuple[str, str]]

V1_HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}
V2_HEADERS = {
    "Content-Type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "2.0.0",
}


def varint(value: int) -> bytes:
    value %= 1 << 64
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    return varint((value << 1) ^ (value >> 63))


def number(tag: int, value: int) -> bytes:
    return varint(tag << 3) + varint(value) if value else b""


def double(tag: int, value: float) -> bytes:
    packed = struct.pack("<d", value)
    return varint(tag << 3 | 1) + packed if packed != bytes(8) else b""


def block(tag: int, content: bytes) -> bytes:
    return varint(tag << 3 | 2) + varint(len(content)) + content


def raw_double(tag: int, bits: int) -> bytes:
    return varint(tag << 3 | 1) + struct.pack("<Q", bits)


@dataclass(frozen=True)
class Point:
    """A sample; `bits` instead of a value where a NaN's bits matter."""

    at_ms: int
    value: float = 0.0
    bits: int | None = None

    def encoded(self) -> bytes:
        encoded = double(1, self.value) if self.bits is None else raw_double(1, self.bits)
        return encoded + number(2, self.at_ms)


@dataclass(frozen=True)
class Native:
    """A native histogram; counts of buckets as differences when whole."""

    at_ms: int
    count: float = 0
    sum: float = 0.0
    schema: int = 0
    zero_count: float = 0
    zero_threshold: float = 0.0
    positive_spans: Sequence[tuple[int, int]] = ()
    positive: Sequence[float] = ()
    negative_spans: Sequence[tuple[int, int]] = ()
    negative: Sequence[float] = ()
    bounds: Sequence[float] = ()
    whole: bool = True
    reset_hint: int = 0

    def encoded(self) -> bytes:
        out = (
            varint(1 << 3) + varint(int(self.count))
            if self.whole
            else varint(2 << 3 | 1) + struct.pack("<d", self.count)
        )
        out += double(3, self.sum) + (varint(4 << 3) + zigzag(self.schema)) + double(5, self.zero_threshold)
        if self.zero_count:
            out += number(6, int(self.zero_count)) if self.whole else double(7, self.zero_count)
        for tags, spans, counts in (
            ((8, 9, 10), self.negative_spans, self.negative),
            ((11, 12, 13), self.positive_spans, self.positive),
        ):
            for offset, length in spans:
                out += block(tags[0], varint(1 << 3) + zigzag(offset) + number(2, length))
            if counts and self.whole:
                deltas = [int(now - before) for now, before in zip(counts, (0, *counts), strict=False)]
                out += block(tags[1], b"".join(map(zigzag, deltas)))
            elif counts:
                out += block(tags[2], struct.pack(f"<{len(counts)}d", *counts))
        out += number(14, self.reset_hint) + number(15, self.at_ms)
        return out + (block(16, struct.pack(f"<{len(self.bounds)}d", *self.bounds)) if self.bounds else b"")


@dataclass(frozen=True)
class Example:
    """An exemplar."""

    at_ms: int
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """One time series of a request."""

    labels: Labels
    points: Sequence[Point] = ()
    natives: Sequence[Native] = ()
    exemplars: Sequence[Example] = ()
    kind: int = 0
    unit: str = ""
    created_ms: int = 0


def pairs(labels: Labels) -> list[tuple[str, str]]:
    return sorted(labels.items()) if isinstance(labels, Mapping) else list(labels)


def label(name: str, value: str) -> bytes:
    return (block(1, name.encode()) if name else b"") + (block(2, value.encode()) if value else b"")


def v1(series: Iterable[Sent], metadata: Sequence[tuple[str, int, str]] = ()) -> bytes:
    """A WriteRequest, packed. Metadata: family, type, unit."""
    out = b""
    for one in series:
        encoded = b"".join(block(1, label(*pair)) for pair in pairs(one.labels))
        encoded += b"".join(block(2, point.encoded()) for point in one.points)
        for example in one.exemplars:
            spelled = b"".join(block(1, label(*pair)) for pair in pairs(example.labels))
            encoded += block(3, spelled + double(2, example.value) + number(3, example.at_ms))
        encoded += b"".join(block(4, native.encoded()) for native in one.natives)
        out += block(1, encoded)
    for family, kind, unit in metadata:
        out += block(3, number(1, kind) + block(2, family.encode()) + (block(5, unit.encode()) if unit else b""))
    return snappy(out)


def v2(series: Iterable[Sent]) -> bytes:
    """An io.prometheus.write.v2.Request, packed."""
    symbols: dict[str, int] = {"": 0}

    def refs(labels: Labels) -> bytes:
        listed = [symbols.setdefault(text, len(symbols)) for pair in pairs(labels) for text in pair]
        return block(1, b"".join(map(varint, listed))) if listed else b""

    body = b""
    for one in series:
        encoded = refs(one.labels)
        encoded += b"".join(block(2, point.encoded()) for point in one.points)
        encoded += b"".join(block(3, native.encoded()) for native in one.natives)
        for example in one.exemplars:
            encoded += block(4, refs(example.labels) + double(2, example.value) + number(3, example.at_ms))
        if one.kind or one.unit:
            unit = symbols.setdefault(one.unit, len(symbols))
            encoded += block(5, number(1, one.kind) + number(4, unit))
        body += block(5, encoded + number(6, one.created_ms))
    return snappy(b"".join(block(4, text.encode()) for text in symbols) + body)


def snappy(plain: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(plain))
