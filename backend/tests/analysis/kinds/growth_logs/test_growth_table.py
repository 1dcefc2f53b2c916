"""Decoded growth logs as the decoder writes them: the golden files of the example's three variants."""

import contextlib
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.kinds.growth_logs.growth_table import (
    MOST_PATHS,
    OTHERS,
    GrowthTable,
    attributed_caller_of,
)
from tests.analysis.kinds.growth_logs.growth_log_samples import GOLDEN

HELPER = (GOLDEN / "growth-helper.slowcol").read_bytes()


def test_the_helper_log_is_parsed() -> None:
    table = GrowthTable.parse(HELPER)
    assert (table.dialect, table.rate, table.rate_known, table.sampled) == ("newstack", 1_000, True, 98)
    assert table.total == 99_724
    assert table.totals == {2_048: 49_863, 4_096: 49_861}
    assert (table.start_bytes, table.goroutines, table.lost, table.truncated) == (2_048, 97, 0, False)
    assert table.estimate == 98_000
    assert table.growths == 99_724
    found = {(path.caller, path.old_bytes, path.new_bytes, path.sampled) for path in table.paths}
    assert found == {
        ("ingester/retry.(*Retrier).Attempt", 2_048, 4_096, 49),
        ("ingester/ident.cloneBytes", 4_096, 8_192, 49),
    }
    assert all(path.path[0].startswith("ingester/ingest.(*spawner)") for path in table.paths)
    assert all(path.path[-1] == path.caller and path.entry is None for path in table.paths)


def test_a_growth_inside_the_runtime_is_attributed_to_its_caller() -> None:
    table = GrowthTable.parse((GOLDEN / "growth-inlined.slowcol").read_bytes())
    inside = next(path for path in table.paths if path.old_bytes == 4_096)
    assert inside.caller == "ingester/commitlog.(*Log).enqueue"
    assert inside.entry == "runtime.chansend1"
    assert inside.path[-1] == "runtime.sendDirect"


@pytest.mark.parametrize(
    ("leaf_first", "expected"),
    [
        (["runtime.mallocgc", "runtime.newobject", "example.com/a.F"], ("example.com/a.F", "runtime.newobject")),
        (["fmt.Sprintf", "example.com/a.F", "main.main"], ("example.com/a.F", None)),
        (
            ["runtime.growslice", "encoding/json.Marshal", "net/http.serve"],
            ("encoding/json.Marshal", "runtime.growslice"),
        ),
        (["runtime.bgsweep"], ("runtime.bgsweep", None)),
        (["[frames elided]", "main.a"], ("main.a", None)),
        ([], ("(unknown)", None)),
    ],
)
def test_attributed_caller(leaf_first: list[str], expected: tuple[str, str | None]) -> None:
    assert attributed_caller_of(leaf_first) == expected


def test_another_kind_of_profile_is_refused() -> None:
    with pytest.raises(ColumnFileError, match="no stack-growth log") as refused:
        GrowthTable.parse((GOLDEN / "go-cpu-1.26.slowcol").read_bytes())
    assert refused.value.slug == "not-growth"


def _with_header(change: dict[str, object]) -> bytes:
    """The golden file with other header fields under `growth`, padded to the same length."""
    length = struct.unpack("<I", HELPER[8:12])[0]
    header = json.loads(HELPER[16 : 16 + length])
    header["growth"] = {**header["growth"], **change}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(16 + len(text)) % 8)
    return HELPER[:8] + struct.pack("<I", len(text)) + bytes(4) + text + HELPER[16 + length :]


@pytest.mark.parametrize("change", [{"rate": "many"}, {"totals": 3}, {"totals": [{"old_bytes": 1}]}, {"sampled": None}])
def test_a_header_that_mistypes_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ColumnFileError) as refused:
        GrowthTable.parse(_with_header(change))
    assert refused.value.slug == "header-damaged"


@given(st.integers(0, len(HELPER) - 1), st.integers(1, 255))
def test_a_damaged_file_is_read_or_refused_by_name(at: int, flip: int) -> None:
    damaged = bytearray(HELPER)
    damaged[at] ^= flip
    with contextlib.suppress(ColumnFileError):
        assert GrowthTable.parse(bytes(damaged)).rate >= 1


def test_there_is_a_last_path() -> None:
    assert MOST_PATHS > 1_000
    assert OTHERS.startswith("(")
