"""Missed deliveries, from GitLab's own list."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from slowpath.inventory.webhooks.rules.gitlab_missed_deliveries import (
    MOST_TRIES,
    events_of,
    hook_at,
    is_seen,
    missed_events,
)

NOW = datetime(2026, 4, 28, 12, tzinfo=UTC)
ADDRESS = "/api/v1/webhooks/5f/gitlab"


def event(number: int, key: str, status: object = "500", minutes: float | None = None, words: object = None) -> Any:  # noqa: ANN401 - any JSON value
    """Return an event as GitLab's documentation shows it."""
    at = None if minutes is None else format_datetime(NOW - timedelta(minutes=minutes), usegmt=True)
    return {
        "id": number, "url": f"https://slowpath.example{ADDRESS}", "trigger": "push_hooks",
        "request_headers": {
            "Content-Type": "application/json", "Idempotency-Key": key, "X-Gitlab-Event": "Push Hook",
            "X-Gitlab-Event-UUID": "9cebe914-4827-408f-b014-cfa23a47a35f", "X-Gitlab-Token": "[REDACTED]",
        },
        "request_data": {"object_kind": "push", "after": words or key},
        "response_headers": {"Date": at} if at else {},
        "response_body": "", "execution_duration": 1.09, "response_status": status,
    }  # fmt: skip


def asked_for(listed: list[Any], taken: set[str] | None = None) -> list[int]:
    return [one.number for one in missed_events(events_of(listed), taken or set())]


def test_missed_deliveries_are_listed_once_longest_untried_first() -> None:
    listed = [
        event(9, "late", "internal error"), event(8, "lost again"), event(7, "well", "200"), event(6, "taken", "504"),
        event(5, "lost again"), event(4, "lost", "404"), event(3, "well", "502"),
    ]  # fmt: skip

    assert asked_for(listed, {"taken"}) == [4, 8, 9]


def test_a_message_that_came_under_another_id_has_come() -> None:
    listed = [event(9, "another id", 200, words="same words"), event(8, "lost", words="same words")]

    assert asked_for(listed) == []
    assert asked_for(listed[1:]) == [8]


def test_a_repeatedly_failing_job_is_abandoned() -> None:
    listed = [event(number, "refused", "422") for number in range(MOST_TRIES, 0, -1)]

    assert asked_for(listed) == []
    assert asked_for(listed[1:]) == [MOST_TRIES - 1]


@pytest.mark.parametrize(
    "response",
    [None, {}, "x", 7, [None, 7, {}, {"id": "7"}, {"id": 7}, {"id": 7, "request_headers": [], "request_data": 1}]],
)
def test_an_invalid_list_of_deliveries_misses_nothing(response: object) -> None:
    assert missed_events(events_of(response), ()) == []


def test_pages_are_read_as_far_back_as_nothing_was_looked_through() -> None:
    def page(minutes: float | None) -> Any:  # noqa: ANN401 - events
        return events_of([event(2, "a"), event(1, "b", minutes=minutes)])

    hour = 60
    assert not is_seen(page(None), NOW, NOW), "what was not answered has no time"
    assert not is_seen(page(2 * hour), NOW - timedelta(hours=1), NOW), "lately tried messages may have failed"
    assert is_seen(page(8 * hour), NOW - timedelta(hours=1), NOW)
    assert not is_seen(page(8 * hour), None, NOW)
    assert is_seen(page(8 * 24 * hour), None, NOW)


def test_the_hook_is_found_by_where_it_sends_to() -> None:
    listed = [
        {"id": 3, "url": "https://slowpath.example/api/v1/webhooks/6f/gitlab"}, {"id": "4"}, None,
        {"id": 7, "url": f"https://slowpath.example{ADDRESS}/?x=1", "alert_status": "executable"},
    ]  # fmt: skip

    assert hook_at(listed, (ADDRESS,)) == (7, False)
    assert hook_at([{**listed[3], "alert_status": "temporarily_disabled"}], (ADDRESS,)) == (7, True)  # type: ignore[dict-item]  # it is one
    assert hook_at(listed[:3], (ADDRESS,)) == (None, False)
    assert hook_at({}, (ADDRESS,)) == (None, False)
