"""Convert OpenTelemetry metrics to series, with names and labels as in Prometheus's own translation.

A sum becomes a counter, a histogram with bounds its `_bucket`, `_sum` and `_count`, an exponential one a native histogram.
The service and its instance become the labels `job` and `instance`, the environment `environment`. Changes (delta
temporality) are added up on writing.
"""

import json
import math
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from slowpath.analysis.kinds.metrics.protocols.exponential_histograms import InvalidExponentialHistogram, native_of
from slowpath.analysis.kinds.metrics.protocols.ingest_batch import (
    BUCKET_BYTES,
    MAX_BUCKETS,
    MAX_VALUE_BYTES,
    NAME,
    SERIES_BYTES,
    Deliver,
    IngestBatch,
    InvalidSeries,
    Labels,
)
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf
from slowpath.analysis.kinds.metrics.samples.series_data import STALE_NAN_BITS, SeriesKind

DELTA: Final = 1
TEMPORALITY: Final = {"AGGREGATION_TEMPORALITY_DELTA": DELTA, "AGGREGATION_TEMPORALITY_CUMULATIVE": 2}
NO_VALUE: Final = 1
"""The flag of a point without a value."""
SEPARATOR: Final = b"\xff"
STALE: Final = struct.pack("<Q", STALE_NAN_BITS)
INT64: Final = 1 << 63
MOST_LETTERS: Final = MAX_VALUE_BYTES + 1
"""Length at which a label's text is cut; then it is rejected as too long without copying it to every series."""

SERVICE: Final = "service.name"
NAMESPACE: Final = "service.namespace"
INSTANCE: Final = ("service.instance.id", "k8s.pod.name", "host.name")
ENVIRONMENT: Final = ("deployment.environment.name", "deployment.environment")

NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_:]+")
NOT_IN_LABELS: Final = re.compile(r"[^a-zA-Z0-9_]")
UNITS: Final = {
    "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds", "min": "minutes", "h": "hours",
    "d": "days", "By": "bytes", "KiBy": "kibibytes", "MiBy": "mebibytes", "GiBy": "gibibytes", "%": "percent",
}  # fmt: skip

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MetricPart:
    """The points of one metric with their common members."""

    resource: Json
    scope: Json
    name: object
    unit: object
    sort: str
    """The member that contains the points: `gauge`, `sum`, `histogram`, ..."""
    other_members: Json
    """Its other members."""
    points: Iterator[Json]


def read_metrics(
    parts: Iterable[MetricPart], known: Mapping[bytes, int], deliver: Deliver | None = None
) -> IngestBatch:
    """Parse the samples of an export. Raises `MalformedProtobuf`, `BatchTooLarge`.

    Large batches are delivered while reading, so that memory is bounded; the rest is returned.
    """
    reading = _OtlpReader(known, deliver)
    resource: Json | None = None
    shared: dict[str, str] = {}
    for part in parts:
        if part.resource is not resource:
            resource, shared = part.resource, resource_labels(_objects(part.resource, "attributes"))
        scope = _text(part.scope.get("name"))[:MOST_LETTERS]
        reading.metric(part, {**shared, **({"otel_scope_name": scope} if scope else {})})
    return reading.incoming


def resource_labels(attributes: Sequence[Json]) -> dict[str, str]:
    """Return the labels that identify the source of all points of a resource."""
    values = {_text(one.get("key")): value_text(_member(one, "value"))[:MOST_LETTERS] for one in attributes}
    labels = {}
    service = values.get(SERVICE, "")
    if service:
        labels["job"] = f"{values[NAMESPACE]}/{service}" if values.get(NAMESPACE) else service
        labels["service_name"] = service
    instance = next((values[name] for name in INSTANCE if values.get(name)), "")
    environment = next((values[name] for name in ENVIRONMENT if values.get(name)), "")
    if instance:
        labels["instance"] = instance
    if environment:
        labels["environment"] = environment
    return labels


def value_text(value: Json) -> str:
    """Return an attribute's value as a label value."""
    if "stringValue" in value:
        return _text(value["stringValue"])
    if "boolValue" in value:
        return "true" if value["boolValue"] else "false"
    if "intValue" in value:
        return str(_int(value["intValue"]))
    if "doubleValue" in value:
        return f"{_float(value['doubleValue']):g}"
    return json.dumps(value, ensure_ascii=False)[:4096] if value else ""


def family_name(name: str, unit: str, *, is_counter: bool, is_gauge: bool) -> str:
    """Return a metric's name in Prometheus style.

    `http.server.request.duration` in s -> ..._duration_seconds.
    """
    base_name = NOT_IN_NAMES.sub("_", name).strip("_")
    spelled = UNITS.get(unit, "")
    if unit == "1" and is_gauge:
        spelled = "ratio"
    if spelled and not base_name.endswith(f"_{spelled}") and spelled not in base_name.split("_"):
        base_name = f"{base_name.removesuffix('_total')}_{spelled}"
    if is_counter:
        base_name = f"{base_name.removesuffix('_total')}_total"
    return f"_{base_name}" if base_name[:1].isdigit() else base_name


def label_name(name: str) -> str:
    """Return an attribute's name as a label name."""
    label = NOT_IN_LABELS.sub("_", name)
    return f"key_{label}" if label[:1].isdigit() else label


class _MetricType(NamedTuple):
    """The kind of a metric's samples, and whether they are changes."""

    kind: SeriesKind
    unit: str
    delta: bool = False


class _OtlpReader:
    """Convert one export to samples."""

    def __init__(self, known: Mapping[bytes, int], deliver: Deliver | None) -> None:
        self.known = known
        self.deliver = deliver
        self.incoming = IngestBatch()

    def metric(self, part: MetricPart, shared: Mapping[str, str]) -> None:
        """Read the points of a metric."""
        name, unit = _text(part.name)[:MOST_LETTERS], _text(part.unit)[:MOST_LETTERS]
        reads = {
            "gauge": self._numbers,
            "sum": self._numbers,
            "histogram": self._histograms,
            "exponentialHistogram": self._exponentials,
            "summary": self._summaries,
        }
        reads[part.sort](name, unit, part, shared)

    def _numbers(self, name: str, unit: str, part: MetricPart, shared: Mapping[str, str]) -> None:
        members, is_sum = part.other_members, part.sort == "sum"
        monotonic = is_sum and bool(members.get("isMonotonic"))
        family = family_name(name, unit, is_counter=monotonic, is_gauge=not is_sum)
        delta = is_sum and _temporality(members) == DELTA
        sort = _MetricType("counter" if monotonic else "gauge", unit, delta=delta)
        for point in part.points:
            value = _float(point["asDouble"]) if "asDouble" in point else float(_int(point.get("asInt", 0)))
            self._put(family, _labels(point, shared), point, value, sort)

    def _histograms(self, name: str, unit: str, part: MetricPart, shared: Mapping[str, str]) -> None:
        family = family_name(name, unit, is_counter=False, is_gauge=False)
        sort = _MetricType("counter", unit, delta=_temporality(part.other_members) == DELTA)
        for point in part.points:
            labels = _labels(point, shared)
            counts, bounds = _list(point, "bucketCounts"), _list(point, "explicitBounds")
            if len(counts) > MAX_BUCKETS or (counts and len(counts) != len(bounds) + 1):
                detail = f"{name}: {len(counts)} buckets do not match {len(bounds)} bounds."
                self.incoming.faults.add("bad-histogram", detail)
                continue
            for suffix, le, value in _classic(point, counts, bounds):
                with_le = {**labels, "le": le} if le else labels
                self._put(f"{family}_{suffix}", with_le, point, value, sort)

    def _exponentials(self, name: str, unit: str, part: MetricPart, shared: Mapping[str, str]) -> None:
        family = family_name(name, unit, is_counter=False, is_gauge=False)
        if _temporality(part.other_members) == DELTA:
            detail = (
                f"{name}: exponential histograms with delta temporality are not supported. Use cumulative temporality."
            )
            self.incoming.faults.add("delta-exponential-histogram", detail, sum(1 for _ in part.points))
            return
        for point in part.points:
            try:
                histogram = native_of(point, is_stale=bool(_int(point.get("flags", 0)) & NO_VALUE))
            except InvalidExponentialHistogram as bad:
                self.incoming.faults.add("bad-histogram", f"{name}: {bad}")
                continue
            slot = self._slot(family, _labels(point, shared), point, "histogram", unit)
            if slot is not None:
                buckets = len(histogram.positive[0]) + len(histogram.negative[0])
                self.incoming.weight += SERIES_BYTES + buckets * BUCKET_BYTES
                self.incoming.natives.append((slot, _at_ms(point), histogram))
            self._hand_over()

    def _summaries(self, name: str, unit: str, part: MetricPart, shared: Mapping[str, str]) -> None:
        family = family_name(name, unit, is_counter=False, is_gauge=False)
        for point in part.points:
            labels = _labels(point, shared)
            for one in _objects(point, "quantileValues"):
                quantile = {**labels, "quantile": f"{_float(one.get('quantile', 0.0)):g}"}
                self._put(family, quantile, point, _float(one.get("value", 0.0)), _MetricType("gauge", unit))
            self._put(f"{family}_sum", labels, point, _float(point.get("sum", 0.0)), _MetricType("counter", unit))
            self._put(
                f"{family}_count", labels, point, float(_int(point.get("count", 0))), _MetricType("counter", unit)
            )

    def _put(self, name: str, labels: Mapping[str, str], point: Json, value: float, sort: "_MetricType") -> None:
        self._hand_over()
        slot = self._slot(name, labels, point, sort.kind, sort.unit)
        if slot is None:
            return
        stale = bool(_int(point.get("flags", 0)) & NO_VALUE)
        if sort.delta and stale:
            return
        if sort.delta:
            self.incoming.deltas.add(slot)
        self.incoming.slots.append(slot)
        self.incoming.times_ms.append(_at_ms(point))
        self.incoming.values.append(STALE if stale else struct.pack("<d", value))

    def _hand_over(self) -> None:
        self.incoming = self.incoming.handed_over(self.deliver)

    def _slot(self, name: str, labels: Mapping[str, str], point: Json, kind: SeriesKind, unit: str) -> int | None:
        """Return the slot of a series; None, with a recorded error, if its labels break a rule."""
        sorted_labels: Labels = tuple(sorted({**labels, NAME: name}.items()))
        key = SEPARATOR.join([part.encode() for pair in sorted_labels for part in pair])
        try:
            slot = self.incoming.slot(key, self.known, lambda: sorted_labels, kind, unit)
        except InvalidSeries as bad:
            self.incoming.faults.add(bad.slug, str(bad))
            return None
        started = _int(point.get("startTimeUnixNano", 0)) // 1_000_000
        if 0 < started < INT64 and kind in {"counter", "histogram"}:
            self.incoming.created_ms[slot] = started
        return slot


def _classic(point: Json, counts: Sequence[Any], bounds: Sequence[Any]) -> Iterator[tuple[str, str, float]]:
    """Yield the series of a histogram with bounds: suffix, bound, value.

    Buckets count everything up to their bound.
    """
    running = 0
    for bound, count in zip([*map(_float, bounds), math.inf], counts, strict=False):
        running += _int(count)
        yield "bucket", le_text(bound), float(running)
    if "sum" in point:
        yield "sum", "", _float(point["sum"])
    yield "count", "", float(_int(point.get("count", 0)))


def le_text(bound: float) -> str:
    """Format a bucket's bound as a label value."""
    return "+Inf" if bound == math.inf else f"{bound:.17g}" if float(f"{bound:g}") != bound else f"{bound:g}"


def _labels(point: Json, shared: Mapping[str, str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for one in _objects(point, "attributes"):
        name = label_name(_text(one.get("key"))[:MOST_LETTERS])
        value = value_text(_member(one, "value"))[:MOST_LETTERS]
        labels[name] = f"{labels[name]};{value}"[:MOST_LETTERS] if name in labels else value
    return {**labels, **shared}


def _at_ms(point: Json) -> int:
    return min(_int(point.get("timeUnixNano", 0)) // 1_000_000, INT64 - 1)


def _temporality(members: Json) -> int:
    temporality = members.get("aggregationTemporality", 0)
    return TEMPORALITY.get(temporality, 0) if isinstance(temporality, str) else _int(temporality)


def _list(members: Json, name: str) -> list[Any]:
    value = members.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise MalformedProtobuf(f"{name} is not a list")
    return value


def _objects(members: Json, name: str) -> list[Json]:
    value = _list(members, name)
    if not all(isinstance(one, Mapping) for one in value):
        raise MalformedProtobuf(f"{name} contains a value that is not an object")
    return value


def _member(members: Json, name: str) -> Json:
    value = members.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise MalformedProtobuf(f"{name} is not an object")
    return value


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedProtobuf("a text field is not a string")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise MalformedProtobuf("a text contains an unpaired surrogate") from error
    return value


def _int(value: object) -> int:
    """Parse an integer; JSON has large ones as texts."""
    if isinstance(value, str) and len(value) <= 20:
        try:
            value = int(value)
        except ValueError:
            value = None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or not -INT64 <= value < 2 * INT64:
        raise MalformedProtobuf("a field is not a number")
    return int(value)


def _float(value: object) -> float:
    """Parse a float; JSON has NaN and infinity as texts."""
    try:
        return float(value)  # type: ignore[arg-type]  # float raises for other types
    except (TypeError, ValueError, OverflowError) as error:
        raise MalformedProtobuf("a field is not a number") from error
