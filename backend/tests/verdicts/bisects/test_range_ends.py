"""Names of the ends of a commit range."""

from datetime import UTC, datetime

import pytest

from slowpath.verdicts.bisects.rules.range_ends import order_names, parse_date, strip_ref_prefix


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-17", datetime(2026, 11, 17, 23, 59, 59, 999999, UTC)),
        ("2026-11-17 09:12", datetime(2026, 11, 17, 9, 12, tzinfo=UTC)),
        ("2026-11-17T09:12:00+02:00", datetime(2026, 11, 17, 7, 12, tzinfo=UTC)),
        ("v2026", None),
        ("2026-13-01", None),
        ("", None),
    ],
)
def test_a_date_is_the_end_of_its_day(text: str, expected: datetime | None) -> None:
    assert parse_date(text) == expected


def test_later_versions_come_first_and_releases_before_their_candidates() -> None:
    names = ["v1.9.0", "v1.10.0-rc1", "v1.10.0"]
    assert sorted(names, key=order_names) == ["v1.10.0", "v1.10.0-rc1", "v1.9.0"]


@pytest.mark.parametrize("text", ["refs/tags/v1", "tags/v1", "heads/v1", "origin/v1", "v1"])
def test_a_reference_has_a_short_name(text: str) -> None:
    assert strip_ref_prefix(text) == "v1"
