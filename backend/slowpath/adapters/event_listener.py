"""What PostgreSQL tells of jobs and their subjects, passed on to the pages that are open.

One connection per web process listens; each open page has a queue of its own. A page that does not
keep up loses its oldest news and is told so; it then asks for the whole state again.
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
LONGEST_PAUSE_SECONDS = 10.0
STALE = {"kind": "stale"}
"""Told when something was missed: ask for the state again."""


class PostgresEventListener:
    """Who is listening, and the one connection that hears."""

    def __init__(self, url: str) -> None:
        """`url` is the database's address, with or without the driver named."""
        self._url = url.replace("postgresql+psycopg://", "postgresql://", 1)
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
        """Give a queue in which the team's news arrive."""
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
                    self._tell_all(STALE)
                    pause = FIRST_PAUSE_SECONDS
                    async for notice in connection.notifies():
                        self._pass_on(notice.payload)
            except psycopg.Error as error:
                log.warning("events: database away", error=str(error).splitlines()[0])
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _pass_on(self, payload: str) -> None:
        news = json.loads(payload)
        if news.get("subject", {}).get("kind") == HOUSEKEEPING:
            return
        team_id = UUID(news.pop("team"))
        for queue, wanted in self._queues.items():
            if wanted == team_id:
                _put(queue, news)

    def _tell_all(self, news: dict[str, Any]) -> None:
        for queue in self._queues:
            _put(queue, news)


def _put(queue: asyncio.Queue[dict[str, Any]], news: dict[str, Any]) -> None:
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        queue.put_nowait(STALE)
    queue.put_nowait(news)
