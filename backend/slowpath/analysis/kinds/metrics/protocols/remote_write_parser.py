"""Parse Prometheus remote write 1 to slots, times and values.

It contains the labels of every series in every request. A series' labels precede its one sample, so the bytes before the
last 18 (or, for the value 0, 9) are the key of the series. If the key is known, it was once parsed completely as label fields,
and only fields can follow; so the rest is read as a sample, for all series at once.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import (
    MAX_LABELS,
    MAX_NAME_BYTES,
    MAX_SERIES,
    MAX_VALUE_BYTES,
    SERIES_BYTES,
    BatchTooLarge,
    Deliver,
    IngestBatch,
    InvalidSeries,
    Labels,
)
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import (
    BYTES,
    VARINT,
    MalformedProtobuf,
    fields,
    text,
    varint,
)
from slowpath.analysis.kinds.metrics.protocols.remote_write_series import (
    MAX_UNIT,
    TYPES,
    PartNumbers,
    Place,
    RemoteWriteReader,
    label_too_long,
    too_many_labels,
)
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind

PARTS: Final = PartNumbers(samples=2, histograms=4, exemplars=3)
ONE_SAMPLE: Final = 18  # 12 10 09 <value> 10 <six bytes of time>
ZERO_SAMPLE: Final = 9  # 12 07 10 <six bytes of time>
MAX_FAMILIES: Final = 20_000
"""Per request: more than a server that scrapes thousands of programs sends at once."""
WINDOW_SERIES: Final = 4_096
WINDOW_BYTES: Final = 256 << 10
"""Size of the part of a request that is processed together."""
MAX_LABEL_BYTES: Final = MAX_NAME_BYTES + MAX_VALUE_BYTES + 16
"""A label with the lengths and numbers around its name and value."""


def read_v1(body: bytes, known: Mapping[bytes, int], deliver: Deliver | None = None) -> IngestBatch:
    """Parse a WriteRequest. `known` maps keys to slots. Raises `MalformedProtobuf`, `BatchTooLarge`.

    Large batches are delivered while reading, so that memory is bounded; the rest is returned.
    """
    reading = RemoteWriteReader(body, known, deliver, PARTS, lambda at: [_label(body, *at)])
    starts: list[int] = []
    ends: list[int] = []
    n_series, first, at, end = 0, 0, 0, len(body)
    while at < end:
        if len(starts) >= WINDOW_SERIES or at - first >= WINDOW_BYTES:
            _window(reading, starts, ends)
            starts, ends, first = [], [], at
        if body[at] == 0x0A:  # a time series: nearly everything
            size = body[at + 1] if at + 1 < end else 0x80
            at += 2
            if size >= 0x80:
                size, at = varint(body, at - 1, end)
            if size > end - at:
                raise MalformedProtobuf("a series is longer than the request")
            starts.append(at)
            at += size
            ends.append(at)
            n_series += 1
            if n_series > MAX_SERIES:
                raise BatchTooLarge("series in a request", MAX_SERIES)
            continue
        number, kind, begin, stop = next(fields(body, at, end))
        if number == 3 and kind == BYTES:
            _metadata(body, begin, stop, reading.incoming)
        elif number in (4, 5):
            raise MalformedProtobuf("the body has fields of remote write 2, but the Content-Type is version 1")
        at = _after(body, at, end, kind, stop)
    _window(reading, starts, ends)
    return reading.incoming


def _window(reading: RemoteWriteReader, starts: Sequence[int], ends: Sequence[int]) -> None:
    """Read some series."""
    slots, kinds = _known(reading.body, starts, ends, reading.known)
    rest = _samples_at_once(reading.body, np.array(ends, np.int64), slots, kinds, reading.incoming)
    for position in rest:
        _series(reading, (starts[position], ends[position]))
        reading.hand_over()


def _after(body: bytes, at: int, end: int, kind: int, stop: int) -> int:
    """Return the end of the field at `at`."""
    if kind != VARINT:
        return stop
    _, at = varint(body, at, end)
    _, at = varint(body, at, end)
    return at


def _known(
    body: bytes, starts: Sequence[int], ends: Sequence[int], known: Mapping[bytes, int]
) -> tuple[list[int], list[int]]:
    """Return slots of series with a known key, and the length of their one sample; -1 and 0 for others."""
    slots: list[int] = []
    kinds: list[int] = []
    get = known.get
    for start, end in zip(starts, ends, strict=True):
        slot = get(body[start : end - ONE_SAMPLE])
        if slot is not None:
            kinds.append(ONE_SAMPLE)
        else:
            slot = get(body[start : end - ZERO_SAMPLE])
            kinds.append(ZERO_SAMPLE if slot is not None else 0)
        slots.append(-1 if slot is None else slot)
    return slots, kinds


def _samples_at_once(
    body: bytes,
    ends: np.ndarray[tuple[int], np.dtype[np.int64]],
    slots: Sequence[int],
    kinds: Sequence[int],
    incoming: IngestBatch,
) -> list[int]:
    """Read the samples of known series; return the positions of all others."""
    if not len(ends):
        return []
    all_kinds, all_slots = np.array(kinds, np.int64), np.array(slots, np.int64)
    is_read = np.zeros(len(ends), np.bool_)
    all_bytes = np.frombuffer(body, np.uint8)
    for length, head in ((ONE_SAMPLE, b"\x12\x10\x09"), (ZERO_SAMPLE, b"\x12\x07")):
        at = np.flatnonzero(all_kinds == length)
        if not len(at):
            continue
        raw = all_bytes[ends[at][:, None] + np.arange(-length, 0)]
        times = raw[:, -6:]
        good = (raw[:, : len(head)] == np.frombuffer(head, np.uint8)).all(axis=1) & (raw[:, -7] == 0x10)
        good &= (times[:, :5] >= 0x80).all(axis=1) & (times[:, 5] < 0x80)
        at, raw, times = at[good], raw[good], times[good]
        ms = ((times & 0x7F).astype(np.int64) << (7 * np.arange(6))).sum(axis=1)
        values = np.ascontiguousarray(raw[:, 3:11]).view(np.float64).reshape(-1) if length == ONE_SAMPLE else None
        incoming.whole.append((all_slots[at], ms, np.zeros(len(at)) if values is None else values))
        is_read[at] = True
    return np.flatnonzero(~is_read).tolist()


def _series(reading: RemoteWriteReader, at: Place) -> None:
    """Read one series completely. Its labels are read first, wherever they are."""
    body = reading.body
    labels: list[Place] = []
    spelled_as: list[bytes] = []
    n_labels, n_parts, longest, here = 0, 0, 0, at[0]
    for number, kind, begin, stop in fields(body, *at):
        if kind == BYTES and number == 1:
            n_labels += 1
            longest = max(longest, stop - begin)
            if n_labels <= MAX_LABELS and longest <= MAX_LABEL_BYTES:
                labels.append((begin, stop))
                spelled_as.append(body[here:stop])
        elif kind == BYTES and number in PARTS.numbers:
            n_parts += 1
        here = stop if kind != VARINT else _after(body, here, at[1], kind, stop)
    faults = reading.incoming.faults
    if n_labels > MAX_LABELS:
        faults.add("too-many-labels", too_many_labels(n_labels), n_parts)
        return
    if longest > MAX_LABEL_BYTES:
        faults.add("label-value-too-long", label_too_long(longest), n_parts)
        return
    key = b"".join(spelled_as)

    def spelled() -> Labels:
        return tuple(_label(body, *place) for place in labels)

    def resolve(into: IngestBatch) -> int:
        return into.slot(key, reading.known, spelled, "unknown")

    try:
        resolve(reading.incoming)
    except InvalidSeries as bad:
        faults.add(bad.slug, str(bad), n_parts)
        return
    reading.put(at, resolve)


def _label(body: bytes, start: int, end: int) -> tuple[str, str]:
    name = value = ""
    for number, kind, begin, stop in fields(body, start, end):
        if kind == BYTES and number == 1:
            name = text(body, begin, stop)
        elif kind == BYTES and number == 2:
            value = text(body, begin, stop)
    return name, value


def _metadata(body: bytes, start: int, end: int, incoming: IngestBatch) -> None:
    family = unit = ""
    series_kind: SeriesKind = "unknown"
    for number, kind, begin, stop in fields(body, start, end):
        if number == 1 and kind == VARINT:
            series_kind = TYPES.get(begin, "unknown")
        elif number == 2 and kind == BYTES:
            family = text(body, begin, stop)
        elif number == 5 and kind == BYTES:
            unit = text(body, begin, stop)
    if len(family) > MAX_VALUE_BYTES:
        raise MalformedProtobuf(f"the name of a metric family is longer than {MAX_VALUE_BYTES} bytes")
    if family:
        incoming.so_far.families += 1
        if incoming.so_far.families > MAX_FAMILIES:
            raise BatchTooLarge("metadata in a request", MAX_FAMILIES)
        incoming.weight += SERIES_BYTES + len(family)
        incoming.families[family] = (series_kind, unit[:MAX_UNIT])
