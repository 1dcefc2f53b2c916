"""Pure decisions about pushed spans: what they are written in, what they unpack to."""

from enum import StrEnum

from slowpath.analysis.kinds.metrics.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.json_spans import JsonSpans
from slowpath.analysis.kinds.metrics.protobuf_wire import MalformedProtobuf


class PushDialect(StrEnum):
    """How a push is written. Pushes of one dialect put together are a file of that dialect."""

    PROTOBUF = "protobuf"
    JSON = "json"


class InvalidSpanPush(Exception):
    """The push is at fault; the words say how."""


class SpanPushExpandsTooLarge(Exception):
    """The push unpacks to more than it may."""


def check_document(document: bytes) -> None:
    """Refuse what is no export request in JSON, without building it. Raises `InvalidSpanPush`."""
    try:
        spans = JsonSpans(document)
        top = spans.top()
        spans.check(top)
        members = dict(spans.members(top)) if spans.is_object(top) else {}
    except (MalformedProtobuf, BatchTooLarge) as error:
        raise InvalidSpanPush(f"The body is not JSON that can be read: {error}.") from error
    found = members.get("resourceSpans") or members.get("resource_spans")
    if found is None or not spans.is_list(found):
        raise InvalidSpanPush("The JSON is no export request: it has no list resourceSpans.")


def is_message(body: bytes) -> bool:
    """Tell whether a protobuf body is made of length-delimited members of number 1 alone, as an export request is.

    Only the outermost frame is looked at; what is inside is read by the decoder, under its limits.
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
