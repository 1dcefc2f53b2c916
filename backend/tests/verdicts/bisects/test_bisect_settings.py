"""Settings: when deployments may begin, and their stored form."""

from datetime import UTC, datetime

import pytest

from slowpath.verdicts.bisects.rules.bisect_settings import (
    DAYS,
    BisectSettings,
    DeploymentHours,
    Guardrail,
    apply_settings_update,
    from_json,
    to_json,
)

WEEKDAYS = DAYS[:5]


@pytest.mark.parametrize(
    ("hours", "at", "allowed"),
    [
        (DeploymentHours(WEEKDAYS, "09:00", "17:00", "UTC"), "2026-11-20T09:00", True),
        (DeploymentHours(WEEKDAYS, "09:00", "17:00", "UTC"), "2026-11-20T17:00", False),
        (DeploymentHours(WEEKDAYS, "09:00", "17:00", "UTC"), "2026-11-21T12:00", False),
        (DeploymentHours(WEEKDAYS, "09:00", "17:00", "Europe/Berlin"), "2026-11-20T08:00", True),
        (DeploymentHours(WEEKDAYS, "09:00", "17:00", "America/New_York"), "2026-11-20T12:00", False),
        (DeploymentHours(("fri",), "22:00", "06:00", "UTC"), "2026-11-21T05:59", True),
        (DeploymentHours(("fri",), "22:00", "06:00", "UTC"), "2026-11-20T05:59", False),
        (DeploymentHours(("sun",), "22:00", "06:00", "UTC"), "2026-11-23T01:00", True),
        (DeploymentHours(("fri",), "00:00", "00:00", "UTC"), "2026-11-20T12:00", True),
    ],
)
def test_deploys_begin_when_they_may(hours: DeploymentHours, at: str, allowed: bool) -> None:
    assert hours.allow(datetime.fromisoformat(at).replace(tzinfo=UTC)) is allowed


def test_stored_values_are_returned() -> None:
    settings = BisectSettings(
        slots=3, deployment_hours=DeploymentHours(("mon",), "09:00", "17:00", "UTC"), guardrail=Guardrail(None, 0.05, None), tags=("netgo",),
        module_repositories={"example.com/x": "00000000-0000-0000-0000-000000000001"},
    )  # fmt: skip
    assert from_json(to_json(settings)) == settings
    assert apply_settings_update(settings, {"deployment_hours": None, "unknown": 1}).deployment_hours is None
    assert from_json({}) == BisectSettings()


def test_a_control_takes_a_slot_and_marks_cost_no_deploy() -> None:
    search = BisectSettings(slots=3, control=True, max_deployments=10).search(larger_is_worse=True, marks=2)
    assert (search.slots, search.control, search.most_deploys) == (2, True, 12)
