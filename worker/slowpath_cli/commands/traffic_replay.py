"""Captured traffic laid out in time: histograms of short windows become hours of samples, spans are moved to when they fit.

Nothing is invented: each step of the replay takes one captured window and counts it as often as it takes to fill the step.
What is stretched so keeps its quantiles, and its spread is that of the windows.
"""

import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cramjam

STALE_BITS = 0x7FF0000000000002
"""Prometheus's mark of a series that has ended."""
FAMILY = "http_request_duration_seconds"
REMOTE_WRITE_HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


@dataclass(frozen=True)
class ReplaySeries:
    """One series: its labels, and (milliseconds since 1970, value), ascending; None is the mark of its end."""

    labels: Mapping[str, str]
    points: list[tuple[int, float | None]] = field(default_factory=list)


@dataclass(frozen=True)
class ReplayRange:
    """From when to when (milliseconds) the windows of a variant are replayed, and what its series are labelled with."""

    variant: str
    from_ms: int
    to_ms: int
    labels: Mapping[str, Mapping[str, str]]
    """By instance; instances that are not named here are left out."""
    ends: bool
    """Whether the processes stop at the end."""
    captured: str | None = None
    """The instance whose windows are replayed, where it is another one."""
    share: float = 1.0
    """Of the requests of each window: instances that share the load have as many together as the captured one had."""


def replay_history(
    history: Mapping[str, Any], stretches: Sequence[ReplayRange], step_ms: int, seed: int
) -> list[ReplaySeries]:
    """Return all series of a history.

    Counters begin at 0, as those of a new process do; a stretch of the same labels as one before it counts on.
    """
    lines: dict[tuple[tuple[str, str], ...], ReplaySeries] = {}
    for stretch in stretches:
        # The same windows for all instances of a stretch: they were measured together. Who replays another's windows draws
        # for itself, or two instances would be one.
        drawn_by = seed if stretch.captured is None else seed + 1
        _replay(lines, history, stretch, step_ms, random.Random(drawn_by))  # noqa: S311 - the same each time; no secret
    return list(lines.values())


def _replay(
    lines: dict[tuple[tuple[str, str], ...], ReplaySeries],
    history: Mapping[str, Any],
    stretch: ReplayRange,
    step_ms: int,
    dice: random.Random,
) -> None:
    times = range(stretch.from_ms, stretch.to_ms, step_ms)
    drawn = [dice.choice(history["variants"][stretch.variant]) for _ in times]
    often = [max(1, round(step_ms / 1000 / each["seconds"])) for each in drawn]
    for instance, about in stretch.labels.items():
        windows = [each["instances"][stretch.captured or instance] for each in drawn]
        for labels, grown in _columns(history["bounds"], windows):
            known = {**about, "instance": instance, "code": "200", "method": "post", **labels}
            line = lines.setdefault(tuple(sorted(known.items())), ReplaySeries(known))
            total = (line.points[-1][1] if line.points else None) or 0.0
            for number, at in enumerate(times):
                total += grown[number] * often[number] * stretch.share if line.points else 0.0
                line.points.append((at, total))
            if stretch.ends:
                line.points.append((stretch.to_ms, None))


def _columns(
    bounds: Sequence[str], counted: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[dict[str, str], list[float]]]:
    """By series of a histogram: its own labels, and by how much each window lets it grow."""
    for number, bound in enumerate(bounds):
        yield {"__name__": f"{FAMILY}_bucket", "le": bound}, [float(each["buckets"][number]) for each in counted]
    yield {"__name__": f"{FAMILY}_count"}, [float(each["buckets"][-1]) for each in counted]
    yield {"__name__": f"{FAMILY}_sum"}, [float(each["sum"]) for each in counted]


def remote_write(lines: Sequence[ReplaySeries]) -> bytes:
    """Return series as one request of remote write 1: protobuf, packed with snappy."""
    return bytes(cramjam.snappy.compress_raw(b"".join(_block(1, _series(line)) for line in lines)))


def _series(line: ReplaySeries) -> bytes:
    labels = [
        _block(1, _block(1, name.encode()) + _block(2, text.encode())) for name, text in sorted(line.labels.items())
    ]
    return b"".join([*labels, *(_block(2, _sample(at, value)) for at, value in line.points)])


def _sample(at_ms: int, value: float | None) -> bytes:
    bits = struct.pack("<Q", STALE_BITS) if value is None else struct.pack("<d", value)
    return b"\x09" + bits + b"\x10" + _varint(at_ms)


def _block(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# Where an OTLP export request keeps times: messages by field number, and the fixed64 fields that are times of a Unix clock.
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "request": {1: "resource"},
    "resource": {2: "scope"},
    "scope": {2: "span"},
    "span": {11: "event"},
}
_TIMES: Mapping[str, frozenset[int]] = {"span": frozenset({7, 8}), "event": frozenset({1})}


def shift_span_times(request: bytes, by_ns: int) -> bytes:
    """Return an OTLP export request (protobuf) with all its times moved; everything else is left as it came."""
    out = bytearray(request)
    for at in _times(request, 0, len(request), "request"):
        (time,) = struct.unpack_from("<Q", request, at)
        struct.pack_into("<Q", out, at, max(0, time + by_ns))
    return bytes(out)


def first_time(request: bytes) -> int:
    """Return the earliest time in an OTLP export request (nanoseconds since 1970); 0 without spans."""
    found = (struct.unpack_from("<Q", request, at)[0] for at in _times(request, 0, len(request), "request"))
    return min(found, default=0)


def _times(body: bytes, at: int, end: int, message: str) -> Iterator[int]:
    """Where the times of a message lie."""
    while at < end:
        key, at = _read_varint(body, at)
        number, wire = key >> 3, key & 7
        if wire == 1:
            if number in _TIMES.get(message, ()):
                yield at
            at += 8
        elif wire == 2:
            length, at = _read_varint(body, at)
            inner = _INSIDE.get(message, {}).get(number)
            if inner is not None:
                yield from _times(body, at, at + length, inner)
            at += length
        elif wire == 5:
            at += 4
        else:
            _, at = _read_varint(body, at)


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
