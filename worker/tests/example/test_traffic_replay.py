"""What a replay may do to captured traffic: count it more often, move it, and nothing else."""

import struct
from typing import Any

import cramjam
import pytest

from slowpath_worker.example.traffic_replay import (
    ReplayRange,
    ReplaySeries,
    add_resource_attribute,
    first_time,
    remote_write,
    replay_history,
    shift_span_times,
)

HISTORY: dict[str, Any] = {
    "bounds": ["0.1", "+Inf"],
    "variants": {
        "fast": [{"seconds": 5.0, "instances": {"a-0": {"buckets": [9, 10], "sum": 0.5}}}],
        "slow": [{"seconds": 5.0, "instances": {"a-0": {"buckets": [2, 10], "sum": 5.0}}}],
    },
}


def _stretch(variant: str, start: int, end: int, version: str, *, ends: bool = False) -> ReplayRange:
    return ReplayRange(variant, start, end, {"a-0": {"service": "a", "version": version}}, ends)


def _line(lines: list[ReplaySeries], name: str, **labels: str) -> ReplaySeries:
    expected = {"__name__": name, **labels}
    return next(one for one in lines if all(one.labels.get(key) == value for key, value in expected.items()))


def test_a_window_fills_a_step() -> None:
    lines = replay_history(HISTORY, [_stretch("fast", 0, 90_000, "1")], 30_000, seed=1)
    assert _line(lines, "http_request_duration_seconds_bucket", le="0.1").points == [
        (0, 0),
        (30_000, 54),
        (60_000, 108),
    ]
    assert _line(lines, "http_request_duration_seconds_count").points == [(0, 0), (30_000, 60), (60_000, 120)]
    assert _line(lines, "http_request_duration_seconds_sum").points[-1] == (60_000, 6.0)


def test_continuing_counters_continue() -> None:
    parts = [_stretch("fast", 0, 60_000, "1"), _stretch("slow", 60_000, 120_000, "1")]
    lines = replay_history(HISTORY, parts, 30_000, seed=1)
    assert len(lines) == 4
    assert _line(lines, "http_request_duration_seconds_bucket", le="0.1").points == [
        (0, 0),
        (30_000, 54),
        (60_000, 66),
        (90_000, 78),
    ]


def test_a_deploy_ends_series_and_begins_others() -> None:
    parts = [_stretch("fast", 0, 60_000, "1", ends=True), _stretch("slow", 60_000, 120_000, "2")]
    lines = replay_history(HISTORY, parts, 30_000, seed=1)
    name = "http_request_duration_seconds_count"
    assert _line(lines, name, version="1").points == [(0, 0), (30_000, 60), (60_000, None)]
    assert _line(lines, name, version="2").points == [(60_000, 0), (90_000, 60)]


def test_the_mark_of_an_end_is_prometheus_own() -> None:
    body = cramjam.snappy.decompress_raw(remote_write([ReplaySeries({"__name__": "up"}, [(1, 2.0), (3, None)])]))
    assert struct.pack("<Q", 0x7FF0000000000002) in bytes(body)
    assert struct.pack("<d", 2.0) in bytes(body)


def _block(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def _fixed(number: int, value: int) -> bytes:
    return bytes([number << 3 | 1]) + struct.pack("<Q", value)


def _request(start: int, end: int, event: int) -> bytes:
    span = _block(5, b"name") + _fixed(7, start) + _fixed(8, end) + _block(11, _fixed(1, event) + _block(2, b"boom"))
    span += b"\x85\x01" + struct.pack("<I", 257)  # flags: fixed32, number 16
    span += b"\x50\x01"  # dropped attributes: varint
    return _block(1, _block(1, b"\x0a\x00") + _block(2, _block(2, span)))


@pytest.mark.parametrize("by_ns", [0, 5, -100])
def test_all_times_of_spans_are_moved_and_nothing_else(by_ns: int) -> None:
    assert shift_span_times(_request(1000, 2000, 1500), by_ns) == _request(1000 + by_ns, 2000 + by_ns, 1500 + by_ns)


def test_the_first_time_of_several_requests() -> None:
    assert first_time(_request(3000, 4000, 3500) + _request(1000, 2000, 1500)) == 1000
    assert first_time(b"") == 0


def test_an_attribute_is_added_to_each_resource_and_nothing_else_changes() -> None:
    def block(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    old, scope = block(1, block(1, b"a") + block(2, block(1, b"b"))), block(2, b"spans")
    new = block(1, block(1, b"env") + block(2, block(1, b"example")))
    number = b"\x18\x96\x01"  # field 3, the number 150
    request = block(1, block(1, old) + scope) + number + block(1, block(1, b"") + scope)

    changed = add_resource_attribute(request, "env", "example")

    assert changed == block(1, block(1, old + new) + scope) + number + block(1, block(1, new) + scope)
