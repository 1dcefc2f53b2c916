"""Forward PostgreSQL notifications about jobs and their subjects to open pages.

Each web process has one listening connection, and each open page a queue. If a queue overflows, its events are replaced by
one `stale` event, after which the page loads the whole state again.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import psycopg
import structlog

from slowpath.core.jobs import HOUSEKEEPING

log = structlog.get_logger(__name__)

CHANNEL = "slowpath_events"
BACKLOG = 256
FIRST_PAUSE_SECONDS = 0.5
MAX_PAUSE_SECONDS = 10.0
STALE = {"kind": "stale"}
"""Sent after missed events: the page must load the state again."""


class PostgresEventListener:
    """The listening connection, and the queues of the open pages."""

    def __init__(self, url: str) -> None:
        """Set the database's URL, past any pooler in transaction mode."""
        self._url = url
        self._queues: dict[asyncio.Queue[dict[str, Any]], UUID] = {}
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
    async def of_team(self, team_id: UUID) -> AsyncIterator[asyncio.Queue[dict[str, Any]]]:
        """Provide a queue of the team's events."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(BACKLOG)
        self._queues[queue] = team_id
        try:
            yield queue
        finally:
            del self._queues[queue]

    async def _listen(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True, connect_timeout=5)
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._broadcast(STALE)
                    pause = FIRST_PAUSE_SECONDS
                    async for notice in connection.notifies():
                        self._forward(notice.payload)
            except psycopg.Error as error:
                log.warning("event_listener.database_unavailable", error=str(error).splitlines()[0])
            await asyncio.sleep(pause)
            pause = min(pause * 2, MAX_PAUSE_SECONDS)

    def _forward(self, payload: str) -> None:
        message = json.loads(payload)
        if message.get("subject", {}).get("kind") == HOUSEKEEPING:
            return
        team_id = UUID(message.pop("team"))
        for queue, team_of_queue in self._queues.items():
            if team_of_queue == team_id:
                _put(queue, message)

    def _broadcast(self, message: dict[str, Any]) -> None:
        for queue in self._queues:
            _put(queue, message)


def _put(queue: asyncio.Queue[dict[str, Any]], message: dict[str, Any]) -> None:
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(STALE)
    queue.put_nowait(message)
