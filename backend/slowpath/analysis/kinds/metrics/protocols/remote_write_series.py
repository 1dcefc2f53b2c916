"""Common parts of both versions of remote write: the samples, histograms and exemplars of a series."""

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import (
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
from slowpath.analysis.kinds.metrics.protocols.native_histogram_wire import InvalidHistogram, read_histogram
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import BYTES, FIXED64, VARINT, fields, signed
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind

Place = tuple[int, int]
"""Start and end of a part of the body."""

ZERO: Final = bytes(8)
DOUBLE: Final = struct.Struct("<d")
MAX_UNIT: Final = 100
MAX_EXEMPLAR_LABELS: Final = 20
MAX_EXEMPLAR_LETTERS: Final = 1024
TYPES: Final[dict[int, SeriesKind]] = {1: "counter", 2: "gauge", 3: "histogram", 4: "gauge-histogram"}
"""Summaries, infos and state sets are not supported as such."""


@dataclass(frozen=True, slots=True)
class PartNumbers:
    """The field numbers of a series' parts, which differ between the versions."""

    samples: int
    histograms: int
    exemplars: int

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Return all numbers."""
        return self.samples, self.histograms, self.exemplars


@dataclass(slots=True)
class RemoteWriteReader:
    """Convert a request to samples, which are delivered in batches."""

    body: bytes
    known: Mapping[bytes, int]
    deliver: Deliver | None
    parts: PartNumbers
    exemplar_labels: Callable[[Place], Sequence[tuple[str, str]]]
    """Reads the labels of an exemplar, which version 1 contains and version 2 refers to."""
    incoming: IngestBatch = field(default_factory=IngestBatch)

    def put(self, at: Place, resolve: Callable[[IngestBatch], int]) -> None:
        """Add a series' samples to its slot, which `resolve` finds again after a delivery."""
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
        """Deliver a large batch; return whether it was delivered."""
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
            detail = f"The labels of an exemplar have more than {MAX_EXEMPLAR_LETTERS} characters."
            incoming.faults.add("exemplar-too-long", detail)
            return
        incoming.so_far.exemplars += 1
        if incoming.so_far.exemplars > MAX_EXEMPLARS:
            raise BatchTooLarge("exemplars in a request", MAX_EXEMPLARS)
        incoming.weight += EXEMPLAR_BYTES
        incoming.exemplars.append(IncomingExemplar(slot, at_ms, value, tuple(labels)))


def too_many_labels(labels: int) -> str:
    """Describe a series with too many labels."""
    return f"A series has {labels} labels, the limit is {MAX_LABELS}."


def label_too_long(size: int) -> str:
    """Describe a label that is too long."""
    return (
        f"A label has {size} bytes; the limits are {MAX_NAME_BYTES} for its name and {MAX_VALUE_BYTES} for its value."
    )


def _sample(body: bytes, start: int, end: int) -> tuple[int, bytes]:
    """Return time and the value's eight bytes."""
    at_ms, value = 0, ZERO
    for number, kind, begin, stop in fields(body, start, end):
        if number == 1 and kind == FIXED64:
            value = body[begin:stop]
        elif number == 2 and kind == VARINT:
            at_ms = signed(begin)
    return at_ms, value
