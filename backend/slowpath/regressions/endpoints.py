"""Regressions over HTTP."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query

from slowpath.accounts.access import MayRead, MayWait, MayWrite
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooMany
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions.rules import OPEN, StateName
from slowpath.regressions.schemas import (
    EventOut,
    JudgementOut,
    KindName,
    NoteIn,
    RegressionChange,
    RegressionIn,
    RegressionOut,
    RegressionWhole,
    SeriesBuild,
    SeriesChangePoint,
    SeriesCourse,
    SeriesOut,
    SeriesPage,
    ServiceCounts,
    StateCounts,
    SummaryOut,
    TriageIn,
    TriageOut,
    WatchedIn,
    WatchedOut,
    event_out,
    judgement_out,
    regression_out,
    watched_out,
    whole,
)
from slowpath.regressions.service import looking, series, triaging
from slowpath.regressions.service.looking import Wanted
from slowpath.regressions.service.series import Drawn, DrawnSeries, PointOfLine
from slowpath.regressions.tables import Regression
from slowpath.regressions.wording import course_sentence
from slowpath.uploads.service import reading as uploads
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Now, Reading, Writing
from slowpath.work import service as work

router = APIRouter(prefix="/api/v1", tags=["regressions"])

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
Branch = Annotated[str | None, Query(max_length=300, pattern=r"^[^\x00]*$", description="The main one if left out")]
Search = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]


def _told(session: ReadSession, rows: Sequence[Regression]) -> list[RegressionOut]:
    names = looking.names(session, [row.assignee_id for row in rows])
    return [regression_out(row, names) for row in rows]


def _whole(session: ReadSession, row: Regression) -> RegressionWhole:
    names = looking.names(session, [row.assignee_id])
    return whole(row, names, looking.evidence(session, RegressionId(row.id)))


@router.get("/regressions", operation_id="regressions:list", openapi_extra=FREEZABLE, responses=problems(Refused))
def list_regressions(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    service_id: UUID | None = None,
    branch: Branch = None,
    state: Annotated[list[StateName] | None, Query()] = None,
    assignee: UUID | Literal["me", "nobody"] | None = None,
    kind: Annotated[str | None, Query(max_length=100, pattern=r"^[^\x00]*$")] = None,
    build_id: Annotated[UUID | None, Query(description="That began with this build")] = None,
    search: Search = None,
    confirmed: Annotated[bool, Query(description="false: candidates, of which nobody is told")] = True,
) -> Page[RegressionOut]:
    """List regressions, newest first."""
    if assignee == "me" and caller.user_id is None:
        raise Refused("A token is nobody that something could be assigned to.", remedy="Name a member by their id.")
    wanted = Wanted(
        service_id=ServiceId(service_id) if service_id else None,
        branch=branch,
        states=state or (),
        kind=kind,
        assignee_id=caller.user_id if assignee == "me" else assignee if isinstance(assignee, UUID) else None,
        unassigned=assignee == "nobody",
        confirmed=confirmed,
        build_id=BuildId(build_id) if build_id else None,
        search=search,
    )
    rows = looking.newest(session, wanted, after=paging.after, limit=paging.limit + 1)
    names = looking.names(session, [row.assignee_id for row in rows])
    return paging.page(rows, lambda row: regression_out(row, names), lambda row: (row.created_at, row.id))


@router.post(
    "/regressions",
    operation_id="regressions:claim",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=problems(NotFound, Refused),
)
def claim(
    wanted: RegressionIn, caller: MayWrite, session: Writing, idempotency_key: IdempotencyKey = None
) -> RegressionWhole:
    """Make a regression by hand of what a comparison found. It is told of like any other."""

    def make() -> UUID:
        row = triaging.claim(session, ComparisonId(wanted.comparison_id), wanted.title, wanted.note)
        audit(session, caller, "regression.claimed", "regression", row.id, {"title": row.title})
        return row.id

    asked = wanted.model_dump(mode="json")
    regression_id = RegressionId(work.once(session, "regressions:claim", idempotency_key, asked, make))
    return _whole(session, looking.find(session, regression_id))


@router.get(
    "/regression-summary", operation_id="regressions:summary", openapi_extra=FREEZABLE, responses=problems(Refused)
)
def summary(caller: MayRead, session: Reading) -> SummaryOut:
    """Count regressions by state and service, and return the largest that is open."""
    found = looking.standing(session)
    return SummaryOut(
        open=sum(found.states.get(state, 0) for state in OPEN),
        states=StateCounts.model_validate(found.states),
        new_unassigned=found.nobodys,
        services=[
            ServiceCounts(service_id=service_id, open=is_open, total=total)
            for service_id, (is_open, total) in sorted(found.services.items())
        ],
        headline=_told(session, [found.largest])[0] if found.largest else None,
    )


@router.post(
    "/regression-triage",
    operation_id="regressions:triage",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Conflict, Refused),
)
def triage(wanted: TriageIn, caller: MayWrite, session: Writing, clock: Now) -> TriageOut:
    """Change many regressions at once: all of them or none."""
    said = wanted.change.model_dump(exclude_unset=True)
    rows = triaging.change(session, [RegressionId(each) for each in wanted.ids], said, clock.now())
    facts = wanted.change.model_dump(mode="json", exclude_unset=True, exclude={"note"})
    for row in rows:
        audit(session, caller, "regression.changed", "regression", row.id, facts)
    return TriageOut(items=_told(session, rows))


@router.get(
    "/regressions/{regression_id}",
    operation_id="regressions:get",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound),
)
def get_regression(regression_id: UUID, caller: MayRead, session: Reading) -> RegressionWhole:
    """Return one regression with what it cites."""
    return _whole(session, looking.find(session, RegressionId(regression_id)))


@router.patch(
    "/regressions/{regression_id}",
    operation_id="regressions:change",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Conflict, Refused),
)
def change_regression(
    regression_id: UUID, change: RegressionChange, caller: MayWrite, session: Writing, clock: Now
) -> RegressionWhole:
    """Change a regression's state, whose it is, or by when it is to be mended."""
    said = change.model_dump(exclude_unset=True)
    [row] = triaging.change(session, [RegressionId(regression_id)], said, clock.now())
    facts = change.model_dump(mode="json", exclude_unset=True, exclude={"note"})
    audit(session, caller, "regression.changed", "regression", row.id, facts)
    return _whole(session, row)


@router.get(
    "/regressions/{regression_id}/history",
    operation_id="regressions:history",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def history(regression_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[EventOut]:
    """List what happened to a regression, newest first."""
    rows = looking.history(session, RegressionId(regression_id), after=paging.after, limit=paging.limit + 1)
    names = looking.names(session, [row.user_id for row in rows])
    return paging.page(rows, lambda row: event_out(row, names), lambda row: (row.created_at, row.id))


@router.post(
    "/regressions/{regression_id}/notes",
    operation_id="regressions:note",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=problems(NotFound, Refused),
)
def add_note(regression_id: UUID, wanted: NoteIn, caller: MayWrite, session: Writing) -> EventOut:
    """Say something about a regression."""
    row = triaging.note(session, RegressionId(regression_id), wanted.text)
    audit(session, caller, "regression.noted", "regression", regression_id, {})
    return event_out(row, looking.names(session, [row.user_id]))


@router.get(
    "/regressions/{regression_id}/series",
    operation_id="regressions:series",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound),
)
def series_of_regression(regression_id: UUID, caller: MayRead, session: Reading) -> SeriesPage:
    """Return the series that changed with a regression, its own first, over the newest builds of its branch."""
    return _page(series.of_regression(session, RegressionId(regression_id)))


@router.get(
    "/services/{service_id}/series",
    operation_id="services:series",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def series_of_service(
    service_id: UUID,
    caller: MayRead,
    session: Reading,
    branch: Branch = None,
    kind: KindName = "profile.category",
) -> SeriesPage:
    """Return the largest series of a kind over the newest builds of a branch."""
    return _page(series.of_service(session, ServiceId(service_id), branch, kind))


@router.get(
    "/services/{service_id}/watched-series",
    operation_id="services:watched",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound, Refused),
)
def list_watched(service_id: UUID, caller: MayRead, session: Reading) -> list[WatchedOut]:
    """List the rules on what of a service is told of."""
    rows = series.watched(session, ServiceId(service_id))
    names = looking.names(session, [row.created_by for row in rows])
    return [watched_out(row, names) for row in rows]


@router.put(
    "/services/{service_id}/watched-series",
    operation_id="services:watch",
    responses=problems(NotFound, Refused, TooMany),
)
def watch(service_id: UUID, wanted: WatchedIn, caller: MayWrite, session: Writing) -> WatchedOut:
    """Mute a series (or all of a kind), or let it be told of again."""
    row = series.watch(session, ServiceId(service_id), wanted.kind, wanted.subject, muted=wanted.muted)
    audit(session, caller, "service.watched", "service", service_id, wanted.model_dump())
    return watched_out(row, looking.names(session, [row.created_by]))


@router.get(
    "/builds/{build_id}/judgement",
    operation_id="builds:judgement",
    openapi_extra=FREEZABLE,
    responses=problems(NotFound),
)
def judgement(build_id: UUID, caller: MayWait, session: Reading) -> JudgementOut:
    """Return what is known of a build; `judging` while more of it is being read or measured.

    A token that only uploads sees the builds that it made known or sent something of.
    """
    if not uploads.has_part(session, BuildId(build_id), caller):
        raise NotFound("There is no such build of this token.")
    return judgement_out(looking.answer(session, BuildId(build_id)))


def _page(drawn: Drawn) -> SeriesPage:
    builds = [
        SeriesBuild(
            id=point.build.id,
            commit=point.build.commit,
            at=point.judgement.ordered_at,
            branch=point.judgement.branch,
            label=point.build.label,
            conditions=point.conditions,
            judgement=point.judgement.state,
        )
        for point in drawn.points
    ]
    return SeriesPage(
        branch=drawn.branch,
        branches=drawn.branches,
        builds=builds,
        series=[_series(each, drawn.points) for each in drawn.series],
    )


def _series(drawn: DrawnSeries, points: Sequence[PointOfLine]) -> SeriesOut:
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
        course=_course(drawn, points),
        detectable=drawn.detectable if math.isfinite(drawn.detectable) else None,
        muted=drawn.muted,
    )


def _course(drawn: DrawnSeries, points: Sequence[PointOfLine]) -> SeriesCourse | None:
    if drawn.course is None:
        return None
    builds = [(point.build.commit, point.judgement.ordered_at) for point in points]
    sentence = course_sentence(drawn.course.course, len(drawn.changes), builds)
    return SeriesCourse(kind=drawn.course.course.kind, sentence=sentence, values=_finite(drawn.course.values.tolist()))


def _finite(values: Sequence[float]) -> list[float | None]:
    return [float(value) if math.isfinite(value) else None for value in values]
