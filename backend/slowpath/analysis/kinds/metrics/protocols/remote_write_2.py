"""Parse Prometheus remote write 2 to slots, times and values.

It contains each text once and refers to it; the key of a series is its texts, concatenated.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import (
    MAX_LABELS,
    MAX_SERIES,
    MAX_VALUE_BYTES,
    BatchTooLarge,
    Deliver,
    IngestBatch,
    InvalidSeries,
)
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import (
    BYTES,
    VARINT,
    MalformedProtobuf,
    fields,
    signed,
    text,
    varints,
)
from slowpath.analysis.kinds.metrics.protocols.remote_write_series import (
    MAX_EXEMPLAR_LABELS,
    MAX_UNIT,
    TYPES,
    PartNumbers,
    Place,
    RemoteWriteReader,
    label_too_long,
    too_many_labels,
)
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind

PARTS: Final = PartNumbers(samples=2, histograms=3, exemplars=4)
MAX_SYMBOLS: Final = 500_000
SEPARATOR: Final = b"\xff"  # never occurs in UTF-8


def read_v2(body: bytes, known: Mapping[bytes, int], deliver: Deliver | None = None) -> IngestBatch:
    """Parse an io.prometheus.write.v2.Request. `known` maps keys to slots.

    Raises `MalformedProtobuf`, `BatchTooLarge`. Large batches are delivered while reading, so that memory is bounded;
    the rest is returned.
    """
    symbols = _Symbols(body)
    reading = RemoteWriteReader(body, known, deliver, PARTS, symbols.of_exemplar)
    n_series = 0
    for number, kind, _, _ in fields(body, 0, len(body)):
        if number == 5 and kind == BYTES:
            n_series += 1
            if n_series > MAX_SERIES:
                raise BatchTooLarge("series in a request", MAX_SERIES)
        elif number in (1, 2, 3):
            raise MalformedProtobuf("the body has fields of remote write 1, but the Content-Type is version 2")
    if n_series and (not len(symbols) or symbols.raw(0)):
        raise MalformedProtobuf("the first symbol is not empty")
    for number, kind, begin, stop in fields(body, 0, len(body)):
        if number == 5 and kind == BYTES:
            _series(reading, (begin, stop), symbols)
            reading.hand_over()
    return reading.incoming


class _Symbols:
    """The texts that a request refers to, read in place: there may be hundreds of thousands."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._starts, self._ends = array("I"), array("I")
        for number, kind, begin, stop in fields(body, 0, len(body)):
            if number == 4 and kind == BYTES:
                if len(self._starts) >= MAX_SYMBOLS:
                    raise BatchTooLarge("symbols in a request", MAX_SYMBOLS)
                self._starts.append(begin)
                self._ends.append(stop)

    def __len__(self) -> int:
        return len(self._starts)

    def raw(self, ref: int) -> bytes:
        """Return the bytes of a symbol. Raises `InvalidSeries` if it is missing, or too long for a label."""
        if ref >= len(self._starts):
            raise InvalidSeries("no-such-symbol", "A label refers to a missing symbol.")
        begin, stop = self._starts[ref], self._ends[ref]
        if stop - begin > MAX_VALUE_BYTES:
            raise InvalidSeries("label-value-too-long", label_too_long(stop - begin))
        return self._body[begin:stop]

    def text(self, ref: int) -> str:
        """Return a symbol as text. Raises `InvalidSeries`, `MalformedProtobuf`."""
        raw = self.raw(ref)
        return text(raw, 0, len(raw))

    def of_exemplar(self, at: Place) -> list[tuple[str, str]]:
        """Return the labels that an exemplar refers to. Raises `InvalidSeries`, `MalformedProtobuf`."""
        return list(_referred(varints(self._body, *at, 2 * MAX_EXEMPLAR_LABELS), self))


def _series(reading: RemoteWriteReader, at: Place, symbols: _Symbols) -> None:
    refs: list[int] = []
    metadata: list[Place] = []
    created_ms, n_parts = 0, 0
    for number, kind, begin, stop in fields(reading.body, *at):
        if number == 1 and len(refs) <= 2 * MAX_LABELS:
            refs.extend(varints(reading.body, begin, stop, 4 * MAX_LABELS) if kind == BYTES else [begin])
        elif kind == BYTES and number in PARTS.numbers:
            n_parts += 1
        elif kind == BYTES and number == 5:
            metadata = [(begin, stop)]
        elif kind == VARINT and number == 6:
            created_ms = signed(begin)

    def resolve(into: IngestBatch) -> int:
        return into.slot(key, reading.known, lambda: tuple(_referred(refs, symbols)), kind_name, unit)

    incoming = reading.incoming
    try:
        kind_name, unit = _metadata(reading.body, metadata, symbols)
        key = _key(refs, symbols)
        slot = resolve(incoming)
    except InvalidSeries as bad:
        incoming.faults.add(bad.slug, str(bad), max(n_parts, 1))
        return
    if created_ms > 0:
        incoming.created_ms[slot] = created_ms
    if kind_name != "unknown" or unit:
        incoming.stated_kinds[slot] = (kind_name, unit)
    reading.put(at, resolve)


def _key(refs: Sequence[int], symbols: _Symbols) -> bytes:
    if len(refs) > 2 * MAX_LABELS:
        raise InvalidSeries("too-many-labels", too_many_labels(len(refs) // 2))
    return SEPARATOR.join([symbols.raw(ref) for ref in refs])


def _referred(refs: Sequence[int], symbols: _Symbols) -> Iterator[tuple[str, str]]:
    if len(refs) % 2:
        raise InvalidSeries("odd-references", "A series has a label without a value.")
    for at in range(0, len(refs), 2):
        yield symbols.text(refs[at]), symbols.text(refs[at + 1])


def _metadata(body: bytes, at: Sequence[Place], symbols: _Symbols) -> tuple[SeriesKind, str]:
    kind_name: SeriesKind = "unknown"
    unit = ""
    for number, kind, value, _ in (one for place in at for one in fields(body, *place)):
        if number == 1 and kind == VARINT:
            kind_name = TYPES.get(value, "unknown")
        elif number == 4 and kind == VARINT and value < len(symbols):
            unit = symbols.text(value)[:MAX_UNIT]
    return kind_name, unit
