"""HTTP endpoints of commit comparisons."""

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BisectId, ServiceId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.bisects.rules.bisect_states import BisectState
from slowpath.verdicts.bisects.rules.commit_comparisons import OUTCOMES, CommitComparison
from slowpath.verdicts.bisects.rules.service_rules import MeasurementRules
from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef, SignatureOut
from slowpath.verdicts.bisects.schemas.commit_comparisons import (
    CommitComparisonIn,
    CommitComparisonOut,
    CommitComparisonSummaryOut,
    CommitVerdict,
    PullRequestOut,
    SideMeasurementOut,
)
from slowpath.verdicts.bisects.service import commit_comparisons
from slowpath.verdicts.bisects.service.bisect_outcome import describe_bisect
from slowpath.verdicts.bisects.service.commit_comparisons import CommitComparisonDetail

router = APIRouter(tags=["bisects"])
MAX_PULL_REQUEST: Final = 2**31 - 1
VERDICTS: Final[dict[BisectState, CommitVerdict]] = {
    OUTCOMES["slower"]: "slower", OUTCOMES["not-slower"]: "not-slower", OUTCOMES["inconclusive"]: "inconclusive",
}  # fmt: skip


@router.get("/commit-comparisons", operation_id="commit-comparisons:list", responses=document_problems(InvalidRequest))
def list_commit_comparisons(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    service_id: UUID | None = None,
    pull_request: Annotated[int | None, Query(ge=1, le=MAX_PULL_REQUEST)] = None,
    candidate: Annotated[str | None, Query(pattern=r"^[0-9a-f]{4,64}$")] = None,
) -> Page[CommitComparisonSummaryOut]:
    """List commit comparisons, newest first: of a service, of a pull request, or of a candidate by its first digits."""
    found = commit_comparisons.list_commit_comparisons(
        session, service_id, pull_request, candidate, after=paging.after, limit=paging.limit + 1
    )
    return paging.page(found, _summary_of, lambda one: (one.row.created_at, one.row.id))


@router.post(
    "/commit-comparisons",
    operation_id="commit-comparisons:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def create_commit_comparison(
    body: CommitComparisonIn, caller: MayWrite, session: Writing, clock: Now
) -> CommitComparisonOut:
    """Measure a commit alternately with its merge base with another one."""
    signature = (body.signature.kind, body.signature.subject) if body.signature else None
    rules = MeasurementRules(
        runner_labels=body.runner_labels,
        measurement_seconds=body.measurement_seconds,
        warm_up_seconds=body.warm_up_seconds,
        signature=signature,
    )
    options = CommitComparison(body.smallest_change, body.pairs, body.minutes)
    row = commit_comparisons.create_commit_comparison(
        session, ServiceId(body.service_id), body.base_sha, body.candidate_sha, options, rules, by=caller.user_id,
        now=clock.now(),
    )  # fmt: skip
    facts = {"title": row.title, "number": row.number, "service_id": str(row.service_id)}
    record_audit_event(session, caller, "commit-comparison.created", "bisect", row.id, facts)
    return _detail_of(commit_comparisons.get_commit_comparison(session, BisectId(row.id), clock.now()))


@router.get(
    "/commit-comparisons/{bisect_id}", operation_id="commit-comparisons:get", responses=document_problems(NotFound)
)
def get_commit_comparison(bisect_id: UUID, caller: MayRead, session: Reading, clock: Now) -> CommitComparisonOut:
    """Return one commit comparison with its measurements."""
    return _detail_of(commit_comparisons.get_commit_comparison(session, BisectId(bisect_id), clock.now()))


@router.post(
    "/commit-comparisons/{bisect_id}/cancel",
    operation_id="commit-comparisons:cancel",
    responses=document_problems(NotFound),
)
def cancel_commit_comparison(bisect_id: UUID, caller: MayWrite, session: Writing, clock: Now) -> CommitComparisonOut:
    """Cancel an open commit comparison; nothing changes if it has ended."""
    commit_comparisons.cancel_commit_comparison(session, BisectId(bisect_id), now=clock.now())
    record_audit_event(session, caller, "commit-comparison.cancelled", "bisect", bisect_id, {})
    return _detail_of(commit_comparisons.get_commit_comparison(session, BisectId(bisect_id), clock.now()))


def _summary_of(one: CommitComparisonDetail) -> CommitComparisonSummaryOut:
    row, named = one.row, one.options.pull_request
    return CommitComparisonSummaryOut(
        id=row.id,
        number=row.number,
        title=row.title,
        state=row.state,
        verdict=VERDICTS.get(BisectState(row.state)),
        sentence=describe_bisect(row),
        service=ServiceRef(id=row.service_id, name=one.service),
        pull_request=None if named is None else PullRequestOut(**vars(named)),
        base_sha=row.good_sha,
        candidate_sha=row.bad_sha,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def _detail_of(one: CommitComparisonDetail) -> CommitComparisonOut:
    outcome = one.row.outcome or {}
    return CommitComparisonOut(
        **_summary_of(one).model_dump(),
        signature=SignatureOut(**one.row.signature),
        smallest_change=one.options.smallest_change,
        pairs=one.options.pairs,
        minutes=one.options.minutes,
        ratio=outcome.get("ratio"),
        low=outcome.get("low"),
        high=outcome.get("high"),
        comparison_id=one.row.comparison_id,
        measurements=[
            SideMeasurementOut(
                number=each.number, pair=each.pair, is_candidate=each.is_candidate, state=each.state, value=each.value,
                problem=each.problem, seconds=each.seconds,
            )
            for each in one.sides
        ],
    )  # fmt: skip
