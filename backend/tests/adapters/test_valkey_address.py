"""One server, or Sentinels: broker, rate limits and events use the present primary, also after a fail-over."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr
from redis.exceptions import RedisError

from slowpath.adapters.celery_queue import CeleryQueue, create_celery
from slowpath.adapters.event_channels import channel_of
from slowpath.adapters.event_listener import ValkeyEventListener
from slowpath.adapters.limits_throttle import create_throttle
from slowpath.adapters.valkey_address import SentinelAddress, connected, read_sentinel_address
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue
from tests.support.app_under_test import settings_for
from tests.support.sentinels import WatchedValkey, watched_valkey

READY_SECONDS = 60.0


def test_an_address_of_one_server_has_no_sentinels() -> None:
    assert read_sentinel_address("redis://:secret@127.0.0.1:6379/0") is None


def test_an_address_names_sentinels_primary_and_passwords() -> None:
    address = read_sentinel_address("sentinel://me:p%40ss@one:1,[::1],three/main?db=3&sentinel_password=other")
    assert address == SentinelAddress(
        (("one", 1), ("::1", 26379), ("three", 26379)), "main", "me", "p@ss", 3, None, "other"
    )
    assert address.celery_url == "sentinel://me:p%40ss@one:1/3;sentinel://[::1]:26379;sentinel://three:26379"
    assert address.limits_url == "redis+sentinel://one:1,[::1]:26379,three:26379/main"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sentinel://one:26379", "name of the primary"),
        ("sentinel:///main", "name of the primary"),
        ("sentinel://one/main/0", "name of the primary"),
        ("sentinel://:1/main", "without a host"),
        ("sentinel://one/main?database=1", "unknown parameter database"),
    ],
)
def test_a_wrong_address_is_rejected_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_sentinel_address(url)


@dataclass
class RunningValkey:
    """The servers and Sentinels as processes."""

    watched: WatchedValkey
    processes: dict[str, subprocess.Popen[bytes]]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[RunningValkey]:
    watched = watched_valkey(tmp_path)
    with ExitStack() as stack:
        processes = {}
        for name, command in watched.commands.items():
            log = stack.enter_context((tmp_path / f"{name}.log").open("wb"))
            processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            stack.callback(processes[name].wait)
            stack.callback(processes[name].kill)
        within(READY_SECONDS, watched.is_ready)
        yield RunningValkey(watched, processes)


def within(seconds: float, is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if is_so():
                return
        except (RedisError, Unavailable, KeyError):
            pass
        time.sleep(0.1)
    pytest.fail(f"not within {seconds:.0f} s")


@pytest.mark.processes
def test_all_connections_follow_the_primary(servers: RunningValkey) -> None:
    url, team = servers.watched.url, uuid4()
    throttle = create_throttle(settings_for("postgresql://unused", broker_url=SecretStr(url)))
    queue = CeleryQueue(create_celery(url))

    def limit_and_send() -> bool:
        taken = throttle.take(uuid4().hex, times=2, seconds=60)
        queue.send(JobId(uuid4()), Queue.DECODE)
        return taken is not None and taken.left == 1 and queue.count_messages()[Queue.DECODE] > 0

    def publish(message: str) -> int:
        with connected(url, socket_timeout=2, socket_connect_timeout=2) as client:
            return int(client.publish(channel_of(team), f'{{"kind": "{message}"}}'))

    async def follow() -> list[str]:
        listener = ValkeyEventListener(url)
        async with listener.running(), listener.of_team(team) as events:
            kinds: list[str] = []
            for message in ("before", "after"):
                await asyncio.to_thread(within, READY_SECONDS, partial(publish, message))
                while not kinds or kinds[-1] != message:
                    kinds.append((await asyncio.wait_for(events.get(), READY_SECONDS))["kind"])
                if message == "before":
                    await asyncio.to_thread(fail_over)
            return kinds[kinds.index("before") :]

    def fail_over() -> None:
        former = servers.watched.primary()
        assert former is not None
        servers.processes[former].kill()
        within(READY_SECONDS, lambda: servers.watched.primary() not in {former, None})

    assert limit_and_send()
    assert list(dict.fromkeys(asyncio.run(follow()))) == ["before", "stale", "after"]
    within(READY_SECONDS, limit_and_send)
