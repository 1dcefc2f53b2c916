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
from tests.drivers.tls_servers import made_by_itself
from tests.support.app_under_test import settings_for
from tests.support.sentinels import WatchedValkey, watched_valkey
from tests.support.tls_front import tls_front

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
        ("sentinel://one/main?ssl_ca_certs=ca.pem", "unknown parameter ssl_ca_certs"),
        ("sentinels://one/main?ssl_cert_reqs=none", "unknown parameter ssl_cert_reqs"),
    ],
)
def test_a_wrong_address_is_rejected_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_sentinel_address(url)


def test_an_address_with_tls_verifies_certificates_with_its_files() -> None:
    plain = read_sentinel_address("sentinel://one/main")
    by_system = read_sentinel_address("sentinels://one/main")
    with_files = read_sentinel_address(
        "sentinels://one/main?ssl_ca_certs=%2Fetc%2Fca.pem&ssl_certfile=me.crt&ssl_keyfile=me.key"
    )
    assert plain is not None
    assert by_system is not None
    assert with_files is not None
    assert plain.client_tls == {}
    assert by_system.client_tls == {"ssl": True, "ssl_cert_reqs": "required", "ssl_check_hostname": True}
    assert with_files.tls == {
        "ssl_cert_reqs": "required",
        "ssl_check_hostname": True,
        "ssl_ca_certs": "/etc/ca.pem",
        "ssl_certfile": "me.crt",
        "ssl_keyfile": "me.key",
    }


@dataclass
class RunningValkey:
    """The servers and Sentinels as processes."""

    watched: WatchedValkey
    processes: dict[str, subprocess.Popen[bytes]]
    url: str
    """The address for `BROKER_URL`."""


@pytest.fixture(params=["plain", "tls"])
def servers(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningValkey]:
    certificate, key = made_by_itself(tmp_path, "valkey")
    watched = watched_valkey(tmp_path, behind_front=request.param == "tls")
    files = f"ssl_ca_certs={certificate}&ssl_certfile={certificate}&ssl_keyfile={key}"
    url = watched.url if request.param == "plain" else f"{watched.url.replace('sentinel', 'sentinels', 1)}?{files}"
    with ExitStack() as stack:
        stack.enter_context(tls_front(watched.fronts, certificate, key))
        processes = {}
        for name, command in watched.commands.items():
            log = stack.enter_context((tmp_path / f"{name}.log").open("wb"))
            processes[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            stack.callback(processes[name].wait)
            stack.callback(processes[name].kill)
        within(READY_SECONDS, watched.is_ready)
        yield RunningValkey(watched, processes, url)


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


def assert_others_are_refused(url: str, folder: Path) -> None:
    """With TLS, neither a client that trusts another authority nor one without a certificate is connected."""
    address, _, files = url.partition("?")
    if not files:
        return
    other, _ = made_by_itself(folder, "other")
    of_client = files.partition("&")[2]
    for refused in (f"{address}?ssl_ca_certs={other}&{of_client}", f"{address}?{files.partition('&')[0]}"):
        with pytest.raises(RedisError), connected(refused, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
        with pytest.raises(Unavailable):
            CeleryQueue(create_celery(refused)).check()


@pytest.mark.processes
def test_all_connections_follow_the_primary(servers: RunningValkey, tmp_path: Path) -> None:
    url, team = servers.url, uuid4()
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
    assert_others_are_refused(url, tmp_path)
    assert list(dict.fromkeys(asyncio.run(follow()))) == ["before", "stale", "after"]
    within(READY_SECONDS, limit_and_send)
