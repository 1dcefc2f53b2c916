"""The severity of a production event."""

import pytest

from slowpath.verdicts.production_events.rules.event_severity import (
    decide_level_severity,
    decide_severity,
    estimate_added_latency,
)


@pytest.mark.parametrize(
    ("added", "ratio_low", "expected"),
    [
        (1.0, 1.1, "high"),
        (0.5, 1.1, "medium"),
        (0.01, 9.0, "medium"),
        (0.01, 1.1, "low"),
        (None, 2.0, "high"),
        (None, 1.3, "medium"),
        (None, 1.1, "low"),
    ],
)
def test_severity_is_latency_added_per_second_or_the_certain_ratio(
    added: float | None, ratio_low: float, expected: str
) -> None:
    assert decide_severity(added, ratio_low) == expected


def test_added_latency_is_requests_times_the_mean_or_at_least_the_slowest_share() -> None:
    assert estimate_added_latency("p99", 0.1, 0.3, 100.0, 0.02) == pytest.approx(2.0)
    assert estimate_added_latency("p99", 0.1, 0.3, 100.0, None) == pytest.approx(0.2)
    assert estimate_added_latency("p99", 0.1, 0.3, None, 0.02) is None


def test_a_change_of_load_is_never_severe() -> None:
    assert [decide_level_severity(factor) for factor in (1.5, 2.0, 40.0)] == ["low", "medium", "medium"]
