"""Events go from PostgreSQL over Valkey to the pages of their team only; what is missed makes pages load again."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from redis import Redis

from slowpath.adapters.event_channels import (
    EVERY_TEAM,
    REMEMBERED_MS,
    STALE,
    EventForwarder,
    ProgressLimiter,
    channel_of,
    last_event_key,
)
from slowpath.adapters.event_listener import ValkeyEventListener
from tests.support.databases import TestDatabase

TEAM, JOB = UUID(int=1), UUID(int=2)


def progress(reached: float, *, state: str = "running", job: UUID = JOB, kind: str = "artifact") -> str:
    subject = {"kind": kind, "id": str(job)}
    return json.dumps(
        {"team": str(TEAM), "kind": "job", "id": str(job), "state": state, "progress": reached, "subject": subject}
    )


def reached(messages: list[tuple[str, str]]) -> list[float]:
    assert all(channel == channel_of(TEAM) for channel, _ in messages)
    return [json.loads(message)["progress"] for _, message in messages]


def test_progress_is_passed_on_once_a_second_and_the_last_one_too() -> None:
    limiter = ProgressLimiter()
    assert reached(limiter.pass_on([progress(0.1), progress(0.2)], 10.0)) == [0.1]
    assert reached(limiter.pass_on([progress(0.3)], 10.5)) == []
    assert reached(limiter.pass_on([progress(0.9, job=UUID(int=3))], 10.6)) == [0.9]
    assert reached(limiter.pass_on([], 11.0)) == [0.3]
    assert reached(limiter.pass_on([progress(0.4)], 11.5)) == []
    assert reached(limiter.pass_on([progress(1.0, state="done")], 11.6)) == [1.0]
    assert reached(limiter.pass_on([], 20.0)) == []


def test_housekeeping_is_not_passed_on() -> None:
    assert ProgressLimiter().pass_on([progress(0.5, kind="team")], 1.0) == []


@pytest.fixture
def forwarders(migrated: TestDatabase) -> Iterator[None]:
    """Two relays forward; one of them waits."""
    stop = threading.Event()
    threads = [
        threading.Thread(target=EventForwarder(migrated.app_url, os.environ["BROKER_URL"]).run, args=(stop,))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    yield
    stop.set()
    for thread in threads:
        thread.join(5)


async def next_of_kind(queue: asyncio.Queue[dict[str, Any]], kind: str) -> dict[str, Any]:
    async with asyncio.timeout(10):
        while (event := await queue.get())["kind"] != kind:
            pass
        return event


@pytest.mark.database
@pytest.mark.usefixtures("forwarders")
def test_a_page_receives_the_events_of_its_team_once(migrated: TestDatabase) -> None:
    async def follow() -> list[dict[str, Any]]:
        listener, team, other = ValkeyEventListener(os.environ["BROKER_URL"]), uuid4(), uuid4()
        async with listener.running(), listener.of_team(team) as queue, listener.of_team(team):
            await asyncio.sleep(1.5)  # the other forwarder would have begun too
            with migrated.as_admin() as admin:
                for whose, kind in ((other, "build"), (team, "comment"), (team, "mention")):
                    admin.execute(
                        "SELECT pg_notify('slowpath_events', %s)", (json.dumps({"team": str(whose), "kind": kind}),)
                    )
            await next_of_kind(queue, "comment")
            return [await asyncio.wait_for(queue.get(), 10), *([queue.get_nowait()] if queue.qsize() else [])]

    assert asyncio.run(follow()) == [{"kind": "mention"}]


@pytest.mark.database
def test_a_lost_connection_makes_pages_load_again() -> None:
    async def follow() -> dict[str, Any]:
        listener = ValkeyEventListener(os.environ["BROKER_URL"])
        async with listener.running(), listener.of_team(uuid4()) as queue:
            with Redis.from_url(os.environ["BROKER_URL"]) as valkey:
                valkey.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            return await next_of_kind(queue, "stale")

    assert asyncio.run(follow()) == STALE


@pytest.mark.database
@pytest.mark.usefixtures("forwarders")
def test_a_page_knows_how_long_its_team_had_no_event(migrated: TestDatabase) -> None:
    async def follow() -> tuple[int | None, ...]:
        listener, team, other = ValkeyEventListener(os.environ["BROKER_URL"]), uuid4(), uuid4()
        before = await listener.milliseconds_since_event(team)
        async with listener.running(), listener.of_team(team) as queue:
            await asyncio.sleep(1.5)  # both forwarders have begun, which is an event of every team
            started = await listener.milliseconds_since_event(team)
            with migrated.as_admin() as admin:
                admin.execute(
                    "SELECT pg_notify('slowpath_events', %s)", (json.dumps({"team": str(team), "kind": "comment"}),)
                )
            await next_of_kind(queue, "comment")
            same = await listener.milliseconds_since_event(team)
            with Redis.from_url(os.environ["BROKER_URL"]) as valkey:
                valkey.delete(last_event_key(EVERY_TEAM))
            return before, started, same, await listener.milliseconds_since_event(other)

    unknown, started, same, other = asyncio.run(follow())
    assert unknown is None
    assert started is not None
    assert same is not None
    assert 0 <= same < started <= REMEMBERED_MS
    assert other == REMEMBERED_MS
