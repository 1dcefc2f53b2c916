"""HTTP endpoints of bisects for users."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BisectId, ComparisonId, ProductionEventId, RegressionId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import MAX_LIMIT, Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Now, Reading, Writing
from slowpath.verdicts.bisects.endpoints.bisect_responses import (
    make_bisect_list_item_out,
    make_bisect_out,
    make_bisect_proposal_out,
    make_candidate_page_out,
)
from slowpath.verdicts.bisects.rules.bisect_states import BisectStateName
from slowpath.verdicts.bisects.rules.search_plan import TOP
from slowpath.verdicts.bisects.schemas.bisect_proposals import BisectProposalOut
from slowpath.verdicts.bisects.schemas.bisect_requests import (
    BisectActionIn,
    BisectIn,
    BisectUpdate,
    CandidateOverrideIn,
    ProbeInvalidationIn,
    ReprobeIn,
)
from slowpath.verdicts.bisects.schemas.bisect_responses import (
    BisectFilesOut,
    BisectListItemOut,
    BisectOut,
    CandidatePage,
)
from slowpath.verdicts.bisects.service import (
    bisect_actions,
    bisect_creation,
    bisect_proposals,
    bisect_views,
    rest_searches,
)
from slowpath.verdicts.bisects.service import probe_artifacts as filing

router = APIRouter(tags=["bisects"])


@router.get(
    "/bisects", operation_id="bisects:list", openapi_extra=FREEZABLE, responses=document_problems(InvalidRequest)
)
def list_bisects(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    state: Annotated[list[BisectStateName] | None, Query()] = None,
    service_id: UUID | None = None,
    regression_id: UUID | None = None,
    search: Annotated[
        str | None, Query(max_length=200, pattern=r"^[^\x00]*$", description="part of a title, or #number")
    ] = None,
) -> Page[BisectListItemOut]:
    """List bisects, newest first."""
    filters = bisect_views.BisectFilter(tuple(state or ()), service_id, regression_id, (search or "").strip() or None)
    rows = bisect_views.list_bisects(session, filters, after=paging.after, limit=paging.limit + 1)
    named = bisect_views.load_referenced_names(session, rows)
    return paging.page(rows, lambda row: make_bisect_list_item_out(row, named), lambda row: (row.created_at, row.id))


@router.post(
    "/bisects",
    operation_id="bisects:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, Conflict, LimitExceeded),
)
def create_bisect(body: BisectIn, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Create a bisect. Omitted fields come from the proposal for the regression, event or comparison."""
    row = bisect_creation.create_bisect(session, options_of_body(body), by=caller.user_id, now=clock.now())
    facts = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    record_audit_event(session, caller, "bisect.created", "bisect", row.id, facts)
    return make_bisect_out(session, row, clock.now())


def options_of_body(body: BisectIn) -> bisect_creation.BisectOptions:
    """Return the options of a request body."""
    return bisect_creation.BisectOptions(
        service_id=body.service_id,
        regression_id=body.regression_id,
        event_id=body.event_id,
        comparison_id=body.comparison_id,
        repository_id=body.repository_id,
        good_sha=body.good_sha,
        bad_sha=body.bad_sha,
        signature=(body.signature.kind, body.signature.subject) if body.signature else None,
        settings=body.settings.model_dump(mode="json", by_alias=True, include=body.settings.model_fields_set),
    )


@router.get("/bisect-proposals", operation_id="bisects:proposal", responses=document_problems(NotFound, InvalidRequest))
def get_bisect_proposal(
    caller: MayRead,
    session: Reading,
    clock: Now,
    regression_id: UUID | None = None,
    event_id: UUID | None = None,
    comparison_id: UUID | None = None,
    service_id: UUID | None = None,
) -> BisectProposalOut:
    """Return prefilled settings for a bisect of a regression, event, comparison or service, and what is missing."""
    found = bisect_proposals.propose_bisect(
        session,
        regression_id=RegressionId(regression_id) if regression_id else None,
        event_id=ProductionEventId(event_id) if event_id else None,
        comparison_id=ComparisonId(comparison_id) if comparison_id else None,
        service_id=service_id,
    )
    return make_bisect_proposal_out(session, found, clock.now())


@router.get(
    "/bisects/{bisect_id}", operation_id="bisects:get", openapi_extra=FREEZABLE, responses=document_problems(NotFound)
)
def get_bisect(bisect_id: UUID, caller: MayRead, session: Reading, clock: Now) -> BisectOut:
    """Return one bisect with all data of its page."""
    return make_bisect_out(session, bisect_views.get_bisect(session, BisectId(bisect_id)), clock.now())


@router.get(
    "/bisects/{bisect_id}/candidates",
    operation_id="bisects:candidates",
    responses=document_problems(NotFound, InvalidRequest),
)
def list_candidates(
    bisect_id: UUID,
    caller: MayRead,
    session: Reading,
    level: Annotated[str, Query(max_length=1000)] = TOP,
    search: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[int | None, Query(ge=0)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT)] = 100,
) -> CandidatePage:
    """List the candidates of a level, the newest commit first.

    `search` matches a SHA prefix, or part of title or reason.
    """
    row = bisect_views.get_bisect(session, BisectId(bisect_id))
    return make_candidate_page_out(
        bisect_views.list_candidates(session, row, level, search, before=cursor, limit=limit)
    )


@router.patch(
    "/bisects/{bisect_id}",
    operation_id="bisects:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def update_bisect(bisect_id: UUID, body: BisectUpdate, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Update settings during the search."""
    update = body.settings.model_dump(mode="json", by_alias=True, exclude_unset=True)
    row = bisect_actions.update_settings(session, BisectId(bisect_id), update, by=caller.user_id, now=clock.now())
    record_audit_event(session, caller, "bisect.updated", "bisect", row.id, update)
    return make_bisect_out(session, row, clock.now())


@router.delete(
    "/bisects/{bisect_id}",
    operation_id="bisects:delete",
    status_code=204,
    responses=document_problems(NotFound, Conflict),
)
def delete_bisect(bisect_id: UUID, caller: MayWrite, session: Writing, delete_artifacts: bool = False) -> None:
    """Delete a bisect that has ended and has nothing deployed.

    `delete_artifacts` includes the artifacts of its probes.
    """
    row, forgotten = bisect_actions.delete_bisect(session, BisectId(bisect_id), with_artifacts=delete_artifacts)
    facts: dict[str, Any] = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    if forgotten is not None:
        facts |= {"files": forgotten.files, "bytes": forgotten.size_bytes}
    record_audit_event(session, caller, "bisect.deleted", "bisect", bisect_id, facts)


@router.get("/bisects/{bisect_id}/artifacts", operation_id="bisects:artifacts", responses=document_problems(NotFound))
def get_probe_artifacts(bisect_id: UUID, caller: MayRead, session: Reading) -> BisectFilesOut:
    """Return number and size of the artifacts of its probes, which can be deleted with it."""
    totals = filing.count_probe_artifacts(session, BisectId(bisect_id))
    return BisectFilesOut(files=totals.files, size_bytes=totals.size_bytes, compared_artifacts=totals.compared)


@router.post(
    "/bisects/{bisect_id}/actions",
    operation_id="bisects:apply-action",
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def apply_bisect_action(
    bisect_id: UUID, body: BisectActionIn, caller: MayWrite, session: Writing, clock: Now
) -> BisectOut:
    """Pause, resume or cancel a bisect, approve its next round, or retry a failed start."""
    row = bisect_actions.apply_action(
        session, BisectId(bisect_id), body.action, body.reason, by=caller.user_id, now=clock.now()
    )
    record_audit_event(
        session, caller, "bisect.action-applied", "bisect", row.id, {"move": body.action, "reason": body.reason}
    )
    return make_bisect_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/rest",
    operation_id="bisects:search-rest",
    status_code=201,
    responses=document_problems(NotFound, Conflict, LimitExceeded),
)
def search_rest(bisect_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> BisectOut:
    """Search after the culprit for what explains the rest of the increase, with the measurements of this bisect.

    The response is the bisect that does so already if there is one.
    """
    row = rest_searches.search_rest(session, BisectId(bisect_id), by=caller.user_id, now=clock.now())
    facts = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    record_audit_event(session, caller, "bisect.created", "bisect", row.id, facts)
    return make_bisect_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/overrides",
    operation_id="bisects:override",
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def override_candidate(
    bisect_id: UUID,
    body: CandidateOverrideIn,
    caller: MayWrite,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> BisectOut:
    """Override the verdict on a candidate without a deployment."""
    row = bisect_actions.override_candidate(
        session,
        BisectId(bisect_id),
        bisect_actions.CandidateOverride(body.candidate, body.verdict, body.reason),
        secret=settings.secret_key.get_secret_value(),
        by=caller.user_id,
        now=clock.now(),
    )
    record_audit_event(session, caller, "bisect.candidate-overridden", "bisect", row.id, body.model_dump())
    return make_bisect_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/probes",
    operation_id="bisects:request-probe",
    responses=document_problems(NotFound, Conflict, InvalidRequest, LimitExceeded),
)
def request_probe(
    bisect_id: UUID,
    body: ReprobeIn,
    caller: MayWrite,
    session: Writing,
    clock: Now,
    settings: Configured,
) -> BisectOut:
    """Queue one more probe of a candidate."""
    row = bisect_actions.request_probe(
        session,
        BisectId(bisect_id),
        body.candidate,
        secret=settings.secret_key.get_secret_value(),
        by=caller.user_id,
        now=clock.now(),
    )
    record_audit_event(session, caller, "bisect.probe-requested", "bisect", row.id, {"candidate": body.candidate})
    return make_bisect_out(session, row, clock.now())


@router.post(
    "/bisects/{bisect_id}/invalidations",
    operation_id="bisects:invalidate",
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def invalidate_probe(
    bisect_id: UUID, body: ProbeInvalidationIn, caller: MayWrite, session: Writing, clock: Now
) -> BisectOut:
    """Invalidate a probe. Its measurements stay visible."""
    row = bisect_actions.invalidate_probe(
        session, BisectId(bisect_id), body.number, body.reason, by=caller.user_id, now=clock.now()
    )
    record_audit_event(session, caller, "bisect.probe-invalidated", "bisect", row.id, body.model_dump())
    return make_bisect_out(session, row, clock.now())
