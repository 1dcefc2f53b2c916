"""Snooze, views, order and actions of inbox items: without a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from slowpath.sharing.inbox.rules import (
    InboxFilter,
    InboxItem,
    ItemClosing,
    ItemKind,
    NamedRef,
    Snooze,
    ViewName,
    allowed_actions,
    is_in_view,
    matches,
    rank_ratio,
    sort_key,
)

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ME, API = UUID(int=1), UUID(int=2)
ITEM = InboxItem(
    ItemKind.PRODUCTION_EVENT,
    UUID(int=10),
    31,
    "medium",
    "p99 is 1.8 times as high",
    "caused by deployment 5f3c1e8",
    "new",
    NOW,
    0.5,
    NamedRef(API, "checkout"),
    since_at=NOW,
)


@pytest.mark.parametrize(
    ("rule", "until", "deployed_h", "occurred_h", "active"),
    [
        ("time", 1, 2, 2, True),
        ("time", -1, None, None, False),
        ("next-deployment", None, None, 2, True),
        ("next-deployment", None, -1, 2, True),
        ("next-deployment", None, 1, None, False),
        ("next-occurrence", None, 1, -1, True),
        ("next-occurrence", None, None, 1, False),
    ],
)
def test_a_snooze_ends_by_time_deployment_or_occurrence(
    rule: str, until: int | None, deployed_h: int | None, occurred_h: int | None, active: bool
) -> None:
    def at(hours: int | None) -> datetime | None:
        return None if hours is None else NOW + hours * HOUR

    snooze = Snooze(rule, at(until), NOW)  # type: ignore[arg-type]
    assert (snooze.find_end(NOW, at(deployed_h), at(occurred_h)) is None) is active


def test_hidden_items_are_only_in_their_view() -> None:
    snoozed = replace(ITEM, is_snoozed=True)
    muted = replace(ITEM, mute_reason="known")
    merged = replace(ITEM, merged_into_id=UUID(int=11))
    closed = replace(ITEM, closed=ItemClosing(NOW, "recovered", "It is over."))
    views: tuple[ViewName, ...] = ("needs-action", "mine", "production", "regressions", "snoozed", "closed")

    def listed(item: InboxItem) -> list[str]:
        return [view for view in views if is_in_view(item, view, ME)]

    assert listed(ITEM) == ["needs-action", "production"]
    assert listed(replace(ITEM, assignee=NamedRef(ME, "Me"))) == ["needs-action", "mine", "production"]
    assert [listed(each) for each in (snoozed, muted, merged, closed)] == [["snoozed"], ["snoozed"], [], ["closed"]]


def test_filters_narrow() -> None:
    assert matches(ITEM, InboxFilter(service_id=API, kinds=["production-event"], search="CHECKOUT 5f3c1e8"))
    assert matches(ITEM, InboxFilter(unassigned=True, states=["new"], severities=["medium"]))
    assert not matches(ITEM, InboxFilter(search="basket"))
    assert not matches(ITEM, InboxFilter(service_id=ME))
    assert not matches(ITEM, InboxFilter(assignee_id=ME))
    assert not matches(replace(ITEM, assignee=NamedRef(ME, None)), InboxFilter(unassigned=True))


def test_the_most_severe_production_event_is_first() -> None:
    items = [
        replace(ITEM, kind=ItemKind.CHANNEL, severity="high", title="channel"),
        replace(ITEM, kind=ItemKind.REGRESSION, severity="high", title="regression"),
        replace(ITEM, added_seconds_per_second=0.2, title="cheap"),
        replace(ITEM, since_at=NOW - HOUR, title="older"),
        ITEM,
        replace(ITEM, severity="high", title="severe"),
    ]
    ordered = sorted(items, key=lambda one: sort_key(one, "needs-action"))
    assert [each.title for each in ordered] == ["severe", ITEM.title, "older", "cheap", "regression", "channel"]


def test_closed_items_are_listed_newest_first() -> None:
    items = [replace(ITEM, number=hours, closed=ItemClosing(NOW - hours * HOUR, "fixed", "")) for hours in (3, 1, 2)]
    assert [each.number for each in sorted(items, key=lambda one: sort_key(one, "closed"))] == [1, 2, 3]


def test_actions_follow_kind_and_state() -> None:
    assert allowed_actions(ITEM, may_write=False) == ()
    assert {"snooze", "mute", "merge", "fixed-by"} <= set(allowed_actions(ITEM, may_write=True))
    assert "set-state" not in allowed_actions(replace(ITEM, kind=ItemKind.CHANNEL), may_write=True)
    closed = replace(ITEM, closed=ItemClosing(NOW, "fixed", ""))
    assert set(allowed_actions(closed, may_write=True)) == {"assign", "set-due", "set-state"}


@pytest.mark.parametrize(
    ("ratio", "low", "expected"), [(2.0, 1.6, "high"), (2.0, 1.2, "medium"), (1.1, 1.05, "low"), (None, None, "medium")]
)
def test_the_severity_of_a_regression_is_its_certain_ratio(
    ratio: float | None, low: float | None, expected: str
) -> None:
    assert rank_ratio(ratio, low) == expected
