"""Decompress pushes under limits: the declared size is checked before decompression."""

from collections.abc import Callable
from io import BytesIO
from typing import TypeVar

import cramjam

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import BatchTooLarge
from slowpath.analysis.kinds.metrics.protocols.protobuf_wire import MalformedProtobuf, varint
from slowpath.core.gzip_bodies import DamagedGzip, LargeGzip, unpack_gzip
from slowpath.evidence.metrics.errors import MetricPushRejected, MetricPushTooLarge
from slowpath.evidence.metrics.rules import MAX_UNPACKED_BYTES

T = TypeVar("T")


def decompress_snappy(body: bytes) -> bytes:
    """Return a decompressed snappy block. Raises `MetricPushRejected`, `MetricPushTooLarge`."""
    try:
        claimed, _ = varint(body, 0, len(body))
    except MalformedProtobuf as error:
        raise _damaged("the body is not a snappy block") from error
    if claimed > MAX_UNPACKED_BYTES:
        raise _too_large(claimed)
    out = BytesIO()
    try:
        if claimed:
            out.seek(claimed - 1)
            out.write(b"\0")  # reserves the space; it is overwritten
        with out.getbuffer() as room:
            filled = cramjam.snappy.decompress_raw_into(body, room)
    except cramjam.DecompressionError as error:
        raise _damaged("the body is not a snappy block") from error
    if filled != claimed:
        raise _damaged("the body is not a snappy block")
    return out.getvalue()


def decompress_gzip(body: bytes) -> bytes:
    """Return a decompressed gzip stream. Raises `MetricPushRejected`, `MetricPushTooLarge`."""
    try:
        return unpack_gzip(body, MAX_UNPACKED_BYTES)
    except DamagedGzip as error:
        raise _damaged(str(error)) from error
    except LargeGzip as error:
        raise _too_large(None) from error


def parse_body(read: Callable[[], T]) -> T:
    """Return the result of a parser, with its errors as `MetricPushRejected`."""
    try:
        return read()
    except BatchTooLarge as error:
        raise MetricPushRejected(
            f"The request contains more than {error.limit} {error.what}.",
            slug="too-much-at-once",
            limit=error.limit,
            unit=error.what,
            remedy="Send smaller requests.",
        ) from error
    except MalformedProtobuf as error:
        raise _damaged(str(error)) from error


def _damaged(why: str) -> MetricPushRejected:
    return MetricPushRejected(
        f"The body cannot be parsed: {why}. Nothing was written.",
        remedy="Check the sender: the body must follow the protocol.",
    )


def _too_large(actual: int | None, limit: int = MAX_UNPACKED_BYTES) -> MetricPushTooLarge:
    return MetricPushTooLarge(
        "The decompressed body exceeds the size limit.",
        limit=limit,
        actual=actual,
        unit="bytes",
        remedy="Send smaller requests (max_samples_per_send).",
    )
