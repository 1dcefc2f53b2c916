"""OTLP exports of metrics as an SDK makes them: one description, written as JSON and as protocol buffers."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from tests.factories.remote_write import block, varint, zigzag


def attributes(values: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def export(metrics: Sequence[Mapping[str, Any]], **resource: object) -> dict[str, Any]:
    """An export of one resource and scope."""
    named = {name.replace("__", "."): value for name, value in resource.items()}
    return {
        "resourceMetrics": [
            {"resource": {"attributes": attributes(named)}, "scopeMetrics": [{"metrics": list(metrics)}]}
        ]
    }


FIXED = {"startTimeUnixNano": 2, "timeUnixNano": 3}


def encoded(document: Mapping[str, Any]) -> bytes:
    """The same export as protocol buffers."""
    out = b""
    for resource in document["resourceMetrics"]:
        body = block(1, _attributes(1, resource["resource"]["attributes"]))
        for scope in resource["scopeMetrics"]:
            body += block(2, b"".join(block(2, _metric(metric)) for metric in scope["metrics"]))
        out += block(1, body)
    return out


def _attributes(tag: int, wire_attributes: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(block(tag, block(1, one["key"].encode()) + block(2, _any(one["value"]))) for one in wire_attributes)


def _any(value: Mapping[str, Any]) -> bytes:
    if "stringValue" in value:
        return block(1, value["stringValue"].encode())
    if "boolValue" in value:
        return varint(2 << 3) + varint(int(value["boolValue"]))
    if "intValue" in value:
        return varint(3 << 3) + varint(int(value["intValue"]))
    return varint(4 << 3 | 1) + struct.pack("<d", value["doubleValue"])


def _metric(metric: Mapping[str, Any]) -> bytes:
    out = block(1, metric["name"].encode()) + block(3, metric.get("unit", "").encode())
    for tag, sort, point in (
        (5, "gauge", _number),
        (7, "sum", _number),
        (9, "histogram", _histogram),
        (10, "exponentialHistogram", _exponential),
        (11, "summary", _summary),
    ):
        if sort in metric:
            metric_data = metric[sort]
            body = b"".join(block(1, point(one)) for one in metric_data["dataPoints"])
            body += varint(2 << 3) + varint(metric_data.get("aggregationTemporality", 0))
            out += block(tag, body + varint(3 << 3) + varint(int(metric_data.get("isMonotonic", False))))
    return out


def _times(point: Mapping[str, Any]) -> bytes:
    return b"".join(
        varint(tag << 3 | 1) + struct.pack("<Q", int(point[name])) for name, tag in FIXED.items() if name in point
    )


def _number(point: Mapping[str, Any]) -> bytes:
    out = _times(point) + _attributes(7, point.get("attributes", []))
    if "asDouble" in point:
        out += varint(4 << 3 | 1) + struct.pack("<d", point["asDouble"])
    else:
        out += varint(6 << 3 | 1) + struct.pack("<q", int(point["asInt"]))
    return out + varint(8 << 3) + varint(point.get("flags", 0))


def _counted(point: Mapping[str, Any]) -> bytes:
    return (
        varint(4 << 3 | 1)
        + struct.pack("<Q", int(point["count"]))
        + varint(5 << 3 | 1)
        + struct.pack("<d", point["sum"])
    )


def _histogram(point: Mapping[str, Any]) -> bytes:
    counts, bounds = [int(one) for one in point["bucketCounts"]], point["explicitBounds"]
    out = _times(point) + _counted(point) + _attributes(9, point.get("attributes", []))
    return out + block(6, struct.pack(f"<{len(counts)}Q", *counts)) + block(7, struct.pack(f"<{len(bounds)}d", *bounds))


def _exponential(point: Mapping[str, Any]) -> bytes:
    out = _times(point) + _counted(point) + _attributes(1, point.get("attributes", []))
    out += varint(6 << 3) + zigzag(point["scale"]) + varint(7 << 3 | 1) + struct.pack("<Q", int(point["zeroCount"]))
    for tag, side in ((8, "positive"), (9, "negative")):
        if side in point:
            counts = b"".join(varint(int(one)) for one in point[side]["bucketCounts"])
            out += block(tag, varint(1 << 3) + zigzag(point[side]["offset"]) + block(2, counts))
    return out


def _summary(point: Mapping[str, Any]) -> bytes:
    out = _times(point) + _counted(point) + _attributes(7, point.get("attributes", []))
    for one in point["quantileValues"]:
        content = (
            varint(1 << 3 | 1)
            + struct.pack("<d", one["quantile"])
            + varint(2 << 3 | 1)
            + struct.pack("<d", one["value"])
        )
        out += block(6, content)
    return out
