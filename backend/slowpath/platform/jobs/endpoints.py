"""HTTP endpoints of jobs, and the event stream of a team."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Annotated, Any, Protocol
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from sse_starlette.sse import EventSourceResponse

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound
from slowpath.core.ids import JobId
from slowpath.core.jobs import JobRow
from slowpath.platform.accounts.access import MayRead, MayWrite, is_still_allowed
from slowpath.platform.accounts.rules.roles import Permission
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Reading, Writing
from slowpath.platform.jobs import service
from slowpath.platform.jobs.schemas import JobOut, JobStateName, make_job_out

router = APIRouter(prefix="/api/v1", tags=["jobs"])

PING_SECONDS = 15
STREAM_SECONDS = 600
"""A stream ends after ten minutes and the page opens a new one, so that an ended session stops receiving events."""
RECHECK_SECONDS = 1.0
"""After this many seconds, the stream authenticates the session again before it sends an event."""


class TeamEventSource(Protocol):
    """The source of a team's events; `adapters.events` in the app."""

    def of_team(self, team_id: UUID) -> Any:  # noqa: ANN401 - an async context manager of a queue
        """Return a queue of events."""

    async def milliseconds_since_event(self, team_id: UUID) -> int | None:
        """Return for how long the team had no event; None if that is unknown."""


WaitAgain = Callable[[WriteSession, JobRow], None]
"""Functions that mark the subject of a job as waiting, by job name; the app sets them, as features depend on jobs."""


@router.get("/jobs", operation_id="jobs:list", responses=document_problems(InvalidRequest))
def list_jobs(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    request: Request,
    state: Annotated[list[JobStateName] | None, Query()] = None,
) -> Page[JobOut]:
    """List jobs, newest first, with the names of their subjects."""
    rows = service.list_jobs(session, after=paging.after, limit=paging.limit + 1, states=state or ())
    names = service.get_subject_names(session, request.app.state.named_subjects, rows)
    return paging.page(
        rows,
        lambda row: make_job_out(row, names.get((row.subject_kind, row.subject_id))),
        lambda row: (row.created_at, row.id),
    )


@router.get("/jobs/{job_id}", operation_id="jobs:get", responses=document_problems(NotFound))
def get_job(job_id: UUID, caller: MayRead, session: Reading) -> JobOut:
    """Return one job."""
    return make_job_out(service.get_job(session, JobId(job_id)))


@router.post("/jobs/{job_id}/retry", operation_id="jobs:retry", responses=document_problems(NotFound, Conflict))
def retry_job(job_id: UUID, caller: MayWrite, session: Writing, request: Request) -> JobOut:
    """Retry a failed or cancelled job."""
    row = service.retry_job(session, JobId(job_id))
    waits: Mapping[str, WaitAgain] = request.app.state.wait_again
    if (wait := waits.get(row.name)) is not None:
        wait(session, row)
    record_audit_event(session, caller, "job.retried", "job", row.id, {"name": row.name})
    return make_job_out(row)


@router.post("/jobs/{job_id}/cancel", operation_id="jobs:cancel", responses=document_problems(NotFound, Conflict))
def cancel_job(job_id: UUID, caller: MayWrite, session: Writing) -> JobOut:
    """Cancel a job. It ends within seconds, and its subject shows that."""
    row = service.cancel_job(session, JobId(job_id))
    record_audit_event(session, caller, "job.cancelled", "job", row.id, {"name": row.name})
    return make_job_out(row)


@router.get(
    "/updates",
    operation_id="updates:stream",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def stream_updates(request: Request, caller: MayRead) -> EventSourceResponse:
    """Stream what pages have to read again (SSE): each names its subject (job, artifact, regression, ...), or is stale.

    The first event is `stale` with the milliseconds since the team's last event: a page that read everything later than that
    has missed nothing.
    """
    source: TeamEventSource = request.app.state.events

    async def news() -> AsyncIterator[dict[str, str]]:
        async with source.of_team(caller.team_id) as queue:
            quiet_ms = await source.milliseconds_since_event(caller.team_id)
            yield {"event": "stale", "data": json.dumps({} if quiet_ms is None else {"quiet_ms": quiet_ms})}
            loop = asyncio.get_running_loop()
            asked, deadline = loop.time(), loop.time() + STREAM_SECONDS
            while (left := deadline - loop.time()) > 0:
                try:
                    received = await asyncio.wait_for(queue.get(), timeout=left)
                except TimeoutError:
                    return
                if loop.time() - asked >= RECHECK_SECONDS:
                    if not await run_in_threadpool(is_still_allowed, request, Permission.READ):
                        return
                    asked = loop.time()
                yield {"event": received["kind"], "data": json.dumps(received)}

    return EventSourceResponse(news(), ping=PING_SECONDS, headers={"X-Accel-Buffering": "no"})
