"""Decoded traces: read once, checked once."""

import numpy as np
import pytest

from slowpath.analysis.formats.column_file import ColumnFileError, read_columns, write_columns
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, file_of


def whole() -> bytes:
    return file_of(SERVICE, np.random.default_rng(1), seconds=2.0)


def damaged(**changes: object) -> bytes:
    """The drawn file with some columns (or, under `header`, fields) replaced."""
    read = read_columns(whole(), "slowpath.trace")
    header = {**read.header, **changes.pop("header", {})}  # type: ignore[dict-item]
    header.pop("columns")
    return write_columns(header, {**read.arrays, **changes})  # type: ignore[dict-item]


def without(name: str) -> bytes:
    read = read_columns(whole(), "slowpath.trace")
    header = {key: value for key, value in read.header.items() if key != "columns"}
    return write_columns(header, {key: value for key, value in read.arrays.items() if key != name})


def test_a_drawn_trace_is_read() -> None:
    table = TraceTable.parse(whole())
    assert table.reasons == ["chan receive", "network", "select", "GC background sweeper wait"]
    assert table.group_names[0] == "main.client"
    assert table.stack(1) == ["main.leaf", "main.root"]
    assert table.stack(0) == []
    assert table.class_groups == ["main.worker", None]
    assert table.seconds() == 2.0


U32, I64 = np.uint32, np.int64


@pytest.mark.parametrize(
    ("changes", "slug", "message"),
    [
        ({"header": {"gomaxprocs": 3}}, "header-damaged", "lacks or mistypes"),
        ({"header": {"totals": [1]}}, "header-damaged", "lacks or mistypes"),
        ({"header": {"block_ns": 0}}, "header-damaged", "block_ns is 0"),
        ({"header": {"duration_ns": 10**19}}, "duration-implausible", "implausible duration"),
        ({"header": {"duration_ns": -1}}, "duration-implausible", "implausible duration"),
        ({"header": {"duration_ns": 10**8}}, "index-outside", "hist_block refers to 19 of 2"),
        ({"header": {"gc": {"cpu_fraction": float("inf")}}}, "header-damaged", "a number that is not finite"),
        ({"header": {"class_kinds": ["user"]}}, "index-outside", "class_kind refers to"),
        ({"header": {"series": [{"name": "nothing", "unit": "", "of": "count"}]}}, "column-missing", "series_nothing"),
        ({"strings_offset": np.array([0, 5, 2], dtype=U32)}, "strings-damaged", "do not ascend"),
        ({"victim_group": np.full(4, 99, dtype=U32)}, "index-outside", "victim_group refers to 99 of 4"),
        ({"victim_group": np.zeros(2, dtype=U32)}, "length-differs", "victim_reason has 4 entries, expected 2"),
        ({"victim_total_ns": np.full(4, -1, dtype=I64)}, "value-outside", "victim_total_ns contains a negative time"),
        ({"victim_stack": np.full(4, 2, dtype=U32)}, "index-outside", "victim_stack refers to 2 of 2"),
        ({"waker_group": np.full(4, 0xFFFFFFFE, dtype=U32)}, "index-outside", "waker_group"),
        ({"stack_offset": np.array([0, 2, 1], dtype=U32)}, "offsets-damaged", "stack_offset"),
        ({"stack_offset": np.zeros(0, dtype=U32)}, "offsets-damaged", "stack 0 is missing"),
        ({"stack_frame": np.array([0, 9], dtype=U32)}, "index-outside", "stack_frame refers to 9 of 2"),
        ({"worst_blame_offset": np.array([0, 1], dtype=U32)}, "length-differs", "worst_blame_offset"),
        ({"tile_offset": np.array([0, 7], dtype=np.uint64)}, "offsets-damaged", "tile_offset"),
        ({"worst_end_ns": np.zeros(2, dtype=I64)}, "times-damaged", "worst: an end is before its start"),
        ({"mmu": np.full(31, 2.0)}, "value-outside", "mmu is outside"),
        ({"mmu": np.zeros(3)}, "length-differs", "mmu has 3"),
        ({"blame_ns": np.zeros(3)}, "length-differs", "blame_ns has 3"),
        ({"series_created": np.zeros(3, dtype=np.float32)}, "length-differs", "series have 3 to"),
        ({"series_created": np.full(2_000, np.nan, dtype=np.float32)}, "value-outside", "a series contains"),
        ({"victim_waits": np.zeros(4, dtype=U32)}, "column-type", "victim_waits"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_by_name(changes: dict[str, object], slug: str, message: str) -> None:
    with pytest.raises(ColumnFileError, match=message) as raised:
        TraceTable.parse(damaged(**changes))
    assert raised.value.slug == slug


@pytest.mark.parametrize("name", ["hist_count", "worst_blame_ns", "mmu_window_ns", "segment_proc"])
def test_a_missing_column_is_named(name: str) -> None:
    with pytest.raises(ColumnFileError, match=f"column '{name}' is missing"):
        TraceTable.parse(without(name))


def test_histograms_out_of_order_are_refused() -> None:
    block = read_columns(whole(), "slowpath.trace").arrays["hist_block"][::-1].copy()
    with pytest.raises(ColumnFileError, match="not sorted"):
        TraceTable.parse(damaged(hist_block=block))


def test_a_checked_file_is_not_validated_again() -> None:
    TraceTable.parse(damaged(victim_group=np.full(4, 99, dtype=U32)), checked=True)


def test_an_empty_trace_is_one() -> None:
    table = TraceTable.parse(file_of([], np.random.default_rng(1), seconds=0))
    assert table.reasons == []
    assert table.seconds() > 0


def test_invalid_p_occupancy_is_rejected() -> None:
    occupancy = read_columns(whole(), "slowpath.trace").arrays["blame_ns"].copy()
    occupancy[1] = np.nan
    with pytest.raises(ColumnFileError, match="blame_ns contains a value that is not a number"):
        TraceTable.parse(damaged(blame_ns=occupancy))
