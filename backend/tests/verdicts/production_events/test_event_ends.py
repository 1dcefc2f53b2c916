"""What ends a production event: recovery, rollback and fix."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from slowpath.analysis.kinds.metrics.changes.level_measurement import LevelMeasurement
from slowpath.verdicts.production_events.rules.event_ends import (
    LaterDeployment,
    StatedFix,
    find_fix,
    find_rollback,
    is_back,
    is_recovered,
)

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def test_recovery_needs_a_comparable_load() -> None:
    level = LevelMeasurement(recent_ratio=1.0, recent_ratio_high=1.05, load_share=0.9)
    assert is_recovered(level, 1.1) is True
    assert is_recovered(replace(level, recent_ratio_high=1.2), 1.1) is False
    assert is_recovered(replace(level, load_share=0.3), 1.1) is None
    assert is_recovered(replace(level, recent_ratio_high=None), 1.1) is None


def test_a_rollback_runs_the_former_commit_and_is_the_newest_deployment() -> None:
    back = LaterDeployment(UUID(int=31), "a" * 40, None, NOW + timedelta(minutes=9), None)
    forward = replace(back, id=UUID(int=32), commit="c" * 40, started_at=NOW + timedelta(minutes=20))
    assert find_rollback("a" * 40, [back]) == back
    assert find_rollback("a" * 40, [back, forward]) is None
    assert find_rollback(None, [replace(back, commit="")]) is None


def test_a_fix_is_proven_by_its_commit_build_or_deployment_only() -> None:
    deployment = LaterDeployment(UUID(int=31), "abcdef1234", None, NOW, UUID(int=41))
    assert find_fix(StatedFix(commit="abcdef1"), [deployment]) == deployment
    assert find_fix(StatedFix(build_id=UUID(int=41)), [deployment]) == deployment
    assert find_fix(StatedFix(deployment_id=UUID(int=31)), [deployment]) == deployment
    assert find_fix(StatedFix(commit="1234567"), [deployment]) is None
    assert find_fix(None, [deployment]) is None


@pytest.mark.parametrize(
    ("ratio", "low", "high", "expected"),
    [(4.0, 0.9, 1.9, True), (4.0, 0.9, 2.1, False), (0.25, 0.6, 1.1, True), (0.25, 0.4, 1.1, False)],
)
def test_load_is_back_when_it_is_certainly_nearer_to_its_former_level(
    ratio: float, low: float, high: float, expected: bool
) -> None:
    assert is_back(LevelMeasurement(recent_ratio=1.0, recent_ratio_low=low, recent_ratio_high=high), ratio) is expected
    assert is_back(LevelMeasurement(), ratio) is None
