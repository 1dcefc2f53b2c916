"""Prometheus remote write, both protocols, from the wire to slots, times and values.

Version 1 spells the labels of every series in every request. A series' labels come before its one sample, so what stands
before the last 18 (or, for the value 0, 9) bytes is the key by which the series is known. If it is, it was once read in full
as whole label fields, and what follows can only be fields too; so the rest is read as a sample, for all series at once.

Version 2 spells each text once and refers to it; the key is the series' texts, end to end.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from slowpath.analysis.metrics.incoming import (
    MAX_EXEMPLARS,
    MAX_LABELS,
    MAX_SAMPLES,
    MAX_SERIES,
    BadSeries,
    Exemplar,
    Incoming,
    Labels,
    TooMuch,
)
from slowpath.analysis.metrics.native_wire import BadHistogram, read_histogram
from slowpath.analysis.metrics.series import SeriesKind
from slowpath.analysis.metrics.wire import BYTES, FIXED64, VARINT, BadWire, fields, signed, text, varint, varints

Place = tuple[int, int]
"""Where something begins and ends in the body."""

ZERO: Final = bytes(8)
ONE_SAMPLE: Final = 18  # 12 10 09 <value> 10 <six bytes of time>
ZERO_SAMPLE: Final = 9  # 12 07 10 <six bytes of time>
MAX_SYMBOLS: Final = 1_000_000
SEPARATOR: Final = b"\xff"  # stands in no UTF-8
DOUBLE: Final = struct.Struct("<d")

MAX_UNIT: Final = 100
MAX_EXEMPLAR_LABELS: Final = 20
MAX_EXEMPLAR_LETTERS: Final = 1024
TYPES: Final[dict[int, SeriesKind]] = {1: "counter", 2: "gauge", 3: "histogram", 4: "gauge-histogram"}
"""Summaries, infos and sets of states have no arithmetic of their own here."""


def read_v1(body: bytes, known: Mapping[bytes, int]) -> Incoming:
    """Read a WriteRequest. `known` maps keys to slots. Raises `BadWire`, `TooMuch`."""
    incoming = Incoming()
    starts, ends = _split_v1(body, incoming)
    slots, kinds = _known_v1(body, starts, ends, known)
    rest = _samples_at_once(body, np.array(ends, np.int64), slots, kinds, incoming)
    for position in rest:
        _series_v1(body, starts[position], ends[position], known, incoming)
    return incoming


def _split_v1(body: bytes, incoming: Incoming) -> tuple[list[int], list[int]]:
    starts: list[int] = []
    ends: list[int] = []
    at, end = 0, len(body)
    while at < end:
        if body[at] == 0x0A:  # a time series, which nearly everything is
            size = body[at + 1] if at + 1 < end else 0x80
            at += 2
            if size >= 0x80:
                size, at = varint(body, at - 1, end)
            if size > end - at:
                raise BadWire("a series is longer than the request")
            starts.append(at)
            at += size
            ends.append(at)
            if len(starts) > MAX_SERIES:
                raise TooMuch("series in a request", MAX_SERIES)
            continue
        number, kind, begin, stop = next(fields(body, at, end))
        if number == 3 and kind == BYTES:
            _metadata_v1(body, begin, stop, incoming)
        elif number in (4, 5):
            raise BadWire("these are fields of remote write 2; the Content-Type says 1")
        at = _after(body, at, end, kind, stop)
    return starts, ends


def _after(body: bytes, at: int, end: int, kind: int, stop: int) -> int:
    """Return where the field at `at` ends."""
    if kind != VARINT:
        return stop
    _, at = varint(body, at, end)
    _, at = varint(body, at, end)
    return at


def _known_v1(
    body: bytes, starts: Sequence[int], ends: Sequence[int], known: Mapping[bytes, int]
) -> tuple[list[int], list[int]]:
    """Return slots of series whose key is known, and the length of their one sample; -1 and 0 for others."""
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
    incoming: Incoming,
) -> list[int]:
    """Read the samples of known series; return the positions of all others."""
    if not len(ends):
        return []
    all_kinds, all_slots = np.array(kinds, np.int64), np.array(slots, np.int64)
    taken = np.zeros(len(ends), np.bool_)
    whole = np.frombuffer(body, np.uint8)
    for length, head in ((ONE_SAMPLE, b"\x12\x10\x09"), (ZERO_SAMPLE, b"\x12\x07")):
        at = np.flatnonzero(all_kinds == length)
        if not len(at):
            continue
        raw = whole[ends[at][:, None] + np.arange(-length, 0)]
        times = raw[:, -6:]
        good = (raw[:, : len(head)] == np.frombuffer(head, np.uint8)).all(axis=1) & (raw[:, -7] == 0x10)
        good &= (times[:, :5] >= 0x80).all(axis=1) & (times[:, 5] < 0x80)
        at, raw, times = at[good], raw[good], times[good]
        ms = ((times & 0x7F).astype(np.int64) << (7 * np.arange(6))).sum(axis=1)
        values = np.ascontiguousarray(raw[:, 3:11]).view(np.float64).reshape(-1) if length == ONE_SAMPLE else None
        incoming.whole.append((all_slots[at], ms, np.zeros(len(at)) if values is None else values))
        taken[at] = True
    return np.flatnonzero(~taken).tolist()


@dataclass(slots=True)
class _Parts:
    """Where the parts of one series lie; a histogram and an exemplar have other numbers in each version."""

    samples: list[Place] = field(default_factory=list)
    histograms: list[Place] = field(default_factory=list)
    exemplars: list[Place] = field(default_factory=list)
    metadata: list[Place] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """How much is lost if the series is refused."""
        return len(self.samples) + len(self.histograms) + len(self.exemplars)


def _series_v1(body: bytes, start: int, end: int, known: Mapping[bytes, int], incoming: Incoming) -> None:
    """Read one series in full."""
    labels: list[Place] = []
    spelled_as: list[bytes] = []
    parts = _Parts()
    into = {1: labels, 2: parts.samples, 3: parts.exemplars, 4: parts.histograms}
    at = start
    for number, kind, begin, stop in fields(body, start, end):
        if kind == BYTES and number in into:
            into[number].append((begin, stop))
            if number == 1:
                spelled_as.append(body[at:stop])
        at = stop if kind != VARINT else _after(body, at, end, kind, stop)
    if len(labels) > MAX_LABELS:
        incoming.faults.add("too-many-labels", _too_many(len(labels)), parts.weight)
        return

    def spelled() -> Labels:
        return tuple(_label_v1(body, begin, stop) for begin, stop in labels)

    try:
        slot = incoming.slot(b"".join(spelled_as), known, spelled, "unknown")
    except BadSeries as bad:
        incoming.faults.add(bad.slug, str(bad), parts.weight)
        return
    _put(body, slot, parts, None, incoming)


def _too_many(labels: int) -> str:
    return f"A series has {labels} labels; it may have {MAX_LABELS}."


def _label_v1(body: bytes, start: int, end: int) -> tuple[str, str]:
    name = value = ""
    for number, kind, begin, stop in fields(body, start, end):
        if kind == BYTES and number == 1:
            name = text(body, begin, stop)
        elif kind == BYTES and number == 2:
            value = text(body, begin, stop)
    return name, value


def _metadata_v1(body: bytes, start: int, end: int, incoming: Incoming) -> None:
    family = unit = ""
    told: SeriesKind = "unknown"
    for number, kind, begin, stop in fields(body, start, end):
        if number == 1 and kind == VARINT:
            told = TYPES.get(begin, "unknown")
        elif number == 2 and kind == BYTES:
            family = text(body, begin, stop)
        elif number == 5 and kind == BYTES:
            unit = text(body, begin, stop)
    if len(incoming.families) >= MAX_SERIES:
        raise TooMuch("metadata in a request", MAX_SERIES)
    if family:
        incoming.families[family] = (told, unit[:MAX_UNIT])


def _sample(body: bytes, start: int, end: int) -> tuple[int, bytes]:
    """Return time and the value's eight bytes."""
    at_ms, value = 0, ZERO
    for number, kind, begin, stop in fields(body, start, end):
        if number == 1 and kind == FIXED64:
            value = body[begin:stop]
        elif number == 2 and kind == VARINT:
            at_ms = signed(begin)
    return at_ms, value


def _put(body: bytes, slot: int, parts: _Parts, texts: Sequence[str] | None, incoming: Incoming) -> None:
    """Put what a series brings under its slot."""
    for begin, stop in parts.samples:
        at_ms, value = _sample(body, begin, stop)
        incoming.slots.append(slot)
        incoming.times_ms.append(at_ms)
        incoming.values.append(value)
    if len(incoming.slots) > MAX_SAMPLES:
        raise TooMuch("samples in a request", MAX_SAMPLES)
    for begin, stop in parts.histograms:
        try:
            at_ms, histogram = read_histogram(body, begin, stop)
        except BadHistogram as bad:
            incoming.faults.add("bad-histogram", str(bad))
            continue
        incoming.natives.append((slot, at_ms, histogram))
    for at in parts.exemplars:
        _exemplar(body, at, slot, texts, incoming)


def _exemplar(body: bytes, at: Place, slot: int, texts: Sequence[str] | None, incoming: Incoming) -> None:
    """Read an exemplar; its labels are spelled (version 1) or referred to (version 2: `texts`)."""
    labels: list[tuple[str, str]] = []
    at_ms, value = 0, 0.0
    for number, kind, begin, stop in fields(body, *at):
        if number == 1 and kind == BYTES and texts is None:
            labels.append(_label_v1(body, begin, stop))
        elif number == 1 and kind == BYTES and texts is not None:
            labels.extend(_referred(varints(body, begin, stop, 2 * MAX_EXEMPLAR_LABELS), texts))
        elif number == 2 and kind == FIXED64:
            value = DOUBLE.unpack_from(body, begin)[0]
        elif number == 3 and kind == VARINT:
            at_ms = signed(begin)
    if len(labels) > MAX_EXEMPLAR_LABELS or sum(len(part) for pair in labels for part in pair) > MAX_EXEMPLAR_LETTERS:
        incoming.faults.add("exemplar-too-long", f"An exemplar has more than {MAX_EXEMPLAR_LETTERS} letters of labels.")
        return
    if len(incoming.exemplars) >= MAX_EXEMPLARS:
        raise TooMuch("exemplars in a request", MAX_EXEMPLARS)
    incoming.exemplars.append(Exemplar(slot, at_ms, value, tuple(labels)))


def read_v2(body: bytes, known: Mapping[bytes, int]) -> Incoming:
    """Read an io.prometheus.write.v2.Request. `known` maps keys to slots. Raises `BadWire`, `TooMuch`."""
    incoming = Incoming()
    symbols: list[bytes] = []
    series: list[tuple[int, int]] = []
    for number, kind, begin, stop in fields(body, 0, len(body)):
        if number == 4 and kind == BYTES:
            symbols.append(body[begin:stop])
            if len(symbols) > MAX_SYMBOLS:
                raise TooMuch("symbols in a request", MAX_SYMBOLS)
        elif number == 5 and kind == BYTES:
            series.append((begin, stop))
            if len(series) > MAX_SERIES:
                raise TooMuch("series in a request", MAX_SERIES)
        elif number in (1, 2, 3):
            raise BadWire("these are fields of remote write 1; the Content-Type says 2")
    texts = [text(symbol, 0, len(symbol)) for symbol in symbols]
    if series and (not texts or texts[0]):
        raise BadWire("the first symbol is not empty")
    told = _Symbols(symbols, texts)
    for at in series:
        _series_v2(body, at, told, known, incoming)
    return incoming


class _Symbols:
    """What a request refers to: as bytes, and as texts."""

    __slots__ = ("bytes", "texts")

    def __init__(self, raw: list[bytes], texts: list[str]) -> None:
        self.bytes = raw
        self.texts = texts


def _series_v2(body: bytes, at: Place, symbols: _Symbols, known: Mapping[bytes, int], incoming: Incoming) -> None:
    refs: list[int] = []
    parts = _Parts()
    into = {2: parts.samples, 3: parts.histograms, 4: parts.exemplars, 5: parts.metadata}
    created_ms = 0
    for number, kind, begin, stop in fields(body, *at):
        if number == 1:
            refs.extend(varints(body, begin, stop, 4 * MAX_LABELS) if kind == BYTES else [begin])
        elif kind == BYTES and number in into:
            into[number].append((begin, stop))
        elif kind == VARINT and number == 6:
            created_ms = signed(begin)
    try:
        told, unit = _metadata_v2(body, parts.metadata, symbols.texts)
        key = _key_v2(refs, symbols.bytes)
        slot = incoming.slot(key, known, lambda: tuple(_referred(refs, symbols.texts)), told, unit)
    except BadSeries as bad:
        incoming.faults.add(bad.slug, str(bad), max(parts.weight, 1))
        return
    if created_ms > 0:
        incoming.created_ms[slot] = created_ms
    if told != "unknown" or unit:
        incoming.told[slot] = (told, unit)
    _put(body, slot, parts, symbols.texts, incoming)


def _key_v2(refs: Sequence[int], symbols: Sequence[bytes]) -> bytes:
    if len(refs) > 2 * MAX_LABELS:
        raise BadSeries("too-many-labels", _too_many(len(refs) // 2))
    try:
        return SEPARATOR.join([symbols[ref] for ref in refs])
    except IndexError as error:
        raise BadSeries("no-such-symbol", "A label refers to a symbol that is not there.") from error


def _referred(refs: Sequence[int], texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(refs) % 2:
        raise BadSeries("odd-references", "A series has a label without a value.")
    for at in range(0, len(refs), 2):
        if max(refs[at], refs[at + 1]) >= len(texts):
            raise BadSeries("no-such-symbol", "A label refers to a symbol that is not there.")
        yield texts[refs[at]], texts[refs[at + 1]]


def _metadata_v2(body: bytes, at: Sequence[Place], texts: Sequence[str]) -> tuple[SeriesKind, str]:
    told: SeriesKind = "unknown"
    unit = ""
    for number, kind, value, _ in (one for place in at for one in fields(body, *place)):
        if number == 1 and kind == VARINT:
            told = TYPES.get(value, "unknown")
        elif number == 4 and kind == VARINT and value < len(texts):
            unit = texts[value][:MAX_UNIT]
    return told, unit
