"""Jobs over HTTP, and the stream of what happens."""

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
"""A stream ends after ten minutes and the page opens another: a session that was ended meanwhile stays ended."""
RECHECK_SECONDS = 1.0
"""What is told this long after it was last asked who listens is told only after asking again."""


class TeamEventSource(Protocol):
    """Where news of a team come from; `adapters.events` in the app."""

    def of_team(self, team_id: UUID) -> Any:  # noqa: ANN401 - an async context manager of a queue
        """Give a queue of news."""


WaitAgain = Callable[[WriteSession, JobRow], None]
"""Shows what a job is about as waiting; by the job's name in the app, since features stand above jobs."""


@router.get("/jobs", operation_id="jobs:list", responses=document_problems(InvalidRequest))
def list_jobs(
    caller: MayRead, session: Reading, paging: Paging, state: Annotated[list[JobStateName] | None, Query()] = None
) -> Page[JobOut]:
    """List jobs, newest first."""
    rows = service.list_jobs(session, after=paging.after, limit=paging.limit + 1, states=state or ())
    return paging.page(rows, make_job_out, lambda row: (row.created_at, row.id))


@router.get("/jobs/{job_id}", operation_id="jobs:get", responses=document_problems(NotFound))
def get_job(job_id: UUID, caller: MayRead, session: Reading) -> JobOut:
    """Return one job."""
    return make_job_out(service.get_job(session, JobId(job_id)))


@router.post("/jobs/{job_id}/retry", operation_id="jobs:retry", responses=document_problems(NotFound, Conflict))
def retry_job(job_id: UUID, caller: MayWrite, session: Writing, request: Request) -> JobOut:
    """Try a job again that failed or was cancelled."""
    row = service.retry_job(session, JobId(job_id))
    waits: Mapping[str, WaitAgain] = request.app.state.wait_again
    if (wait := waits.get(row.name)) is not None:
        wait(session, row)
    record_audit_event(session, caller, "job.retried", "job", row.id, {"name": row.name})
    return make_job_out(row)


@router.post("/jobs/{job_id}/cancel", operation_id="jobs:cancel", responses=document_problems(NotFound, Conflict))
def cancel_job(job_id: UUID, caller: MayWrite, session: Writing) -> JobOut:
    """Ask a job to end. It ends within seconds, and what it is about says so."""
    row = service.cancel_job(session, JobId(job_id))
    record_audit_event(session, caller, "job.cancelled", "job", row.id, {"name": row.name})
    return make_job_out(row)


@router.get(
    "/events",
    operation_id="events:stream",
    response_class=EventSourceResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def stream_events(request: Request, caller: MayRead) -> EventSourceResponse:
    """Stream what happens in the team as server-sent events, each by what it is about (job, artifact, regression, ...), or stale."""
    source: TeamEventSource = request.app.state.events

    async def news() -> AsyncIterator[dict[str, str]]:
        async with source.of_team(caller.team_id) as queue:
            yield {"event": "stale", "data": "{}"}
            loop = asyncio.get_running_loop()
            asked, deadline = loop.time(), loop.time() + STREAM_SECONDS
            while (left := deadline - loop.time()) > 0:
                try:
                    told = await asyncio.wait_for(queue.get(), timeout=left)
                except TimeoutError:
                    return
                if loop.time() - asked >= RECHECK_SECONDS:
                    if not await run_in_threadpool(is_still_allowed, request, Permission.READ):
                        return
                    asked = loop.time()
                yield {"event": told["kind"], "data": json.dumps(told)}

    return EventSourceResponse(news(), ping=PING_SECONDS, headers={"X-Accel-Buffering": "no"})
