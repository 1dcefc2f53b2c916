"""Events of teams on their way from PostgreSQL to open pages: one channel of Valkey per team.

The triggers notify one channel of PostgreSQL. One relay forwards it, so that a web process receives the events of the teams
only whose pages are open there, and no web process needs a connection to PostgreSQL for them.
"""

import json
import threading
import time
from collections.abc import Iterable
from typing import Any, Final, Self

import psycopg
import structlog
from redis import Redis
from redis.exceptions import RedisError

from slowpath.adapters.valkey_address import connected
from slowpath.core.jobs import HOUSEKEEPING, JobState

log = structlog.get_logger(__name__)

NOTIFIED: Final = "slowpath_events"
EVERY_TEAM: Final = "slowpath.events"
STALE: Final = {"kind": "stale"}
"""Sent after missed events: the page must load the state again."""
FORWARDER_LOCK: Final = 7_310_113
"""An advisory lock: of several relays, one forwards."""
PROGRESS_SECONDS: Final = 1.0
"""The progress of a job is sent once in this time; the last one is never dropped."""
POLL_SECONDS: Final = 0.25
RETRY_SECONDS: Final = 1.0
TIMEOUT_SECONDS: Final = 5.0
REMEMBERED_MS: Final = 120_000
"""How long a channel states when its last event was."""


def channel_of(team_id: object) -> str:
    """Return the channel of a team."""
    return f"{EVERY_TEAM}.{team_id}"


def last_event_key(channel: str) -> str:
    """Return the key that expires `REMEMBERED_MS` after the last event of a channel."""
    return f"{channel}.last"


class ProgressLimiter:
    """A rate limit for the progress of running jobs: one event per job and `PROGRESS_SECONDS`."""

    def __init__(self) -> None:
        """Begin without jobs."""
        self._next_s: dict[str, float] = {}
        self._pending: dict[str, tuple[str, str]] = {}

    def pass_on(self, payloads: Iterable[str], now_s: float) -> list[tuple[str, str]]:
        """Return what to publish now, as channel and message: other events, and progress that is due."""
        passed: list[tuple[str, str]] = []
        for payload in payloads:
            event: dict[str, Any] = json.loads(payload)
            if event.get("subject", {}).get("kind") == HOUSEKEEPING:
                continue
            message = (channel_of(event.pop("team")), json.dumps(event))
            job = str(event["id"]) if event["kind"] == "job" else ""
            self._pending.pop(job, None)
            if job and event["state"] == JobState.RUNNING and self._next_s.get(job, 0.0) > now_s:
                self._pending[job] = message
                continue
            if job:
                self._next_s[job] = now_s + PROGRESS_SECONDS
            passed.append(message)
        for job in [job for job, next_s in self._next_s.items() if next_s <= now_s]:
            del self._next_s[job]
            if job in self._pending:
                self._next_s[job] = now_s + PROGRESS_SECONDS
                passed.append(self._pending.pop(job))
        return passed


class EventForwarder:
    """Forwards notifications of PostgreSQL to the channels of Valkey, in a thread of the relay."""

    def __init__(self, database_url: str, broker_url: str) -> None:
        """Set the database's URL, past any pooler, and that of Valkey."""
        self._database_url = database_url
        self._broker_url = broker_url

    def start(self, stop: threading.Event) -> Self:
        """Forward until `stop` is set."""
        threading.Thread(target=self.run, args=(stop,), name="event forwarder", daemon=True).start()
        return self

    def run(self, stop: threading.Event) -> None:
        """Forward until `stop` is set; connect again after a failure."""
        while not stop.is_set():
            try:
                self._forward(stop)
            except (psycopg.Error, RedisError, OSError) as error:
                log.warning("event_forwarder.interrupted", error=str(error).splitlines()[0])
                stop.wait(RETRY_SECONDS)

    def _forward(self, stop: threading.Event) -> None:
        timeouts = {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS}
        with (
            psycopg.connect(self._database_url, autocommit=True, connect_timeout=5) as connection,
            connected(self._broker_url, **timeouts) as broker,
        ):
            while not _may_forward(connection):
                if stop.wait(RETRY_SECONDS):
                    return
            connection.execute(f"LISTEN {NOTIFIED}")
            _publish(broker, [(EVERY_TEAM, json.dumps(STALE))])
            limiter = ProgressLimiter()
            while not stop.is_set():
                notices = [notice.payload for notice in connection.notifies(timeout=POLL_SECONDS, stop_after=1)]
                messages = limiter.pass_on(notices, time.monotonic())
                if messages:
                    _publish(broker, messages)


def _publish(broker: Redis, messages: Iterable[tuple[str, str]]) -> None:
    """Publish messages. The time of each is set first, so a page that subscribes in between knows of it."""
    with broker.pipeline(transaction=False) as pipeline:
        for channel, message in messages:
            pipeline.set(last_event_key(channel), 1, px=REMEMBERED_MS)
            pipeline.publish(channel, message)
        pipeline.execute()


def _may_forward(connection: psycopg.Connection) -> bool:
    found = connection.execute("SELECT pg_try_advisory_lock(%s)", (FORWARDER_LOCK,)).fetchone()
    return found == (True,)
