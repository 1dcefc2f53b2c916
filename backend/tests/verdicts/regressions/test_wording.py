"""Sentences on the trend of a series."""

from datetime import UTC, datetime, timedelta

import pytest

from slowpath.analysis.series.trends import Trend
from slowpath.verdicts.regressions.wording import describe_trend, format_comparison_name

BEGUN = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("trend", "steps", "gap", "sentence"),
    [
        (Trend("linear", 0, 59, 0.004), 0, 6, "Rises by about 0.4% per build; no change point."),
        (Trend("ramp", 10, 59, -0.004), 1, 6, "Falls by about 0.4% per build since 000000000a; 1 change point."),
        (
            Trend("ramp", 10, 31, 0.0004),
            2,
            6,
            "Rises by about 0.04% per build since 000000000a until 000000001f; 2 change points.",
        ),
        (Trend("season", 0, 59, 0.03, 4.1), 0, 6, "Varies daily by ±3.0%; no change point."),
        (Trend("season", 0, 59, 0.03, 7.0), 0, 24, "Varies weekly by ±3.0%; no change point."),
        (Trend("season", 0, 59, 0.03, 12.0), 0, 6, "Varies about every 12 builds by ±3.0%; no change point."),
    ],
)
def test_describe_trend(trend: Trend, steps: int, gap: int, sentence: str) -> None:
    made = [(f"{number:010x}" + 30 * "0", BEGUN + number * timedelta(hours=gap)) for number in range(60)]

    assert describe_trend(trend, steps, made) == sentence


def test_the_comparison_of_a_regression_is_named_without_the_size_of_all_builds() -> None:
    """The regression's ratio is of levels over builds, the comparison's of two sets: one row has one ratio."""
    name = format_comparison_name(
        "profile.function", "shop/discount.(*Rules).Best", "us/request", 15.0, ("5af1c2d8568b", "1d9a52b7c831")
    )
    assert name == "discount.(*Rules).Best takes more time (5af1c2d856 → 1d9a52b7c8)"
