"""OpenTelemetry's protocol buffers, each point read into the members that its JSON has: one reading of metrics serves both.

What is not listed here is passed over. Messages are counted before they are built, and nest no deeper than they may.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.protocols.otlp_metrics import Json, MetricPart
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import (
    BYTES,
    FIXED64,
    VARINT,
    MalformedProtobuf,
    fields,
    signed,
    text,
    unzigzag,
    varint,
)

MAX_MESSAGES: Final = 500_000
"""In one request: points, attributes, values."""
MAX_DEPTH: Final = 20
MAX_NUMBERS: Final = 1_000_000
"""In one packed list."""
MAX_PIECE_BYTES: Final = 256 << 10
"""What is built at a time: a data point, or the attributes of a resource."""
MAX_PIECE_MESSAGES: Final = 20_000


@dataclass(frozen=True)
class ProtobufField:
    """What a field number means: its member's name, how it is read, and whether there may be several."""

    name: str
    kind: str
    many: bool = False


Schema = dict[int, ProtobufField]
Place = tuple[int, int]
"""Where a message begins and ends in the body."""


def _several(name: str, kind: str) -> ProtobufField:
    return ProtobufField(name, kind, many=True)


TIMES: Final = {2: ProtobufField("startTimeUnixNano", "fixed"), 3: ProtobufField("timeUnixNano", "fixed")}
SCHEMAS: Final[dict[str, Schema]] = {
    "Resource": {1: _several("attributes", "KeyValue")},
    "Scope": {1: ProtobufField("name", "text"), 2: ProtobufField("version", "text")},
    "Number": {
        **TIMES,
        4: ProtobufField("asDouble", "double"),
        6: ProtobufField("asInt", "signed-fixed"),
        7: _several("attributes", "KeyValue"),
        8: ProtobufField("flags", "number"),
    },
    "Histogram": {
        **TIMES,
        4: ProtobufField("count", "fixed"),
        5: ProtobufField("sum", "double"),
        6: _several("bucketCounts", "fixeds"),
        7: _several("explicitBounds", "doubles"),
        9: _several("attributes", "KeyValue"),
        10: ProtobufField("flags", "number"),
    },
    "Exponential": {
        **TIMES,
        1: _several("attributes", "KeyValue"),
        4: ProtobufField("count", "fixed"),
        5: ProtobufField("sum", "double"),
        6: ProtobufField("scale", "zigzag"),
        7: ProtobufField("zeroCount", "fixed"),
        8: ProtobufField("positive", "Buckets"),
        9: ProtobufField("negative", "Buckets"),
        10: ProtobufField("flags", "number"),
        14: ProtobufField("zeroThreshold", "double"),
    },
    "Buckets": {1: ProtobufField("offset", "zigzag"), 2: _several("bucketCounts", "numbers")},
    "Summary": {
        **TIMES,
        4: ProtobufField("count", "fixed"),
        5: ProtobufField("sum", "double"),
        6: _several("quantileValues", "Quantile"),
        7: _several("attributes", "KeyValue"),
        8: ProtobufField("flags", "number"),
    },
    "Quantile": {1: ProtobufField("quantile", "double"), 2: ProtobufField("value", "double")},
    "KeyValue": {1: ProtobufField("key", "text"), 2: ProtobufField("value", "AnyValue")},
    "AnyValue": {
        1: ProtobufField("stringValue", "text"),
        2: ProtobufField("boolValue", "flag"),
        3: ProtobufField("intValue", "signed"),
        4: ProtobufField("doubleValue", "double"),
        5: ProtobufField("arrayValue", "Array"),
        6: ProtobufField("kvlistValue", "List"),
        7: ProtobufField("bytesValue", "hex"),
    },
    "Array": {1: _several("values", "AnyValue")},
    "List": {1: _several("values", "KeyValue")},
}

WIRE_OF: Final = {
    "number": VARINT, "signed": VARINT, "zigzag": VARINT, "flag": VARINT,
    "fixed": FIXED64, "signed-fixed": FIXED64, "double": FIXED64,
}  # fmt: skip


SORTS: Final = {
    5: ("gauge", "Number"),
    7: ("sum", "Number"),
    9: ("histogram", "Histogram"),
    10: ("exponentialHistogram", "Exponential"),
    11: ("summary", "Summary"),
}
"""The points of a metric: their member, and what each of them is."""
DATA_FIELDS: Final = {2: "aggregationTemporality", 3: "isMonotonic"}
"""What all points of a sort have in common."""


def parts_of_wire(body: bytes) -> Iterator[MetricPart]:
    """Yield the metrics of an ExportMetricsServiceRequest, their points one by one. Raises `MalformedProtobuf`, `BatchTooLarge`."""
    reading = _ProtobufReader(body)
    for resource_at in reading.places(0, len(body), 1):
        resource = reading.last("Resource", resource_at, 1)
        for scope_at in reading.places(*resource_at, 2):
            scope = reading.last("Scope", scope_at, 1)
            for metric_at in reading.places(*scope_at, 2):
                yield from reading.metric(metric_at, resource, scope)


class _ProtobufReader:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.left = MAX_MESSAGES
        self.left_in_piece = 0

    def places(self, start: int, end: int, field_number: int) -> Iterator[Place]:
        """Yield the positions of the messages under a field number."""
        for number, wire, begin, stop in fields(self.body, start, end):
            if number == field_number and wire == BYTES:
                self._count()
                yield begin, stop

    def last(self, kind: str, at: Place, number: int) -> dict[str, Any]:
        """Return the message of a field number, at any position; of several the last one."""
        found: Place | None = None
        for place in self.places(*at, number):
            found = place
        return self.piece(kind, found) if found else {}

    def metric(self, at: Place, resource: Json, scope: Json) -> Iterator[MetricPart]:
        """Yield a metric by the sorts of its points. What its points have in common may stand behind them."""
        name = unit = ""
        sorts: dict[str, Place] = {}
        for number, wire, begin, stop in fields(self.body, *at):
            if wire == BYTES and number == 1:
                name = text(self.body, begin, stop)
            elif wire == BYTES and number == 3:
                unit = text(self.body, begin, stop)
            elif wire == BYTES and number in SORTS:
                sorts[SORTS[number][0]] = (begin, stop)
        for sort, kind in SORTS.values():
            if sort in sorts:
                data_values = {
                    DATA_FIELDS[number]: value
                    for number, wire, value, _ in fields(self.body, *sorts[sort])
                    if number in DATA_FIELDS and wire == VARINT
                }
                points = (self.piece(kind, point) for point in self.places(*sorts[sort], 1))
                yield MetricPart(resource, scope, name, unit, sort, data_values, points)

    def piece(self, kind: str, at: Place) -> dict[str, Any]:
        """Return a message that is built as a whole."""
        if at[1] - at[0] > MAX_PIECE_BYTES:
            raise BatchTooLarge("bytes in one of its messages", MAX_PIECE_BYTES)
        self.left_in_piece = MAX_PIECE_MESSAGES
        return self.message(kind, *at, 0)

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise BatchTooLarge("messages in a request", MAX_MESSAGES)

    def message(self, kind: str, start: int, end: int, depth: int) -> dict[str, Any]:
        self._count()
        self.left_in_piece -= 1
        if self.left_in_piece < 0:
            raise BatchTooLarge("messages in one of its messages", MAX_PIECE_MESSAGES)
        if depth > MAX_DEPTH:
            raise MalformedProtobuf(f"messages nest deeper than {MAX_DEPTH}")
        values: dict[str, Any] = {}
        schema = SCHEMAS[kind]
        for number, wire, begin, stop in fields(self.body, start, end):
            field = schema.get(number)
            if field is None:
                continue
            value = self._value(field, wire, begin, stop, depth)
            if value is None:
                continue
            if field.many:
                into = values.setdefault(field.name, [])
                into.extend(value if isinstance(value, list) else [value])
            else:
                values[field.name] = value
        return values

    def _value(self, field: ProtobufField, wire: int, begin: int, stop: int, depth: int) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value of a field, or None if its wire type is not allowed."""
        kind = field.kind
        if kind in SCHEMAS:
            return self.message(kind, begin, stop, depth + 1) if wire == BYTES else None
        if kind in WIRE_OF:
            return self._number(kind, begin) if wire == WIRE_OF[kind] else None
        if wire == BYTES:
            return self._block(kind, begin, stop)
        if kind in {"fixeds", "doubles"} and wire == FIXED64:  # a list that is not packed
            return [self._number("fixed" if kind == "fixeds" else "double", begin)]
        return [begin] if kind == "numbers" and wire == VARINT else None

    def _number(self, kind: str, begin: int) -> float | bool:
        if kind == "double":
            value: float = struct.unpack_from("<d", self.body, begin)[0]
            return value
        if kind in {"fixed", "signed-fixed"}:
            whole: int = struct.unpack_from("<Q" if kind == "fixed" else "<q", self.body, begin)[0]
            return whole
        if kind == "flag":
            return bool(begin)
        return begin if kind == "number" else unzigzag(begin) if kind == "zigzag" else signed(begin)

    def _block(self, kind: str, begin: int, stop: int) -> str | list[float]:
        if kind == "text":
            return text(self.body, begin, stop)
        if kind == "hex":
            return self.body[begin:stop].hex()
        if kind == "numbers":
            return self._numbers(begin, stop)
        if (stop - begin) % 8:
            raise MalformedProtobuf("packed numbers of a broken length")
        count = (stop - begin) // 8
        if count > MAX_NUMBERS:
            raise BatchTooLarge("numbers in a list", MAX_NUMBERS)
        return list(struct.unpack_from(f"<{count}{'Q' if kind == 'fixeds' else 'd'}", self.body, begin))

    def _numbers(self, at: int, stop: int) -> list[float]:
        values: list[float] = []
        while at < stop:
            value, at = varint(self.body, at, stop)
            values.append(value)
            if len(values) > MAX_NUMBERS:
                raise BatchTooLarge("numbers in a list", MAX_NUMBERS)
        return values
