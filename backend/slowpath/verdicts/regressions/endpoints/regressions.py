"""HTTP endpoints of regressions, build series, mute rules and build verdicts."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, ServiceId
from slowpath.evidence.artifacts.service import artifacts as uploads
from slowpath.platform.accounts.access import MayRead, MayWait, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.platform.jobs import service as work
from slowpath.verdicts.regressions.rules import OPEN, StateName
from slowpath.verdicts.regressions.schemas.build_verdict_schemas import BuildVerdictOut, make_build_verdict_out
from slowpath.verdicts.regressions.schemas.regression_schemas import (
    MeasuredKind,
    MuteRuleIn,
    MuteRuleOut,
    RegressionDetailOut,
    RegressionEventOut,
    RegressionIn,
    RegressionOut,
    RegressionSummaryOut,
    RegressionUpdate,
    ServiceCounts,
    StateCounts,
    TriageIn,
    TriageOut,
    make_mute_rule_out,
    make_regression_detail_out,
    make_regression_event_out,
    make_regression_out,
)
from slowpath.verdicts.regressions.schemas.series_schemas import (
    SeriesBuild,
    SeriesChangePoint,
    SeriesOut,
    SeriesPage,
    SeriesTrend,
)
from slowpath.verdicts.regressions.service import build_series, regression_views, triage
from slowpath.verdicts.regressions.service.build_series import BuildSeriesPage, DrawnSeries, HistoryPoint
from slowpath.verdicts.regressions.service.regression_views import RegressionFilter
from slowpath.verdicts.regressions.tables import Regression
from slowpath.verdicts.regressions.wording import describe_trend

router = APIRouter(prefix="/api/v1", tags=["regressions"])

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
Branch = Annotated[
    str | None, Query(max_length=300, pattern=r"^[^\x00]*$", description="Defaults to the default branch")
]
Search = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]


def _make_regressions_out(session: ReadSession, rows: Sequence[Regression]) -> list[RegressionOut]:
    names = regression_views.get_user_names(session, [row.assignee_id for row in rows])
    return [make_regression_out(row, names) for row in rows]


def _make_detail_out(session: ReadSession, row: Regression) -> RegressionDetailOut:
    names = regression_views.get_user_names(session, [row.assignee_id])
    return make_regression_detail_out(row, names, regression_views.list_evidence(session, RegressionId(row.id)))


@router.get(
    "/regressions",
    operation_id="regressions:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def list_regressions(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    service_id: UUID | None = None,
    branch: Branch = None,
    state: Annotated[list[StateName] | None, Query()] = None,
    assignee: UUID | Literal["me", "unassigned"] | None = None,
    kind: Annotated[str | None, Query(max_length=100, pattern=r"^[^\x00]*$")] = None,
    build_id: Annotated[UUID | None, Query(description="Regressions whose first bad build is this one")] = None,
    search: Search = None,
    confirmed: Annotated[
        bool, Query(description="false: unconfirmed regressions, for which no notification is sent")
    ] = True,
) -> Page[RegressionOut]:
    """List regressions, newest first."""
    if assignee == "me" and caller.user_id is None:
        raise InvalidRequest(
            "`assignee=me` requires a user: an API token has no assigned regressions.", remedy="Use the ID of a member."
        )
    filters = RegressionFilter(
        service_id=ServiceId(service_id) if service_id else None,
        branch=branch,
        states=state or (),
        kind=kind,
        assignee_id=caller.user_id if assignee == "me" else assignee if isinstance(assignee, UUID) else None,
        unassigned=assignee == "unassigned",
        confirmed=confirmed,
        build_id=BuildId(build_id) if build_id else None,
        search=search,
    )
    rows = regression_views.list_regressions(session, filters, after=paging.after, limit=paging.limit + 1)
    names = regression_views.get_user_names(session, [row.assignee_id for row in rows])
    return paging.page(rows, lambda row: make_regression_out(row, names), lambda row: (row.created_at, row.id))


@router.post(
    "/regressions",
    operation_id="regressions:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest),
)
def create_regression(
    body: RegressionIn, caller: MayWrite, session: Writing, idempotency_key: IdempotencyKey = None
) -> RegressionDetailOut:
    """Create a regression from the first worse finding of a comparison.

    Notifications are sent as for any other.
    """

    def make() -> UUID:
        row = triage.create_regression_from_comparison(session, ComparisonId(body.comparison_id), body.title, body.note)
        record_audit_event(session, caller, "regression.created-manually", "regression", row.id, {"title": row.title})
        return row.id

    asked = body.model_dump(mode="json")
    regression_id = RegressionId(work.run_idempotent(session, "regressions:create", idempotency_key, asked, make))
    return _make_detail_out(session, regression_views.get_regression(session, regression_id))


@router.get(
    "/regression-summary",
    operation_id="regressions:summary",
    openapi_extra=FREEZABLE,
    responses=document_problems(InvalidRequest),
)
def summary(caller: MayRead, session: Reading) -> RegressionSummaryOut:
    """Count regressions by state and service; return the largest open regression."""
    found = regression_views.count_regressions(session)
    return RegressionSummaryOut(
        open=sum(found.states.get(state, 0) for state in OPEN),
        states=StateCounts.model_validate(found.states),
        new_unassigned_count=found.new_unassigned,
        services=[
            ServiceCounts(service_id=service_id, open=is_open, total=total)
            for service_id, (is_open, total) in sorted(found.services.items())
        ],
        headline=_make_regressions_out(session, [found.largest])[0] if found.largest else None,
    )


@router.patch(
    "/regressions",
    operation_id="regressions:bulk-update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def update_regressions(body: TriageIn, caller: MayWrite, session: Writing, clock: Now) -> TriageOut:
    """Update several regressions: all of them or none."""
    change = body.change.model_dump(exclude_unset=True)
    rows = triage.update_regressions(session, [RegressionId(each) for each in body.ids], change, clock.now())
    details = body.change.model_dump(mode="json", exclude_unset=True, exclude={"note"})
    for row in rows:
        record_audit_event(session, caller, "regression.updated", "regression", row.id, details)
    return TriageOut(items=_make_regressions_out(session, rows))


@router.get(
    "/regressions/{regression_id}",
    operation_id="regressions:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_regression(regression_id: UUID, caller: MayRead, session: Reading) -> RegressionDetailOut:
    """Return one regression with its evidence."""
    return _make_detail_out(session, regression_views.get_regression(session, RegressionId(regression_id)))


@router.patch(
    "/regressions/{regression_id}",
    operation_id="regressions:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def update_regression(
    regression_id: UUID, change: RegressionUpdate, caller: MayWrite, session: Writing, clock: Now
) -> RegressionDetailOut:
    """Update the state, assignee or due date of a regression."""
    fields = change.model_dump(exclude_unset=True)
    [row] = triage.update_regressions(session, [RegressionId(regression_id)], fields, clock.now())
    details = change.model_dump(mode="json", exclude_unset=True, exclude={"note"})
    record_audit_event(session, caller, "regression.updated", "regression", row.id, details)
    return _make_detail_out(session, row)


@router.get(
    "/regressions/{regression_id}/events",
    operation_id="regressions:events",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_regression_events(
    regression_id: UUID, caller: MayRead, session: Reading, paging: Paging
) -> Page[RegressionEventOut]:
    """List the events of a regression, newest first."""
    rows = regression_views.list_events(
        session, RegressionId(regression_id), after=paging.after, limit=paging.limit + 1
    )
    names = regression_views.get_user_names(session, [row.user_id for row in rows])
    return paging.page(rows, lambda row: make_regression_event_out(row, names), lambda row: (row.created_at, row.id))


@router.get(
    "/regressions/{regression_id}/series",
    operation_id="regressions:series",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def series_of_regression(regression_id: UUID, caller: MayRead, session: Reading) -> SeriesPage:
    """Return the series that changed with a regression, its own first, over the newest builds."""
    return _page(build_series.load_regression_series(session, RegressionId(regression_id)))


@router.get(
    "/services/{service_id}/series",
    operation_id="services:series",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def series_of_service(
    service_id: UUID,
    caller: MayRead,
    session: Reading,
    branch: Branch = None,
    kind: MeasuredKind = "profile.category",
) -> SeriesPage:
    """Return the largest series of a kind over the newest builds of a branch."""
    return _page(build_series.load_service_series(session, ServiceId(service_id), branch, kind))


@router.get(
    "/services/{service_id}/mute-rules",
    operation_id="mute-rules:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_mute_rules(service_id: UUID, caller: MayRead, session: Reading) -> list[MuteRuleOut]:
    """List the mute rules of a service."""
    rows = build_series.list_mute_rules(session, ServiceId(service_id))
    names = regression_views.get_user_names(session, [row.created_by for row in rows])
    return [make_mute_rule_out(row, names) for row in rows]


@router.put(
    "/services/{service_id}/mute-rules",
    operation_id="mute-rules:update",
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def set_mute_rule(service_id: UUID, body: MuteRuleIn, caller: MayWrite, session: Writing) -> MuteRuleOut:
    """Mute or unmute a series, or all series of a kind."""
    row = build_series.set_mute_rule(session, ServiceId(service_id), body.kind, body.subject, muted=body.is_muted)
    record_audit_event(session, caller, "mute-rule.updated", "service", service_id, body.model_dump())
    return make_mute_rule_out(row, regression_views.get_user_names(session, [row.created_by]))


@router.get(
    "/builds/{build_id}/verdict",
    operation_id="builds:verdict",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_build_verdict(build_id: UUID, caller: MayWait, session: Reading) -> BuildVerdictOut:
    """Return the verdict on a build; `evaluating` while artifacts are still being decoded or measured.

    A token that only uploads sees the builds that it created or uploaded artifacts of.
    """
    if not uploads.can_see_build(session, BuildId(build_id), caller):
        raise NotFound("This token has no build with this ID.")
    row = regression_views.get_settled_verdict(session, BuildId(build_id))
    return make_build_verdict_out(regression_views.combine_answers(session, row))


def _page(drawn: BuildSeriesPage) -> SeriesPage:
    builds = [
        SeriesBuild(
            id=point.build.id,
            commit=point.build.commit,
            ordered_at=point.verdict.ordered_at,
            branch=point.verdict.branch,
            label=point.build.display_name,
            conditions=point.conditions,
            verdict=point.verdict.state,
        )
        for point in drawn.points
    ]
    return SeriesPage(
        branch=drawn.branch,
        branches=drawn.branches,
        builds=builds,
        series=[_series(each, drawn.points) for each in drawn.series],
    )


def _series(drawn: DrawnSeries, points: Sequence[HistoryPoint]) -> SeriesOut:
    numbers = {name: _finite(getattr(drawn, name)) for name in ("values", "low", "high", "levels")}
    return SeriesOut(
        kind=drawn.kind,
        subject=drawn.subject,
        unit=drawn.unit,
        values=numbers["values"],
        low=numbers["low"],
        high=numbers["high"],
        levels=numbers["levels"],
        change_points=[SeriesChangePoint.model_validate(vars(change)) for change in drawn.changes],
        trend=_trend(drawn, points),
        minimum_detectable_effect=drawn.detectable if math.isfinite(drawn.detectable) else None,
        is_muted=drawn.muted,
    )


def _trend(drawn: DrawnSeries, points: Sequence[HistoryPoint]) -> SeriesTrend | None:
    if drawn.trend is None:
        return None
    builds = [(point.build.commit, point.verdict.ordered_at) for point in points]
    sentence = describe_trend(drawn.trend.trend, len(drawn.changes), builds)
    return SeriesTrend(kind=drawn.trend.trend.kind, sentence=sentence, values=_finite(drawn.trend.values.tolist()))


def _finite(values: Sequence[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
