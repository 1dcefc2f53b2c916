"""The log of events: recorded once with or without channels, numbered without gaps, read by number and as a stream."""

import asyncio
import os
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from slowpath.adapters.event_channels import EventForwarder
from slowpath.adapters.event_listener import ValkeyEventListener
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.sharing.notifications.endpoints import events
from slowpath.sharing.notifications.rules import (
    RETENTION_DAYS,
    BisectContent,
    NotificationContent,
    NotificationEvent,
    RegressionContent,
)
from slowpath.sharing.notifications.service import event_log, notifications
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

EVENTS = "/api/v1/events"


def opened(number: int = 3) -> NotificationContent:
    one = RegressionContent(str(new_id()), number, "shop", "new", "Clone", "Clone takes more.", "a", 1.1, 1, 1.2, None)
    return NotificationContent(NotificationEvent.OPENED, new_id(), None, "https://x.example/r", None, (one,))


def bisected() -> NotificationContent:
    one = BisectContent(str(new_id()), 2, "shop", "found", "p99", "Commit a is the culprit.")
    return NotificationContent(NotificationEvent.BISECTED, new_id(), None, "https://x.example/b", bisect=one)


def record(app: AppUnderTest, team: SomeTeam, *contents: NotificationContent) -> None:
    for content in contents:
        with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
            notifications.enqueue_notifications(session, content)


def listed(client: TestClient, **query: Any) -> tuple[list[int], int]:  # noqa: ANN401 - any parameter
    answer = client.get(EVENTS, params=query)
    assert answer.status_code == 200, answer.text
    return [item["number"] for item in answer.json()["items"]], answer.json()["next_after"]


def test_an_event_is_recorded_once_without_channels(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    one = opened()
    record(app, team, one, one, bisected())

    first, second = client.get(EVENTS).json()["items"]
    assert (first["number"], first["type"], first["sentence"]) == (1, "regression.opened", "shop got slower: Clone")
    assert first["regressions"][0]["ratio"] == 1.1
    assert (second["number"], second["bisect"]["sentence"]) == (2, "Commit a is the culprit.")


def test_pages_continue_behind_a_number(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    record(app, team, opened(1), bisected(), opened(2), opened(3))
    assert listed(client, limit=2) == ([1, 2], 2)
    assert listed(client, after=2, limit=2) == ([3, 4], 4)
    assert listed(client, after=4) == ([], 4)
    assert listed(client, types="bisect.finished") == ([2], 2)
    assert client.get(EVENTS, params={"after": -1}).status_code == 422
    assert client.get(EVENTS, params={"types": "no.such"}).status_code == 422


def test_another_team_has_its_own_log(
    app: AppUnderTest, team: SomeTeam, client: TestClient, people: AccountsFactory
) -> None:
    other = people.team("Others")
    record(app, other, opened())
    assert listed(client) == ([], 0)
    record(app, team, opened())
    assert listed(client) == ([1], 1)


def test_numbers_have_no_gaps_if_many_record_at_once(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    threads = [threading.Thread(target=record, args=(app, team, opened(n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert listed(client)[0] == list(range(1, 9))


def test_old_events_are_deleted_but_numbers_never_repeat(
    app: AppUnderTest, team: SomeTeam, client: TestClient, emptied: TestDatabase
) -> None:
    record(app, team, opened(1), opened(2))
    with emptied.as_admin() as admin:
        admin.execute(f"UPDATE team_event SET created_at = now() - interval '{RETENTION_DAYS + 30} days'".encode())
        admin.commit()
    with app.database.writing(TeamScope(team.id)) as session:
        assert event_log.delete_old_events(session, app.clock.now()) == 1
    record(app, team, opened(3))
    assert listed(client) == ([2, 3], 3)


def test_the_stream_sends_what_was_missed_and_what_follows(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, migrated: TestDatabase
) -> None:
    record(app, team, opened(1), opened(2))
    token = people.token(team, TokenScope.READ)
    received = asyncio.run(follow(app, team, people, migrated.app_url, token.secret))
    assert [(event["id"], event["event"]) for event in received] == [
        ("2", "regression.opened"),
        ("3", "bisect.finished"),
    ]
    assert '"sentence":"Bisect 2 of shop: Commit a is the culprit."' in received[1]["data"]


async def follow(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, url: str, secret: str
) -> Sequence[dict[str, Any]]:
    broker, stop = os.environ["BROKER_URL"], threading.Event()
    EventForwarder(url, broker).start(stop)
    listener = ValkeyEventListener(broker)
    app.app.state.events = listener
    headers = [(b"host", b"127.0.0.1:8080"), (b"authorization", f"Bearer {secret}".encode())]
    scope = {"type": "http", "method": "GET", "path": f"{EVENTS}/stream", "query_string": b"", "headers": headers}
    request = Request({**scope, "path_params": {}, "app": app.app})
    async with listener.running():
        answer = await events.stream_events(request, people.caller(team), None, "1")
        stream: Any = aiter(answer.body_iterator)
        missed = await asyncio.wait_for(anext(stream), 10)
        waiting = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.3)
        assert not waiting.done()
        await asyncio.to_thread(record, app, team, bisected())
        following = await asyncio.wait_for(waiting, 10)
        await stream.aclose()
    stop.set()
    return [missed, following]


def test_the_stream_requires_sign_in(app: AppUnderTest) -> None:
    assert app.asked().get(f"{EVENTS}/stream").status_code == 401
