"""Which changes are one production event."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from slowpath.verdicts.production_events.rules.change_groups import (
    KnownEvent,
    ObservedChange,
    belongs_to,
    group_changes,
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
