"""HTTP endpoints of the log of events: pages by number, and a stream."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from sse_starlette.sse import EventSourceResponse

from slowpath.core.db_sessions import TeamScope
from slowpath.core.errors import InvalidRequest
from slowpath.platform.accounts.access import MayRead, is_still_allowed
from slowpath.platform.accounts.rules.roles import Permission
from slowpath.platform.http.pagination import MAX_LIMIT
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, database
from slowpath.platform.jobs.endpoints import PING_SECONDS, STREAM_SECONDS, TeamEventSource
from slowpath.sharing.notifications.rules import NotificationEvent
from slowpath.sharing.notifications.schemas import TeamEventOut, TeamEventsOut, make_team_event_out
from slowpath.sharing.notifications.service import event_log

router = APIRouter(tags=["events"])

LARGEST_NUMBER = (1 << 63) - 1
AWAKENING = frozenset({"event", "stale"})
"""Messages after which the log is read: a new event, or messages that may be lost."""
Types = Annotated[list[NotificationEvent] | None, Query(description="repeatable; all types if missing")]


@router.get("/events", operation_id="events:list", responses=document_problems(InvalidRequest))
def list_events(
    caller: MayRead,
    session: Reading,
    after: Annotated[
        int, Query(ge=0, le=LARGEST_NUMBER, description="`next_after` of the previous page; 0: from the oldest")
    ] = 0,
    types: Types = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 50,
) -> TeamEventsOut:
    """List events of the team after a number, oldest first. Events are stored for 90 days."""
    rows = event_log.list_events(session, after, types or (), limit)
    return TeamEventsOut(
        items=[make_team_event_out(row) for row in rows], next_after=rows[-1].number if rows else after
    )


@router.get(
    "/events/stream",
    operation_id="events:stream",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def stream_events(
    request: Request,
    caller: MayRead,
    types: Types = None,
    last_event_id: Annotated[
        str | None, Header(pattern=r"^[0-9]{1,18}$", description="the number of the last event that was received")
    ] = None,
) -> EventSourceResponse:
    """Stream events of the team as they occur (SSE): `event` is the type, `id` the number, `data` the same as in the list.

    Starts with the next event, or after `Last-Event-ID`. Ends after ten minutes; clients connect again.
    """
    source: TeamEventSource = request.app.state.events

    def read(after: int | None) -> tuple[int, Sequence[TeamEventOut]]:
        """Return the number to continue from, and the events after a number; None: none yet."""
        with database(request).reading(TeamScope(team_id=caller.team_id)) as session:
            if after is None:
                return event_log.find_last_number(session), ()
            rows = event_log.list_events(session, after, types or (), MAX_LIMIT)
            return rows[-1].number if rows else after, [make_team_event_out(row) for row in rows]

    async def news() -> AsyncIterator[dict[str, str]]:
        async with source.of_team(caller.team_id) as queue:
            loop = asyncio.get_running_loop()
            deadline = loop.time() + STREAM_SECONDS
            after, found = await run_in_threadpool(read, int(last_event_id) if last_event_id else None)
            while (left := deadline - loop.time()) > 0:
                for event in found:
                    yield {"event": event.type, "id": str(event.number), "data": event.model_dump_json()}
                if not found:
                    try:
                        received = await asyncio.wait_for(queue.get(), timeout=left)
                    except TimeoutError:
                        return
                    if received["kind"] not in AWAKENING:
                        continue
                    if not await run_in_threadpool(is_still_allowed, request, Permission.READ):
                        return
                after, found = await run_in_threadpool(read, after)

    return EventSourceResponse(news(), ping=PING_SECONDS, headers={"X-Accel-Buffering": "no"})
