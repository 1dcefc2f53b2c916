"""Forward the events of teams to open pages.

Each web process has one connection to Valkey, subscribed to the channels of the teams whose pages are open here, and each
open page a queue. If a queue overflows, or events were missed, they are replaced by one `stale` event, after which the page
loads the whole state again.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import structlog
from redis.asyncio.client import PubSub, Redis
from redis.exceptions import RedisError

from slowpath.adapters.event_channels import EVERY_TEAM, REMEMBERED_MS, STALE, channel_of, last_event_key
from slowpath.adapters.valkey_address import connected_async

log = structlog.get_logger(__name__)

BACKLOG = 256
FIRST_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 10.0
SUBSCRIBED_SECONDS = 2.0
"""A page waits this long for the subscription of its team, so that it misses nothing after its first read."""
CONNECT_SECONDS = 5.0
PING_SECONDS = 10.0
"""A connection that is silent for this long is tested."""

Event = dict[str, Any]


class ValkeyEventListener:
    """The subscribed connection, and the queues of the open pages."""

    def __init__(self, broker_url: str) -> None:
        """Set the URL of Valkey; nothing is connected before `running`."""
        self._url = broker_url
        self._queues: dict[asyncio.Queue[Event], str] = {}
        self._teams: Counter[str] = Counter()
        """Open pages by channel."""
        self._awaited: dict[str, asyncio.Event] = {}
        """Channels whose subscription was not confirmed yet."""
        self._valkey: Redis | None = None
        self._subscriptions: PubSub | None = None
        self._task: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Listen while the context is entered."""
        self._task = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @asynccontextmanager
    async def of_team(self, team_id: UUID) -> AsyncIterator[asyncio.Queue[Event]]:
        """Provide a queue of the team's events."""
        queue: asyncio.Queue[Event] = asyncio.Queue(BACKLOG)
        channel = channel_of(team_id)
        self._queues[queue] = channel
        self._teams[channel] += 1
        try:
            await self._subscribe(channel)
            yield queue
        finally:
            del self._queues[queue]
            self._teams[channel] -= 1
            if not self._teams[channel]:
                del self._teams[channel]
                await self._unsubscribe(channel)

    async def milliseconds_since_event(self, team_id: UUID) -> int | None:
        """Return for how long the team had no event, at most `REMEMBERED_MS`; None if that is unknown.

        After the subscription of a page, this tells it whether what it read before is still valid.
        """
        if self._valkey is None:
            return None
        try:
            async with asyncio.timeout(SUBSCRIBED_SECONDS):
                keys = [last_event_key(channel) for channel in (channel_of(team_id), EVERY_TEAM)]
                left_ms = [max(await self._valkey.pttl(key), 0) for key in keys]
        except (RedisError, OSError, TimeoutError):
            return None
        return REMEMBERED_MS - max(left_ms)

    async def _subscribe(self, channel: str) -> None:
        if self._teams[channel] == 1:
            self._awaited[channel] = asyncio.Event()
            with suppress(RedisError, OSError):  # the connection is made again, with all channels
                if self._subscriptions is not None:
                    await self._subscriptions.subscribe(channel)
        if channel in self._awaited:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._awaited[channel].wait(), SUBSCRIBED_SECONDS)

    async def _unsubscribe(self, channel: str) -> None:
        self._awaited.pop(channel, None)
        with suppress(RedisError, OSError):
            if self._subscriptions is not None:
                await self._subscriptions.unsubscribe(channel)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[Redis, PubSub]]:
        times_s = {"socket_connect_timeout": CONNECT_SECONDS, "health_check_interval": PING_SECONDS}
        async with connected_async(self._url, **times_s) as valkey, valkey.pubsub() as subscriptions:
            yield valkey, subscriptions

    async def _listen(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with self._connected() as (valkey, subscriptions):
                    first = {EVERY_TEAM, *self._teams}
                    await subscriptions.subscribe(*first)
                    # Pages subscribe only from here on: two subscriptions at once would make two connections.
                    self._valkey, self._subscriptions = valkey, subscriptions
                    if opened_meanwhile := self._teams.keys() - first:
                        await subscriptions.subscribe(*opened_meanwhile)
                    pause = FIRST_PAUSE_SECONDS
                    while True:
                        message = await subscriptions.get_message(timeout=PING_SECONDS)
                        if message is not None:
                            self._receive(message)
            except (RedisError, OSError) as error:
                log.warning("event_listener.broker_unavailable", error=str(error).splitlines()[0])
            finally:
                self._valkey = self._subscriptions = None
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _receive(self, message: Event) -> None:
        channel = message["channel"].decode()
        if message["type"] == "subscribe":
            awaited = self._awaited.pop(channel, None)
            if awaited is not None:
                awaited.set()
            else:  # subscribed again, after the connection was lost
                self._put(channel, STALE)
        elif message["type"] == "message":
            self._put(channel, json.loads(message["data"]))

    def _put(self, channel: str, event: Event) -> None:
        for queue, channel_of_queue in self._queues.items():
            if channel in {channel_of_queue, EVERY_TEAM}:
                _put(queue, event)


def _put(queue: asyncio.Queue[Event], message: Event) -> None:
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(STALE)
    queue.put_nowait(message)
