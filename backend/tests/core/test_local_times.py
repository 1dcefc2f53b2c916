"""Times in the zone of a reader, over changes of its clock."""

from datetime import UTC, datetime

import pytest

from slowpath.core.local_times import find_zone, format_local_time


@pytest.mark.parametrize(
    ("moment", "zone", "text"),
    [
        ("2026-03-29 00:59", "Europe/Berlin", "2026-03-29 01:59 CET"),
        ("2026-03-29 01:00", "Europe/Berlin", "2026-03-29 03:00 CEST"),
        ("2026-10-25 00:30", "Europe/Berlin", "2026-10-25 02:30 CEST"),
        ("2026-10-25 01:30", "Europe/Berlin", "2026-10-25 02:30 CET"),
        ("2026-11-01 05:30", "America/New_York", "2026-11-01 01:30 EDT"),
        ("2026-11-01 06:30", "America/New_York", "2026-11-01 01:30 EST"),
        ("2026-11-28 20:00", "Asia/Tokyo", "2026-11-29 05:00 JST"),
        ("2026-11-28 07:40", "America/Sao_Paulo", "2026-11-28 04:40 UTC-03"),
        ("2026-11-28 07:40", "Asia/Dubai", "2026-11-28 11:40 UTC+04"),
        ("2026-11-28 07:40", None, "2026-11-28 07:40 UTC"),
    ],
)
def test_a_time_has_the_abbreviation_of_its_zone(moment: str, zone: str | None, text: str) -> None:
    at = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert format_local_time(at, zone) == text


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "a\0b", "Europe"])
def test_an_unknown_zone_is_utc(name: str) -> None:
    assert find_zone(name).key == "UTC"
