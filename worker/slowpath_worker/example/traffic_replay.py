"""Replay captured traffic: turn histograms of short windows into hours of samples, and shift the times of spans.

Each step of the replay repeats one randomly chosen captured window until the step is filled. Quantiles are those of the
captured windows, and so is their dispersion.
"""

import random
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cramjam

STALE_BITS = 0x7FF0000000000002
"""Bits of Prometheus's staleness marker, a NaN."""
METRIC_NAME = "http_request_duration_seconds"
REMOTE_WRITE_HEADERS = {
    "Content-Type": "application/x-protobuf",
    "Content-Encoding": "snappy",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


@dataclass(frozen=True)
class ReplaySeries:
    """One time series: labels, and (milliseconds since 1970, value), ascending; None is the staleness marker."""

    labels: Mapping[str, str]
    points: list[tuple[int, float | None]] = field(default_factory=list)


@dataclass(frozen=True)
class ReplayRange:
    """A time range (milliseconds since 1970) that replays the windows of one variant, with the labels of its series."""

    variant: str
    from_ms: int
    to_ms: int
    labels: Mapping[str, Mapping[str, str]]
    """Labels by instance; other instances are omitted."""
    ends: bool
    """Whether the series end with a staleness marker."""
    captured: str | None = None
    """The instance whose windows are replayed; None for the instance of the same name."""
    share: float = 1.0
    """Share of the requests of each window; the shares of load-balanced instances add up to 1."""


def replay_history(
    history: Mapping[str, Any], ranges: Sequence[ReplayRange], step_ms: int, seed: int
) -> list[ReplaySeries]:
    """Return all series of a history.

    Counters start at 0, like those of a new process; a range with the labels of an earlier one continues its counters.
    """
    series_by_labels: dict[tuple[tuple[str, str], ...], ReplaySeries] = {}
    for replay_range in ranges:
        # All instances of a range replay the same windows, because they were measured together. An instance that replays
        # the windows of another one uses a different seed; otherwise the two would be identical.
        range_seed = seed if replay_range.captured is None else seed + 1
        _replay(series_by_labels, history, replay_range, step_ms, random.Random(range_seed))  # noqa: S311 - reproducible; no secret
    return list(series_by_labels.values())


def _replay(
    series_by_labels: dict[tuple[tuple[str, str], ...], ReplaySeries],
    history: Mapping[str, Any],
    replay_range: ReplayRange,
    step_ms: int,
    rng: random.Random,
) -> None:
    times = range(replay_range.from_ms, replay_range.to_ms, step_ms)
    windows_by_step = [rng.choice(history["variants"][replay_range.variant]) for _ in times]
    repetitions = [max(1, round(step_ms / 1000 / each["seconds"])) for each in windows_by_step]
    for instance, range_labels in replay_range.labels.items():
        windows = [each["instances"][replay_range.captured or instance] for each in windows_by_step]
        for labels, increments in _columns(history["bounds"], windows):
            all_labels = {**range_labels, "instance": instance, "code": "200", "method": "post", **labels}
            series = series_by_labels.setdefault(tuple(sorted(all_labels.items())), ReplaySeries(all_labels))
            total = (series.points[-1][1] if series.points else None) or 0.0
            for number, at in enumerate(times):
                total += increments[number] * repetitions[number] * replay_range.share if series.points else 0.0
                series.points.append((at, total))
            if replay_range.ends:
                series.points.append((replay_range.to_ms, None))


def _columns(
    bounds: Sequence[str], windows: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[dict[str, str], list[float]]]:
    """Yield each series of a classic histogram: its labels, and its increment in each window."""
    for number, bound in enumerate(bounds):
        yield {"__name__": f"{METRIC_NAME}_bucket", "le": bound}, [float(each["buckets"][number]) for each in windows]
    yield {"__name__": f"{METRIC_NAME}_count"}, [float(each["buckets"][-1]) for each in windows]
    yield {"__name__": f"{METRIC_NAME}_sum"}, [float(each["sum"]) for each in windows]


def remote_write(all_series: Sequence[ReplaySeries]) -> bytes:
    """Encode series as one remote write 1 request: protobuf, compressed with snappy."""
    return bytes(cramjam.snappy.compress_raw(b"".join(_block(1, _series(series)) for series in all_series)))


def _series(series: ReplaySeries) -> bytes:
    labels = [
        _block(1, _block(1, name.encode()) + _block(2, text.encode())) for name, text in sorted(series.labels.items())
    ]
    return b"".join([*labels, *(_block(2, _sample(at, value)) for at, value in series.points)])


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


# Times in an OTLP export request: nested messages by field number, and the fixed64 fields that hold Unix times.
_INSIDE: Mapping[str, Mapping[int, str]] = {
    "request": {1: "resource"},
    "resource": {2: "scope"},
    "scope": {2: "span"},
    "span": {11: "event"},
}
_TIMES: Mapping[str, frozenset[int]] = {"span": frozenset({7, 8}), "event": frozenset({1})}


def shift_span_times(request: bytes, by_ns: int) -> bytes:
    """Shift all times of an OTLP export request (protobuf) by `by_ns`; everything else is unchanged."""
    out = bytearray(request)
    for at in _times(request, 0, len(request), "request"):
        (time,) = struct.unpack_from("<Q", request, at)
        struct.pack_into("<Q", out, at, max(0, time + by_ns))
    return bytes(out)


def add_resource_attribute(request: bytes, name: str, value: str) -> bytes:
    """Add an attribute to every resource of an OTLP export request (protobuf); everything else is unchanged."""
    attribute = _block(1, _block(1, name.encode()) + _block(2, _block(1, value.encode())))
    return _replace_blocks(
        request, 1, lambda spans: _replace_blocks(spans, 1, lambda resource: resource + attribute)
    )


def _replace_blocks(message: bytes, number: int, replace: Callable[[bytes], bytes]) -> bytes:
    """Replace the content of each length-delimited field `number` of a message."""
    out, at = bytearray(), 0
    while at < len(message):
        start = at
        key, at = _read_varint(message, at)
        if key & 7 == 2:
            length, at = _read_varint(message, at)
            content, at = message[at : at + length], at + length
            if key >> 3 == number:
                out += _block(number, replace(content))
                continue
        else:
            at = _skip(message, at, key & 7)
        out += message[start:at]
    return bytes(out)


def _skip(message: bytes, at: int, wire: int) -> int:
    """Return the offset after a field that is not length-delimited."""
    return at + {1: 8, 5: 4}[wire] if wire in {1, 5} else _read_varint(message, at)[1]


def first_time(request: bytes) -> int:
    """Return the earliest time in an OTLP export request (nanoseconds since 1970); 0 without spans."""
    found = (struct.unpack_from("<Q", request, at)[0] for at in _times(request, 0, len(request), "request"))
    return min(found, default=0)


def _times(body: bytes, at: int, end: int, message: str) -> Iterator[int]:
    """Yield the byte offsets of the times of a message."""
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
