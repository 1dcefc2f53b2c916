"""Decoded profiles: read once, checked once."""

import json
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.formats.column_file import ColumnFileError, write_columns
from slowpath.analysis.kinds.profiles.decoded.profile_table import (
    ProfileTable,
    _stacks_of_samples,
    read_profile_columns,
)
from tests.analysis.kinds.profiles.generated_profiles import TICK, file_of, stacks, table

TESTDATA = Path(__file__).resolve().parents[5] / "worker" / "decode" / "testdata"
DRAWING = """
    main   main   main
    serve  serve  idle
    decode write  .
    3      2      1
"""


def test_a_drawn_profile_is_read() -> None:
    read = table(stacks(DRAWING))
    assert read.kind == "cpu"
    assert [each.type for each in read.sample_types] == ["samples", "cpu"]
    assert read.total(0) == 6
    assert read.total(1) == 6 * TICK


def test_depths_count_the_frames_above() -> None:
    read = table(stacks(DRAWING))
    names = [read.strings[int(key)] for key in read.node_key]
    depths = dict(zip(names, read.node_depths(np.arange(len(names))).tolist(), strict=True))
    assert depths == {"": 0, "main": 1, "serve": 2, "idle": 2, "decode": 3, "write": 3}


def damaged(**changes: object) -> bytes:
    """The drawn file with some columns (or, under `header`, fields) replaced."""
    read = read_profile_columns(file_of(stacks(DRAWING)))
    header = {**read.header, **changes.pop("header", {})}  # type: ignore[dict-item]
    header.pop("columns")
    return write_columns(header, {**read.arrays, **changes})  # type: ignore[dict-item]


U32 = np.uint32


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"header": {"sample_types": []}}, "default sample type"),
        ({"header": {"default_sample_type": 7}}, "default sample type 7 of 2"),
        ({"header": {"kind": 1, "sample_types": [3]}}, "lacks or mistypes"),
        ({"header": {"period": [1]}}, "lacks or mistypes"),
        ({"strings_offset": np.array([0, 5, 2], dtype=U32)}, "offsets do not ascend"),
        ({"strings_bytes": np.zeros(3, dtype=np.uint8)}, "do not match the bytes"),
        ({"node_key": np.full(6, 99, dtype=U32)}, "node_key refers to 99"),
        ({"node_key": np.zeros(2, dtype=U32)}, "node_key has 2 entries, expected 6"),
        ({"node_parent": np.zeros(6, dtype=U32)}, "node tree has no root"),
        ({"node_parent": np.array([0xFFFFFFFF, 0, 3, 0, 1, 1], dtype=U32)}, "has a parent after its child"),
        ({"sample_line_node": np.array([1, 2, 77], dtype=U32)}, "sample_line_node refers to 77"),
        ({"line_node_node": np.full(6, 50, dtype=U32)}, "sample_node refers to 50"),
        ({"line_node_parent": np.zeros(6, dtype=U32)}, "line_node tree has no root"),
        ({"value_0": np.zeros(1, dtype=np.int64)}, "value_0 has 1 entries, expected 3"),
    ],
)
def test_damage_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ColumnFileError, match=message):
        ProfileTable.parse(damaged(**changes))


def test_the_header_may_leave_out_what_is_optional() -> None:
    read = read_profile_columns(file_of(stacks(DRAWING)))
    stored = {
        name: read.header[name] for name in ("format", "format_version", "kind", "sample_types", "default_sample_type")
    }
    bare = ProfileTable.parse(write_columns(json.loads(json.dumps(stored)), read.arrays))
    assert (bare.period, bare.duration_ns, bare.build_ids) == (0, 0, ())


@pytest.mark.parametrize("name", ["go-cpu-1.26", "parca-labels-cpu"])
def test_a_profile_of_version_1_is_read_as_the_present_one(name: str) -> None:
    former, present = (
        ProfileTable.parse((TESTDATA / path).read_bytes())
        for path in (f"former/{name}-1.slowcol", f"golden/{name}.slowcol")
    )
    for attribute in ("node_parent", "node_key", "sample_node", "sample_line_node"):
        np.testing.assert_array_equal(getattr(former, attribute), getattr(present, attribute))
    for attribute in ("parent", "key", "line"):
        lines = [getattr(each.lines.nodes, attribute)[1:] for each in (former, present)]
        np.testing.assert_array_equal(*lines)
    stacks = [_stacks_of_samples(each) for each in (former, present)]
    np.testing.assert_array_equal(stacks[0].hash, present.stacks.hash)
    np.testing.assert_array_equal(stacks[1].hash, present.stacks.hash)
    np.testing.assert_array_equal(stacks[1].depth, present.stacks.depth)


def branches(**changes: object) -> bytes:
    """A decoded profile of the present version with some columns replaced."""
    read = read_profile_columns((TESTDATA / "golden" / "go-cpu-1.26.slowcol").read_bytes())
    header = {name: value for name, value in read.header.items() if name != "columns"}
    return write_columns(header, {**read.arrays, **changes})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node_branch": np.array([9, 8], dtype=U32), "node_branch_parent": np.zeros(2, dtype=U32)}, "do not ascend"),
        (
            {"node_branch": np.array([1 << 30], dtype=U32), "node_branch_parent": np.zeros(1, dtype=U32)},
            "do not ascend",
        ),
        ({"node_branch": np.array([9], dtype=U32), "node_branch_parent": np.full(1, 9, dtype=U32)}, "after its child"),
        (
            {"line_node_branch": np.array([0], dtype=U32), "line_node_branch_parent": np.zeros(1, dtype=U32)},
            "after its",
        ),
        ({"node_branch_parent": np.zeros(1, dtype=U32)}, "node_branch_parent has 1 entries"),
        ({"node_key": np.zeros(0, dtype=np.uint16)}, "do not ascend"),
        ({"node_key": np.zeros(3, dtype=np.int32)}, "expected u16 or u32"),
        ({"frame_line": np.zeros(1, dtype=np.int32)}, "columns of frames differ"),
        ({"sample_node": np.zeros(1, dtype=U32)}, "sample_node has 1 entries"),
    ],
)
def test_damaged_branches_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ColumnFileError, match=message):
        ProfileTable.parse(branches(**changes))


def test_frames_outside_their_table_are_refused_where_lines_are_read() -> None:
    table = ProfileTable.parse(branches(frame_function=np.zeros(1, dtype=U32), frame_line=np.zeros(1, dtype=np.int32)))
    with pytest.raises(ColumnFileError, match="line_node_frame refers to"):
        assert table.lines.nodes
