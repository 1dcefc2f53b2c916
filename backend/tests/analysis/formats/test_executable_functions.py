"""Searching the functions of a decoded executable: two functions, one of them with an inlined call."""

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from slowpath.analysis.formats.column_file import ColumnFileError, RangeReader, read_columns
from slowpath.analysis.formats.executable_functions import FunctionOrder, search_functions

GOLDEN = Path(__file__).resolve().parents[4] / "worker" / "decode" / "testdata" / "golden" / "executable-small.slowcol"
CONTENT = GOLDEN.read_bytes()


def reading(content: bytes) -> RangeReader:
    return lambda ranges: [content[offset : offset + length] for offset, length in ranges]


def test_a_function_has_frame_size_and_what_is_inlined() -> None:
    found = search_functions(reading(CONTENT), "", "frame", 10)
    first, second = found.functions
    assert (found.matched, found.total) == (2, 2)
    assert (first.name, first.file, first.frame_bytes, first.size_bytes) == ("main.f", "main.go", 16, 21)
    assert (first.inlined, first.calls, first.has_stack_check, first.is_wrapper) == (1, 3, False, False)
    assert (second.name, second.is_wrapper, second.inlined) == ("main.h-fm", True, 0)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("MAIN.F", ["main.f"]),
        ("main", ["main.f", "main.h-fm"]),
        ("main.g", []),  # inlined everywhere: it is no function of the table
        ("fmain", []),  # the end of one name and the start of the next
        ("-fm", ["main.h-fm"]),
    ],
)
def test_names_are_searched_in_any_case(text: str, names: list[str]) -> None:
    assert [each.name for each in search_functions(reading(CONTENT), text, "entry", 10).functions] == names


@pytest.mark.parametrize("order", get_args(FunctionOrder))
def test_the_limit_cuts_the_list_and_not_the_count(order: FunctionOrder) -> None:
    found = search_functions(reading(CONTENT), "main", order, 1)
    assert ([each.name for each in found.functions], found.matched) == (["main.f"], 2)


def test_the_next_page_begins_after_the_first() -> None:
    pages = [search_functions(reading(CONTENT), "", "frame", 1, offset) for offset in range(3)]
    assert [[each.name for each in page.functions] for page in pages] == [["main.f"], ["main.h-fm"], []]
    assert {page.matched for page in pages} == {2}


def test_wrappers_are_last_however_large_they_are() -> None:
    frames = struct.pack("<2i", 16, 0)  # of both functions
    larger = CONTENT.replace(frames, struct.pack("<2i", 16, 1 << 20), 1)
    found = search_functions(reading(larger), "", "frame", 10)
    assert [(each.name, each.frame_bytes) for each in found.functions] == [("main.f", 16), ("main.h-fm", 1 << 20)]


def parts_read(text: str, order: FunctionOrder, limit: int) -> dict[str, int]:
    """Return how many bytes of each column a page reads; the end of each range counts for its last column."""
    listed = read_columns(CONTENT, "slowpath.binary")
    start = 16 + int.from_bytes(CONTENT[8:12], "little")
    places = {each["name"]: start + each["offset"] for each in listed.header["columns"]}
    found: dict[str, int] = {}

    def read(ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        for offset, length in ranges:
            inside = [name for name, at in places.items() if at <= offset]
            if inside and length:
                name = max(inside, key=lambda each: places[each])
                found[name] = found.get(name, 0) + length
        return [CONTENT[offset : offset + length] for offset, length in ranges]

    search_functions(read, text, order, limit)
    return found


def test_calls_and_inline_trees_are_not_read() -> None:
    for text in ("", "main"):
        assert not [name for name in parts_read(text, "frame", 10) if name.startswith(("call_", "inlined_"))]


def test_a_page_reads_the_rows_and_names_that_it_shows() -> None:
    page, whole = parts_read("", "entry", 1), parts_read("main", "entry", 2)
    assert page["strings_bytes"] == len("main.f") + len("main.go") < whole["strings_bytes"]
    assert (page["function_name"], page["function_frame"]) == (4, 4)
    assert parts_read("", "frame", 1)["function_frame"] == 8  # of both functions, for the order


def test_a_damaged_header_is_refused() -> None:
    with pytest.raises(ColumnFileError):
        search_functions(reading(CONTENT[:20]), "", "frame", 10)
    with pytest.raises(ColumnFileError):
        search_functions(reading(CONTENT.replace(b'"length":2', b'"length":-', 1)), "", "frame", 10)
