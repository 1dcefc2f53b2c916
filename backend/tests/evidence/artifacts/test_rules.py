"""Names that may hold anything, and parts that must fit together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.evidence.artifacts.rules import MAX_NAME, clean_name, part_count, part_size

NAMES = [
    ("cpu.pprof", "cpu.pprof"),
    ("/etc/passwd", "passwd"),
    ("..\\..\\boot.ini", "boot.ini"),
    ("../..", "unnamed"),
    ("", "unnamed"),
    (" . ", "unnamed"),
    ("a\x00b", "a�b"),
    ("a\r\nSet-Cookie: b", "a��Set-Cookie: b"),
    ("cpu\u202egpj.exe", "cpu�gpj.exe"),
    ("\ud800", "�"),
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
    ("=cmd()", "=cmd()"),
    ("профиль.pb.gz", "профиль.pb.gz"),
]


@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_a_name_is_one_printable_line_without_a_path(name: str, shown: str) -> None:
    assert clean_name(name) == shown


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    shown = clean_name("a" * 70_000 + ".pb.gz")

    assert len(shown) == MAX_NAME
    assert shown.startswith("aaa")
    assert shown.endswith(".pb.gz")


@given(st.text(alphabet=st.characters(codec=None), max_size=400))
def test_any_name_becomes_one_that_can_be_stored_and_cleaning_twice_changes_nothing(name: str) -> None:
    shown = clean_name(name)

    assert 0 < len(shown) <= MAX_NAME
    assert not set(shown) & set("/\\\x00\n\r\t\x7f\x85\u2028\u202e")
    shown.encode("utf-8")
    assert clean_name(shown) == shown


@given(st.integers(0, 10**12), st.integers(1, 10**9))
def test_parts_add_up_to_the_file(size_bytes: int, part_bytes: int) -> None:
    count = part_count(size_bytes, part_bytes)

    assert count >= 1
    last = part_size(size_bytes, part_bytes, count)
    assert (count - 1) * part_bytes + last == size_bytes
    assert 0 <= last <= part_bytes
    if count > 1:
        assert part_size(size_bytes, part_bytes, 1) == part_bytes
