"""The columnar container: what is written can be read, what is damaged is refused by name."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from slowpath.analysis.formats.column_file import ColumnFileError, pack_strings, read_columns, write_columns

HEADER = {"format": "test.one", "format_version": 1}
KINDS = ("u1", "u2", "u4", "i4", "u8", "i8", "f4", "f8")


@given(st.lists(st.sampled_from(KINDS), max_size=5), st.data())
def test_arrays_survive_a_round_trip(kinds: list[str], data: st.DataObject) -> None:
    arrays = {
        f"c{i}": data.draw(
            npst.arrays(f"<{kind}", st.integers(0, 9), elements={"allow_nan": False} if kind[0] == "f" else None)
        )
        for i, kind in enumerate(kinds)
    }
    read = read_columns(write_columns(HEADER, arrays), "test.one")
    assert set(read.arrays) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(read.arrays[name], array)


def test_header_and_arrays_lie_on_multiples_of_eight() -> None:
    written = write_columns(
        {**HEADER, "note": "x"}, {"a": np.arange(3, dtype=np.uint8), "b": np.arange(2, dtype=np.float64)}
    )
    length = int.from_bytes(written[8:12], "little")
    assert (16 + length) % 8 == 0
    listed = json.loads(written[16 : 16 + length])["columns"]
    assert [(entry["name"], entry["type"], entry["offset"], entry["length"]) for entry in listed] == [
        ("a", "u8", 0, 3),
        ("b", "f64", 8, 2),
    ]


def test_column_names_its_absence_and_its_type() -> None:
    read = read_columns(write_columns(HEADER, {"a": np.arange(3, dtype=np.uint8)}), "test.one")
    with pytest.raises(ColumnFileError, match="missing"):
        read.column("b", "u8")
    with pytest.raises(ColumnFileError, match="is u8, expected u32"):
        read.column("a", "u32")


def test_a_type_that_the_format_lacks_is_not_written() -> None:
    with pytest.raises(ColumnFileError, match="which the format lacks"):
        write_columns(HEADER, {"a": np.array([1 + 2j])})


def file_with(columns: object, *, body: bytes = b"12345678", **header: object) -> bytes:
    text = json.dumps({**HEADER, "columns": columns, **header}).encode()
    text += b" " * (-len(text) % 8)
    return b"slowcol1" + len(text).to_bytes(4, "little") + bytes(4) + text + body


def column(**changes: object) -> dict[str, object]:
    return {"name": "a", "type": "u8", "offset": 0, "length": 8} | changes


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b"", "magic-wrong"),
        (b"slowcol2" + bytes(20), "magic-wrong"),
        (b"slowcol1" + (99).to_bytes(4, "little") + bytes(4), "header-damaged"),
        (b"slowcol1" + (8).to_bytes(4, "little") + bytes(4) + b"{broken}", "header-damaged"),
        (b"slowcol1" + (8).to_bytes(4, "little") + bytes(4) + b"[1, 2]  ", "header-damaged"),
        (file_with([], format="other"), "format-unknown"),
        (file_with([], format_version=2), "version-unknown"),
        (file_with({}), "header-damaged"),
        (file_with(["a"]), "header-damaged"),
        (file_with([column(type="u7")]), "header-damaged"),
        (file_with([column(offset="0")]), "header-damaged"),
        (file_with([column(offset=4)]), "column-misaligned"),
        (file_with([column(offset=8)]), "column-outside"),
        (file_with([column(length=-1)]), "column-outside"),
        (file_with([column(), column()]), "column-twice"),
    ],
)
def test_damage_is_refused_by_name(data: bytes, slug: str) -> None:
    with pytest.raises(ColumnFileError) as refused:
        read_columns(data, "test.one")
    assert refused.value.slug == slug


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(ColumnFileError):
        read_columns(b"slowcol1" + data, "test.one")


def test_strings_are_packed_as_utf8() -> None:
    packed = pack_strings(["", "é", "x"])
    assert packed["strings_offset"].tolist() == [0, 0, 2, 3]
    assert packed["strings_bytes"].tobytes().decode() == "éx"
