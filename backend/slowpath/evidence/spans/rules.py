"""Pure rules of pushed spans: dialects and validation."""

from enum import StrEnum

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.protocols.json_spans import JsonSpans
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf


class PushDialect(StrEnum):
    """Encoding of a push. Concatenated pushes of one dialect form a file of that dialect."""

    PROTOBUF = "protobuf"
    JSON = "json"


class InvalidSpanPush(Exception):
    """The push is not valid; the message is the reason."""


class SpanPushExpandsTooLarge(Exception):
    """The decompressed push exceeds the size limit."""


def check_document(document: bytes) -> None:
    """Validate an export request in JSON without building it. Raises `InvalidSpanPush`."""
    try:
        spans = JsonSpans(document)
        top = spans.top()
        spans.check(top)
        members = dict(spans.members(top)) if spans.is_object(top) else {}
    except (MalformedProtobuf, BatchTooLarge) as error:
        raise InvalidSpanPush(f"The body is not valid JSON: {error}.") from error
    found = members.get("resourceSpans") or members.get("resource_spans")
    if found is None or not spans.is_list(found):
        raise InvalidSpanPush("The JSON is not an export request: it has no list resourceSpans.")


def is_message(body: bytes) -> bool:
    """Return whether a protobuf body has only length-delimited fields of number 1, like an export request.

    Only the outermost message is checked; the decoder reads the rest under its limits.
    """
    at = 0
    while at < len(body):
        if body[at] != 0x0A:
            return False
        length, at = _varint(body, at + 1)
        if at < 0 or at + length > len(body):
            return False
        at += length
    return True


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 35, 7):
        if at >= len(body):
            return 0, -1
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    return 0, -1
