"""Members of headers are read with their types; wrong ones are refused by name."""

from collections.abc import Callable

import pytest

from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.formats.header_members import HeaderMembers

HEADER = HeaderMembers(
    {"name": "a", "count": 2, "share": 0.5, "is_cut": True, "rows": [{"count": 1}], "texts": ["a", "b"], "none": None}
)


def test_members_have_their_types() -> None:
    assert (HEADER.text("name"), HEADER.integer("count"), HEADER.number("share")) == ("a", 2, 0.5)
    assert (HEADER.number("count"), HEADER.boolean("is_cut"), HEADER.texts("texts")) == (2.0, True, ("a", "b"))
    assert [row.integer("count") for row in HEADER.each("rows")] == [1]
    assert (HEADER.find_integer("none"), HEADER.find_integer("count")) == (None, 2)


def test_absent_and_null_members_have_their_defaults() -> None:
    for name in ("absent", "none"):
        assert (HEADER.text(name, ""), HEADER.integer(name, 0), HEADER.number(name, 0.0)) == ("", 0, 0.0)
        assert (HEADER.inner(name, {}).members, HEADER.each(name, ()), HEADER.texts(name, ())) == ({}, [], ())


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (lambda: HEADER.text("absent"), "absent"),
        (lambda: HEADER.text("count"), "count"),
        (lambda: HEADER.integer("share"), "share"),
        (lambda: HEADER.integer("is_cut"), "is_cut"),
        (lambda: HEADER.number("name"), "name"),
        (lambda: HEADER.boolean("count"), "count"),
        (lambda: HEADER.inner("rows"), "rows"),
        (lambda: HEADER.each("texts"), "texts"),
        (lambda: HEADER.texts("rows"), "rows"),
        (lambda: HeaderMembers({"share": float("nan")}).number("share"), "share"),
    ],
)
def test_a_missing_or_mistyped_member_is_refused_by_name(read: Callable[[], object], name: str) -> None:
    with pytest.raises(ColumnFileError, match=name) as refused:
        read()
    assert refused.value.slug == "header-damaged"
