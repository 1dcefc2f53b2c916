"""Start, see and steer bisects."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.accounts.access import MayRead, MayWrite
from slowpath.accounts.service import audit
from slowpath.bisects.endpoints.telling import candidates_out, offer_out, row_out, whole_out
from slowpath.bisects.rules.plans import TOP
from slowpath.bisects.rules.states import BisectStateName
from slowpath.bisects.schemas.asking import AnnulmentIn, BisectChange, BisectIn, BisectMarkIn, BisectMoveIn, RemeasureIn
from slowpath.bisects.schemas.telling import BisectFilesOut, BisectOffer, BisectOut, BisectRow, CandidatePage
from slowpath.bisects.service import files as filing
from slowpath.bisects.service import looking, offering, starting, steering
from slowpath.core.errors import Conflict, NotFound, Refused, TooMany
from slowpath.core.ids import BisectId, ComparisonId, RegressionId
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.paging import MAX_LIMIT, Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, Now, Reading, Writing

router = APIRouter(tags=["bisects"])


@router.get("/bisects", operation_id="bisects:list", openapi_extra=FREEZABLE, responses=problems(Refused))
def list_bisects(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    state: Annotated[list[BisectStateName] | None, Query()] = None,
    service_id: UUID | None = None,
    regression_id: UUID | None = None,
) -> Page[BisectRow]:
    """List bisects, newest first."""
    wanted = looking.Wanted(tuple(state or ()), service_id, regression_id)
    rows = looking.newest(session, wanted, after=paging.after, limit=paging.limit + 1)
    named = looking.names(session, rows)
    return paging.page(rows, lambda row: row_out(row, named), lambda row: (row.created_at, row.id))


@router.post(
    "/bisects",
    operation_id="bisects:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=problems(NotFound, Refused, Conflict, TooMany),
)
def create_bisect(wanted: BisectIn, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Start a search. What is not given is taken from the offer for the regression or the comparison."""
    asked = starting.Asked(
        service_id=wanted.service_id,
        regression_id=wanted.regression_id,
        comparison_id=wanted.comparison_id,
        repository_id=wanted.repository_id,
        good_sha=wanted.good_sha,
        bad_sha=wanted.bad_sha,
        signature=(wanted.signature.kind, wanted.signature.subject) if wanted.signature else None,
        settings=wanted.settings.model_dump(mode="json", by_alias=True, include=wanted.settings.model_fields_set),
    )
    row = starting.start(session, asked, by=caller.user_id, now=clock.now())
    facts = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    audit(session, caller, "bisect.started", "bisect", row.id, facts)
    return whole_out(session, row, clock.now())


@router.get("/bisect-offers", operation_id="bisects:offer", responses=problems(NotFound, Refused))
def offer(
    caller: MayRead,
    session: Reading,
    clock: Now,
    regression_id: UUID | None = None,
    comparison_id: UUID | None = None,
    service_id: UUID | None = None,
) -> BisectOffer:
    """Tell what a bisect of a regression, of a comparison or of a service would begin with, and what is missing."""
    found = offering.offer(
        session,
        regression_id=RegressionId(regression_id) if regression_id else None,
        comparison_id=ComparisonId(comparison_id) if comparison_id else None,
        service_id=service_id,
    )
    return offer_out(session, found, clock.now())


@router.get("/bisects/{bisect_id}", operation_id="bisects:get", openapi_extra=FREEZABLE, responses=problems(NotFound))
def get_bisect(bisect_id: UUID, caller: MayRead, session: Reading, clock: Now) -> BisectOut:
    """Return one bisect with all its page shows."""
    return whole_out(session, looking.find(session, BisectId(bisect_id)), clock.now())


@router.get("/bisects/{bisect_id}/candidates", operation_id="bisects:candidates", responses=problems(NotFound, Refused))
def list_candidates(
    bisect_id: UUID,
    caller: MayRead,
    session: Reading,
    level: Annotated[str, Query(max_length=1000)] = TOP,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[int | None, Query(ge=0)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 100,
) -> CandidatePage:
    """List all candidates of a level, the newest commit first; `q` begins a commit's id, or is part of its title or of why it is believed."""
    row = looking.find(session, BisectId(bisect_id))
    return candidates_out(looking.candidates(session, row, level, q, before=cursor, limit=limit))


@router.patch(
    "/bisects/{bisect_id}",
    operation_id="bisects:change",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Conflict, Refused),
)
def change_bisect(bisect_id: UUID, wanted: BisectChange, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Change settings while the search goes on."""
    said = wanted.settings.model_dump(mode="json", by_alias=True, exclude_unset=True)
    row = steering.change(session, BisectId(bisect_id), said, by=caller.user_id, now=clock.now())
    audit(session, caller, "bisect.changed", "bisect", row.id, said)
    return whole_out(session, row, clock.now())


@router.delete(
    "/bisects/{bisect_id}", operation_id="bisects:delete", status_code=204, responses=problems(NotFound, Conflict)
)
def delete_bisect(
    bisect_id: UUID, caller: MayWrite, session: Writing, files: Literal["keep", "delete"] = "keep"
) -> None:
    """Delete a bisect that has ended and of which nothing runs any more; the files of its deploys only if that is said."""
    row, forgotten = steering.delete(session, BisectId(bisect_id), with_files=files == "delete")
    facts: dict[str, Any] = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    if forgotten is not None:
        facts |= {"files": forgotten.files, "bytes": forgotten.size_bytes}
    audit(session, caller, "bisect.deleted", "bisect", bisect_id, facts)


@router.get("/bisects/{bisect_id}/files", operation_id="bisects:files", responses=problems(NotFound))
def get_files(bisect_id: UUID, caller: MayRead, session: Reading) -> BisectFilesOut:
    """Tell what files its deploys left, which may be deleted with it."""
    told = filing.left(session, BisectId(bisect_id))
    return BisectFilesOut(files=told.files, size_bytes=told.size_bytes, compared=told.compared)


@router.post(
    "/bisects/{bisect_id}/moves",
    operation_id="bisects:move",
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def move_bisect(bisect_id: UUID, wanted: BisectMoveIn, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Pause, resume or cancel the search, approve its next round, or retry a start that failed."""
    row = steering.move(session, BisectId(bisect_id), wanted.move, wanted.reason, by=caller.user_id, now=clock.now())
    audit(session, caller, "bisect.moved", "bisect", row.id, {"move": wanted.move, "reason": wanted.reason})
    return whole_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/marks",
    operation_id="bisects:mark",
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def mark(
    bisect_id: UUID,
    wanted: BisectMarkIn,
    caller: MayWrite,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> BisectOut:
    """Say of a candidate what is known of it without a deploy."""
    row = steering.mark(
        session,
        BisectId(bisect_id),
        steering.Mark(wanted.candidate, wanted.verdict, wanted.reason),
        secret=settings.secret_key.get_secret_value(),
        by=caller.user_id,
        now=clock.now(),
    )
    audit(session, caller, "bisect.marked", "bisect", row.id, wanted.model_dump())
    return whole_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/probes",
    operation_id="bisects:remeasure",
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def remeasure(
    bisect_id: UUID,
    wanted: RemeasureIn,
    caller: MayWrite,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> BisectOut:
    """Ask for one more deploy of a candidate."""
    row = steering.remeasure(
        session,
        BisectId(bisect_id),
        wanted.candidate,
        secret=settings.secret_key.get_secret_value(),
        by=caller.user_id,
        now=clock.now(),
    )
    audit(session, caller, "bisect.remeasured", "bisect", row.id, {"candidate": wanted.candidate})
    return whole_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/annulments", operation_id="bisects:annul", responses=problems(NotFound, Conflict, Refused)
)
def annul(bisect_id: UUID, wanted: AnnulmentIn, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Say that a probe does not count. What it gave stays to be seen."""
    row = steering.annul(session, BisectId(bisect_id), wanted.number, wanted.reason, by=caller.user_id, now=clock.now())
    audit(session, caller, "bisect.annulled", "bisect", row.id, wanted.model_dump())
    return whole_out(session, row, clock.now())
