"""OpenTelemetry's protocol buffers, read into the members that its JSON has: one reading of metrics serves both.

What is not listed here is passed over. Messages are counted before they are built, and nest no deeper than they may.
"""

import struct
from dataclasses import dataclass
from typing import Any, Final

from slowpath.analysis.metrics.incoming import TooMuch
from slowpath.analysis.metrics.wire import BYTES, FIXED64, VARINT, BadWire, fields, signed, text, unzigzag, varint

MAX_MESSAGES: Final = 500_000
"""In one request: points, attributes, values."""
MAX_DEPTH: Final = 20
MAX_NUMBERS: Final = 1_000_000
"""In one packed list."""


@dataclass(frozen=True)
class Field:
    """What stands under a number: its member's name, how it is read, and whether there may be several."""

    name: str
    kind: str
    many: bool = False


Schema = dict[int, Field]


def _several(name: str, kind: str) -> Field:
    return Field(name, kind, many=True)


TIMES: Final = {2: Field("startTimeUnixNano", "fixed"), 3: Field("timeUnixNano", "fixed")}
SCHEMAS: Final[dict[str, Schema]] = {
    "Request": {1: _several("resourceMetrics", "ResourceMetrics")},
    "ResourceMetrics": {1: Field("resource", "Resource"), 2: _several("scopeMetrics", "ScopeMetrics")},
    "Resource": {1: _several("attributes", "KeyValue")},
    "ScopeMetrics": {1: Field("scope", "Scope"), 2: _several("metrics", "Metric")},
    "Scope": {1: Field("name", "text"), 2: Field("version", "text")},
    "Metric": {
        1: Field("name", "text"),
        3: Field("unit", "text"),
        5: Field("gauge", "Numbers"),
        7: Field("sum", "Numbers"),
        9: Field("histogram", "Histograms"),
        10: Field("exponentialHistogram", "Exponentials"),
        11: Field("summary", "Summaries"),
    },
    "Numbers": {
        1: _several("dataPoints", "Number"),
        2: Field("aggregationTemporality", "number"),
        3: Field("isMonotonic", "number"),
    },
    "Histograms": {1: _several("dataPoints", "Histogram"), 2: Field("aggregationTemporality", "number")},
    "Exponentials": {1: _several("dataPoints", "Exponential"), 2: Field("aggregationTemporality", "number")},
    "Summaries": {1: _several("dataPoints", "Summary")},
    "Number": {
        **TIMES,
        4: Field("asDouble", "double"),
        6: Field("asInt", "signed-fixed"),
        7: _several("attributes", "KeyValue"),
        8: Field("flags", "number"),
    },
    "Histogram": {
        **TIMES,
        4: Field("count", "fixed"),
        5: Field("sum", "double"),
        6: _several("bucketCounts", "fixeds"),
        7: _several("explicitBounds", "doubles"),
        9: _several("attributes", "KeyValue"),
        10: Field("flags", "number"),
    },
    "Exponential": {
        **TIMES,
        1: _several("attributes", "KeyValue"),
        4: Field("count", "fixed"),
        5: Field("sum", "double"),
        6: Field("scale", "zigzag"),
        7: Field("zeroCount", "fixed"),
        8: Field("positive", "Buckets"),
        9: Field("negative", "Buckets"),
        10: Field("flags", "number"),
        14: Field("zeroThreshold", "double"),
    },
    "Buckets": {1: Field("offset", "zigzag"), 2: _several("bucketCounts", "numbers")},
    "Summary": {
        **TIMES,
        4: Field("count", "fixed"),
        5: Field("sum", "double"),
        6: _several("quantileValues", "Quantile"),
        7: _several("attributes", "KeyValue"),
        8: Field("flags", "number"),
    },
    "Quantile": {1: Field("quantile", "double"), 2: Field("value", "double")},
    "KeyValue": {1: Field("key", "text"), 2: Field("value", "AnyValue")},
    "AnyValue": {
        1: Field("stringValue", "text"),
        2: Field("boolValue", "flag"),
        3: Field("intValue", "signed"),
        4: Field("doubleValue", "double"),
        5: Field("arrayValue", "Array"),
        6: Field("kvlistValue", "List"),
        7: Field("bytesValue", "hex"),
    },
    "Array": {1: _several("values", "AnyValue")},
    "List": {1: _several("values", "KeyValue")},
}

WIRE_OF: Final = {
    "number": VARINT, "signed": VARINT, "zigzag": VARINT, "flag": VARINT,
    "fixed": FIXED64, "signed-fixed": FIXED64, "double": FIXED64,
}  # fmt: skip


def read_export(body: bytes) -> dict[str, Any]:
    """Return an ExportMetricsServiceRequest as its JSON would be. Raises `BadWire`, `TooMuch`."""
    return _Reading(body).message("Request", 0, len(body), 0)


class _Reading:
    def __init__(self, body: bytes) -> None:
        self.body = body
        self.left = MAX_MESSAGES

    def message(self, kind: str, start: int, end: int, depth: int) -> dict[str, Any]:
        self.left -= 1
        if self.left < 0:
            raise TooMuch("messages in a request", MAX_MESSAGES)
        if depth > MAX_DEPTH:
            raise BadWire(f"messages nest deeper than {MAX_DEPTH}")
        told: dict[str, Any] = {}
        schema = SCHEMAS[kind]
        for number, wire, begin, stop in fields(self.body, start, end):
            field = schema.get(number)
            if field is None:
                continue
            value = self._value(field, wire, begin, stop, depth)
            if value is None:
                continue
            if field.many:
                into = told.setdefault(field.name, [])
                into.extend(value if isinstance(value, list) else [value])
            else:
                told[field.name] = value
        return told

    def _value(self, field: Field, wire: int, begin: int, stop: int, depth: int) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value of a field, or None if it stands there in another way than it may."""
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
            raise BadWire("packed numbers of a broken length")
        count = (stop - begin) // 8
        if count > MAX_NUMBERS:
            raise TooMuch("numbers in a list", MAX_NUMBERS)
        return list(struct.unpack_from(f"<{count}{'Q' if kind == 'fixeds' else 'd'}", self.body, begin))

    def _numbers(self, at: int, stop: int) -> list[float]:
        values: list[float] = []
        while at < stop:
            value, at = varint(self.body, at, stop)
            values.append(value)
            if len(values) > MAX_NUMBERS:
                raise TooMuch("numbers in a list", MAX_NUMBERS)
        return values
