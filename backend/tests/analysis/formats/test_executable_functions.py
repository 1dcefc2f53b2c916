"""Searching the functions of a decoded executable: two functions, one of them with an inlined call."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from slowpath.analysis.formats.column_file import ColumnFileError, read_columns
from slowpath.analysis.formats.executable_functions import FunctionOrder, search_functions

GOLDEN = Path(__file__).resolve().parents[4] / "worker" / "decode" / "testdata" / "golden" / "executable-small.slowcol"
CONTENT = GOLDEN.read_bytes()


def reading(content: bytes) -> Callable[[int, int], bytes]:
    return lambda offset, length: content[offset : offset + length]


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


def test_calls_and_inline_trees_are_not_read() -> None:
    asked: list[range] = []

    def read(offset: int, length: int) -> bytes:
        asked.append(range(offset, offset + length))
        return CONTENT[offset : offset + length]

    search_functions(read, "main", "frame", 10)
    listed = read_columns(CONTENT, "slowpath.binary")
    start = 16 + int.from_bytes(CONTENT[8:12], "little")
    unread = [each for each in listed.header["columns"] if each["name"].startswith(("call_", "inlined_"))]
    assert len(unread) == 11
    for each in unread:
        assert not any(start + each["offset"] in part for part in asked), each["name"]


def test_a_damaged_header_is_refused() -> None:
    with pytest.raises(ColumnFileError):
        search_functions(reading(CONTENT[:20]), "", "frame", 10)
    with pytest.raises(ColumnFileError):
        search_functions(reading(CONTENT.replace(b'"length":2', b'"length":-', 1)), "", "frame", 10)
