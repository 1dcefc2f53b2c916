"""The benchmark of messages: a step is announced once, minutes later; a day without a change is not."""

import pytest

from bench import production_messages

pytestmark = pytest.mark.processes


def test_a_doubling_at_a_deployment_is_announced_within_minutes() -> None:
    delays = [production_messages.delay_min(seed, at_deploy=True) for seed in (0, 3, 4)]
    assert all(delay is not None and 1.5 < delay < 4 for delay in delays)


def test_a_day_without_a_change_has_no_message() -> None:
    """Neither of latency nor of load or a gauge."""
    assert production_messages.listed_changes(production_messages._day(1)) == []
