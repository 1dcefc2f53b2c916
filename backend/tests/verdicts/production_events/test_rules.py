"""Grouping, severity, and what ends an event: without a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from slowpath.analysis.kinds.metrics.level_measurement import LevelMeasurement
from slowpath.verdicts.production_events.rules import (
    KnownEvent,
    LaterDeployment,
    ObservedChange,
    StatedFix,
    belongs_to,
    decide_level_severity,
    decide_severity,
    estimate_added_latency,
    find_fix,
    find_rollback,
    group_changes,
    is_back,
    is_recovered,
    is_way_back,
)

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
API, DATABASE, EDGE = (UUID(int=number) for number in (1, 2, 3))
DEPLOYMENT, OTHER = UUID(int=21), UUID(int=22)


def change(
    number: int | None,
    service_id: UUID,
    minute: float = 0,
    *,
    deployment_id: UUID | None = None,
    follows: UUID | None = None,
) -> ObservedChange:
    at = NOW + timedelta(minutes=minute)
    return ObservedChange(
        None if number is None else UUID(int=100 + number),
        service_id,
        "p99",
        at,
        at,
        at + timedelta(minutes=1),
        at + timedelta(minutes=3),
        0.1,
        0.2,
        2.0,
        1.8,
        2.2,
        deployment_id,
        follows,
    )


def event(service_id: UUID, *, deployment_id: UUID | None = None, closed_min: float | None = None) -> KnownEvent:
    closed_at = None if closed_min is None else NOW + timedelta(minutes=closed_min)
    return KnownEvent(UUID(int=900), service_id, deployment_id, NOW, NOW, NOW, closed_at is None, closed_at)


def test_signals_of_a_service_its_deployment_and_its_callers_are_one_event() -> None:
    own = change(1, API, deployment_id=DEPLOYMENT)
    signal, verdict = change(2, API, 1), change(None, API, deployment_id=DEPLOYMENT)
    caller, its_caller = change(3, DATABASE, 1, follows=API), change(4, EDGE, 1.5, follows=DATABASE)
    found = group_changes([its_caller, caller, verdict, signal, own], [])
    (group,) = found.new
    assert set(group.members) == {own, signal, verdict, caller, its_caller}
    assert group.culprit == own
    assert found.joined == ()


def test_two_services_that_do_not_follow_each_other_are_two_events() -> None:
    found = group_changes([change(1, API), change(2, DATABASE)], [])
    assert [group.culprit.service_id for group in found.new] == [API, DATABASE]


def test_two_deployments_of_a_service_are_two_events() -> None:
    changes = [change(1, API, deployment_id=DEPLOYMENT), change(2, API, 1, deployment_id=OTHER)]
    assert len(group_changes(changes, []).new) == 2


def test_a_follower_without_a_culprit_is_no_event() -> None:
    """The load of the service that it follows changed: that opens no event."""
    found = group_changes([change(1, API, follows=DATABASE)], [])
    assert (found.new, found.joined) == ((), ())


def test_a_follower_joins_the_open_event_of_its_culprit() -> None:
    follower = change(1, EDGE, 1, follows=API)
    assert group_changes([follower], [event(API)]).joined == ((UUID(int=900), follower),)


@pytest.mark.parametrize(
    ("one", "known", "belongs"),
    [
        (change(1, API, 1), event(API), True),
        (change(1, DATABASE, 1), event(API), False),
        (change(1, API, 30), event(API), False),
        (change(1, API, 30, deployment_id=DEPLOYMENT), event(API, deployment_id=DEPLOYMENT), True),
        (change(1, API, 1, deployment_id=OTHER), event(API, deployment_id=DEPLOYMENT), False),
        (change(1, API, 300), event(API, closed_min=60), True),
        (change(1, API, 60 * 30), event(API, closed_min=60), False),
    ],
)
def test_a_change_belongs_to_an_event_near_it_of_its_deployment_or_soon_after_its_end(
    one: ObservedChange, known: KnownEvent, belongs: bool
) -> None:
    assert belongs_to(one, known) is belongs


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


def level(number: int, signal: str, minute: float = 0, *, up: bool = True, gauge: str = "") -> ObservedChange:
    ratio, low, high = (3.0, 2.8, 3.2) if up else (1 / 3, 1 / 3.2, 1 / 2.8)
    one = replace(change(number, API, minute), signal=signal, gauge=gauge)
    return replace(one, ratio=ratio, ratio_low=low, ratio_high=high)


def test_load_alone_is_an_event_and_what_it_explains_is_part_of_it() -> None:
    load, queue = level(1, "qps"), level(2, "gauge", 1, gauge="queue_depth")
    explained = replace(change(3, API, 1), opens_event=False)
    (group,) = group_changes([explained, queue, load], []).new
    assert set(group.members) == {load, queue, explained}
    assert group.culprit == load
    assert group_changes([explained], []).new == ()


def test_latency_represents_what_changed_with_it_but_joins_no_event_of_load() -> None:
    latency, load = change(1, API, 1), level(2, "qps")
    (group,) = group_changes([load, latency], []).new
    assert group.culprit == latency
    known = replace(event(API), signal="qps", ratio=3.0)
    assert group_changes([latency], [known]).new[0].culprit == latency
    assert group_changes([load], [event(API)]).joined == ((event(API).id, load),)


def test_the_way_back_of_load_is_no_new_occurrence() -> None:
    known = replace(event(API, closed_min=60), signal="qps", ratio=3.0)
    down, again, other = level(1, "qps", 50, up=False), level(2, "qps", 120), level(3, "gauge", 50, gauge="queue")
    assert group_changes([down, again], [known]).joined == ((known.id, down), (known.id, again))
    assert is_way_back(down, "qps", "", known.ratio)
    assert not is_way_back(again, "qps", "", known.ratio)
    assert [group.culprit for group in group_changes([other], [known]).new] == [other]


@pytest.mark.parametrize(
    ("ratio", "low", "high", "expected"),
    [(4.0, 0.9, 1.9, True), (4.0, 0.9, 2.1, False), (0.25, 0.6, 1.1, True), (0.25, 0.4, 1.1, False)],
)
def test_load_is_back_when_it_is_certainly_nearer_to_its_former_level(
    ratio: float, low: float, high: float, expected: bool
) -> None:
    assert is_back(LevelMeasurement(recent_ratio=1.0, recent_ratio_low=low, recent_ratio_high=high), ratio) is expected
    assert is_back(LevelMeasurement(), ratio) is None


def test_a_change_of_load_is_never_severe() -> None:
    assert [decide_level_severity(factor) for factor in (1.5, 2.0, 40.0)] == ["low", "medium", "medium"]
