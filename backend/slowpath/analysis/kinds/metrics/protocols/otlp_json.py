"""Parse OpenTelemetry metrics in JSON in place: only one data point at a time is built."""

from collections.abc import Iterator, Mapping
from typing import Final

from slowpath.analysis.kinds.metrics.protocols.json_spans import JsonSpans, Span
from slowpath.analysis.kinds.metrics.protocols.otlp_metrics import Json, MetricPart
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf

SORTS: Final = ("gauge", "sum", "histogram", "exponentialHistogram", "summary")
POINTS: Final = "dataPoints"
NULL: Final = b"null"


def parts_of_json(body: bytes) -> Iterator[MetricPart]:
    """Yield the metrics of an export request in JSON, their points one by one. Raises `MalformedProtobuf`."""
    reading = _OtlpJsonReader(JsonSpans(body))
    top = reading.spans.top()
    if not reading.spans.is_object(top):
        raise MalformedProtobuf("the body is not a JSON object")
    for resource in reading.objects(reading.members(top), "resourceMetrics"):
        about = reading.piece(resource, "resource")
        for scope in reading.objects(resource, "scopeMetrics"):
            named = reading.piece(scope, "scope")
            for metric in reading.objects(scope, "metrics"):
                yield from reading.metric(metric, about, named)


Members = Mapping[str, Span]


class _OtlpJsonReader:
    def __init__(self, spans: JsonSpans) -> None:
        self.spans = spans

    def members(self, span: Span) -> Members:
        """Return the members of an object that are not null. Of equal names the last one counts."""
        found = dict(self.spans.members(span))
        return {name: place for name, place in found.items() if self.spans.body[slice(*place)] != NULL}

    def objects(self, members: Members, name: str) -> Iterator[Members]:
        """Yield the objects of a list."""
        for span in self._elements(members, name):
            yield self.members(span)

    def piece(self, members: Members, name: str) -> Json:
        """Return a member that is an object."""
        if name not in members:
            return {}
        return self._object(members[name], name)

    def metric(self, members: Members, resource: Json, scope: Json) -> Iterator[MetricPart]:
        """Yield a metric by the kinds of its points."""
        name, unit = (self.spans.piece(members[one]) if one in members else None for one in ("name", "unit"))
        if not isinstance(name, str | None) or not isinstance(unit, str | None):
            raise MalformedProtobuf("a text field is not a string")
        for sort in SORTS:
            if sort in members:
                if not self.spans.is_object(members[sort]):
                    raise MalformedProtobuf(f"{sort} is not an object")
                about = self.members(members[sort])
                other_members = {one: self.spans.piece(place) for one, place in about.items() if one != POINTS}
                points = (self._object(span, POINTS) for span in self._elements(about, POINTS))
                yield MetricPart(resource, scope, name, unit, sort, other_members, points)

    def _elements(self, members: Members, name: str) -> Iterator[Span]:
        if name not in members:
            return
        if not self.spans.is_list(members[name]):
            raise MalformedProtobuf(f"{name} is not a list")
        for span in self.spans.elements(members[name]):
            if not self.spans.is_object(span):
                raise MalformedProtobuf(f"{name} contains a value that is not an object")
            yield span

    def _object(self, span: Span, name: str) -> Json:
        found = self.spans.piece(span)
        if not isinstance(found, Mapping):
            raise MalformedProtobuf(f"{name} is not an object")
        return found
