"""Pushes unpacked under limits: what a body claims to become is checked before it becomes it."""

from collections.abc import Callable
from io import BytesIO
from typing import TypeVar

import cramjam

from slowpath.analysis.kinds.metrics.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.protobuf_wire import MalformedProtobuf, varint
from slowpath.core.gzip_bodies import DamagedGzip, LargeGzip, unpack_gzip
from slowpath.evidence.metrics.errors import MetricPushRejected, MetricPushTooLarge
from slowpath.evidence.metrics.rules import MAX_UNPACKED_BYTES

T = TypeVar("T")


def decompress_snappy(body: bytes) -> bytes:
    """Return a snappy block unpacked. Raises `MetricPushRejected`, `MetricPushTooLarge`."""
    try:
        claimed, _ = varint(body, 0, len(body))
    except MalformedProtobuf as error:
        raise _damaged("the body is no snappy block") from error
    if claimed > MAX_UNPACKED_BYTES:
        raise _too_large(claimed)
    out = BytesIO()
    try:
        if claimed:
            out.seek(claimed - 1)
            out.write(b"\0")  # the room; all of it is overwritten
        with out.getbuffer() as room:
            filled = cramjam.snappy.decompress_raw_into(body, room)
    except cramjam.DecompressionError as error:
        raise _damaged("the body is no snappy block") from error
    if filled != claimed:
        raise _damaged("the body is no snappy block")
    return out.getvalue()


def decompress_gzip(body: bytes) -> bytes:
    """Return a gzip stream unpacked. Raises `MetricPushRejected`, `MetricPushTooLarge`."""
    try:
        return unpack_gzip(body, MAX_UNPACKED_BYTES)
    except DamagedGzip as error:
        raise _damaged(str(error)) from error
    except LargeGzip as error:
        raise _too_large(None) from error


def parse_body(read: Callable[[], T]) -> T:
    """Return what a reader makes of a body, its faults by our names. Raises `MetricPushRejected`."""
    try:
        return read()
    except BatchTooLarge as error:
        raise MetricPushRejected(
            f"The request holds more than {error.limit} {error.what}.",
            slug="too-much-at-once",
            limit=error.limit,
            unit=error.what,
            remedy="Send less at a time.",
        ) from error
    except MalformedProtobuf as error:
        raise _damaged(str(error)) from error


def _damaged(why: str) -> MetricPushRejected:
    return MetricPushRejected(
        f"The body can not be read: {why}. Nothing was written.", remedy="Send it as the protocol says."
    )


def _too_large(actual: int | None, limit: int = MAX_UNPACKED_BYTES) -> MetricPushTooLarge:
    return MetricPushTooLarge(
        "The body is larger than it may be once it is unpacked.",
        limit=limit,
        actual=actual,
        unit="bytes",
        remedy="Send less at a time (max_samples_per_send).",
    )
