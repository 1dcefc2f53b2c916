"""What both versions of remote write have in common: the samples, histograms and exemplars of a series."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.kinds.metrics.ingest_batch import (
    BUCKET_BYTES,
    EXEMPLAR_BYTES,
    MAX_EXEMPLARS,
    MAX_LABELS,
    MAX_NAME_BYTES,
    MAX_VALUE_BYTES,
    SERIES_BYTES,
    BatchTooLarge,
    Deliver,
    IncomingExemplar,
    IngestBatch,
    InvalidSeries,
)
from slowpath.analysis.kinds.metrics.native_histogram_wire import InvalidHistogram, read_histogram
from slowpath.analysis.kinds.metrics.protobuf_wire import BYTES, FIXED64, VARINT, fields, signed
from slowpath.analysis.kinds.metrics.series_data import SeriesKind

Place = tuple[int, int]
"""Where something begins and ends in the body."""

ZERO: Final = bytes(8)
DOUBLE: Final = struct.Struct("<d")
MAX_UNIT: Final = 100
MAX_EXEMPLAR_LABELS: Final = 20
MAX_EXEMPLAR_LETTERS: Final = 1024
TYPES: Final[dict[int, SeriesKind]] = {1: "counter", 2: "gauge", 3: "histogram", 4: "gauge-histogram"}
"""Summaries, infos and sets of states have no arithmetic of their own here."""


@dataclass(frozen=True, slots=True)
class PartNumbers:
    """The numbers of a series' parts, which differ between the versions."""

    samples: int
    histograms: int
    exemplars: int

    @property
    def numbers(self) -> tuple[int, int, int]:
        """All of them."""
        return self.samples, self.histograms, self.exemplars


@dataclass(slots=True)
class RemoteWriteReader:
    """A request on its way into samples, which are delivered whenever they are many."""

    body: bytes
    known: Mapping[bytes, int]
    deliver: Deliver | None
    parts: PartNumbers
    exemplar_labels: Callable[[Place], Sequence[tuple[str, str]]]
    """Reads labels of an exemplar, which are spelled in version 1 and referred to in version 2."""
    incoming: IngestBatch = field(default_factory=IngestBatch)

    def put(self, at: Place, resolve: Callable[[IngestBatch], int]) -> None:
        """Put what a series brings under its slot, which `resolve` finds again after a delivery."""
        slot: int | None = None
        for number, kind, begin, stop in fields(self.body, *at):
            if kind != BYTES or number not in self.parts.numbers:
                continue
            if slot is None:
                slot = resolve(self.incoming)
            if number == self.parts.samples:
                at_ms, value = _sample(self.body, begin, stop)
                self.incoming.slots.append(slot)
                self.incoming.times_ms.append(at_ms)
                self.incoming.values.append(value)
            elif number == self.parts.histograms:
                self._histogram((begin, stop), slot)
            else:
                self._exemplar((begin, stop), slot)
            if self.hand_over():
                slot = None

    def hand_over(self) -> bool:
        """Deliver what was read if it is much; tell whether it was."""
        before = self.incoming
        self.incoming = before.handed_over(self.deliver)
        return self.incoming is not before

    def _histogram(self, at: Place, slot: int) -> None:
        incoming = self.incoming
        try:
            at_ms, histogram = read_histogram(self.body, *at)
        except InvalidHistogram as bad:
            incoming.faults.add("bad-histogram", str(bad))
            return
        buckets = len(histogram.positive[0]) + len(histogram.negative[0]) + len(histogram.bounds)
        incoming.weight += SERIES_BYTES + buckets * BUCKET_BYTES
        incoming.natives.append((slot, at_ms, histogram))

    def _exemplar(self, at: Place, slot: int) -> None:
        incoming = self.incoming
        labels: list[tuple[str, str]] = []
        at_ms, value = 0, 0.0
        try:
            for number, kind, begin, stop in fields(self.body, *at):
                if number == 1 and kind == BYTES and len(labels) <= MAX_EXEMPLAR_LABELS:
                    labels.extend(self.exemplar_labels((begin, stop)))
                elif number == 2 and kind == FIXED64:
                    value = DOUBLE.unpack_from(self.body, begin)[0]
                elif number == 3 and kind == VARINT:
                    at_ms = signed(begin)
        except InvalidSeries as bad:
            incoming.faults.add(bad.slug, str(bad))
            return
        if len(labels) > MAX_EXEMPLAR_LABELS or sum(len(one) for pair in labels for one in pair) > MAX_EXEMPLAR_LETTERS:
            detail = f"An exemplar has more than {MAX_EXEMPLAR_LETTERS} letters of labels."
            incoming.faults.add("exemplar-too-long", detail)
            return
        incoming.so_far.exemplars += 1
        if incoming.so_far.exemplars > MAX_EXEMPLARS:
            raise BatchTooLarge("exemplars in a request", MAX_EXEMPLARS)
        incoming.weight += EXEMPLAR_BYTES
        incoming.exemplars.append(IncomingExemplar(slot, at_ms, value, tuple(labels)))


def too_many_labels(labels: int) -> str:
    """Say that a series has too many labels."""
    return f"A series has {labels} labels; it may have {MAX_LABELS}."


def label_too_long(size: int) -> str:
    """Say that a label is too long."""
    return f"A label has {size} bytes; its name may have {MAX_NAME_BYTES} and its value {MAX_VALUE_BYTES}."


def _sample(body: bytes, start: int, end: int) -> tuple[int, bytes]:
    """Return time and the value's eight bytes."""
    at_ms, value = 0, ZERO
    for number, kind, begin, stop in fields(body, start, end):
        if number == 1 and kind == FIXED64:
            value = body[begin:stop]
        elif number == 2 and kind == VARINT:
            at_ms = signed(begin)
    return at_ms, value
