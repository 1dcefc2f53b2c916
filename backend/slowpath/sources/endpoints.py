"""Where metrics are imported from."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request

from slowpath.accounts.access import MayManage, MayRead
from slowpath.accounts.service import audit
from slowpath.core.errors import (
    AddressRefused,
    Conflict,
    DidNotAnswer,
    NotFound,
    Refused,
    SlowpathError,
    TooLarge,
    TooMany,
)
from slowpath.core.ids import MetricSourceId
from slowpath.metrics.rules import HOUR_MS
from slowpath.sources.rules import MOST_NAMES
from slowpath.sources.schemas import (
    CredentialsIn,
    ImportBegun,
    ImportIn,
    MetricSourceChange,
    MetricSourceIn,
    MetricSourceOut,
    ReadThroughIn,
    ReadThroughOut,
    SourceChecked,
)
from slowpath.sources.service import binding, importing, keeping
from slowpath.sources.service.asking import PrometheusApi
from slowpath.sources.service.binding import Place
from slowpath.sources.service.keeping import SignIn
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import DatabaseOf, Now, Reading, Seals, WayOut, Writing, scope_of

router = APIRouter(prefix="/api/v1/metric-sources", tags=["metrics"])


@router.get("", operation_id="metric-sources:list", responses=problems(Refused))
def list_sources(caller: MayRead, session: Reading, paging: Paging) -> Page[MetricSourceOut]:
    """List sources, newest first."""
    rows = keeping.sources(session, paging.after, paging.limit + 1)
    return paging.page(rows, MetricSourceOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "",
    operation_id="metric-sources:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=problems(Refused, TooMany),
)
def create_source(
    wanted: MetricSourceIn, caller: MayManage, session: Writing, outside: WayOut, sealer: Seals
) -> MetricSourceOut:
    """Add a source. Nothing is asked of it yet."""
    sign_in = _sign_in(wanted.credentials) or SignIn("none")
    row = keeping.add(session, sealer, outside, label=wanted.name, url=wanted.url, sign_in=sign_in)
    facts = {"name": row.label, "url": row.url, "credentials": row.credentials}
    audit(session, caller, "metric-source.created", "metric_source", row.id, facts)
    return MetricSourceOut.of(row)


@router.patch(
    "/{source_id}",
    operation_id="metric-sources:change",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Refused),
)
def change_source(
    source_id: UUID,
    change: MetricSourceChange,
    caller: MayManage,
    session: Writing,
    outside: WayOut,
    sealer: Seals,
) -> MetricSourceOut:
    """Change a source."""
    said = {"label": change.name, "url": change.url}
    values = {name: value for name, value in said.items() if value is not None}
    sign_in = _sign_in(change.credentials)
    row = keeping.change(session, sealer, outside, MetricSourceId(source_id), values=values, sign_in=sign_in)
    facts = {**values, **({"credentials": row.credentials} if sign_in else {})}
    audit(session, caller, "metric-source.changed", "metric_source", row.id, facts)
    return MetricSourceOut.of(row)


@router.delete("/{source_id}", operation_id="metric-sources:delete", status_code=204, responses=problems(NotFound))
def delete_source(source_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a source. What was imported from it stays."""
    row = keeping.delete(session, MetricSourceId(source_id))
    audit(session, caller, "metric-source.deleted", "metric_source", source_id, {"name": row.label})


@router.post(
    "/{source_id}/check",
    operation_id="metric-sources:check",
    responses=problems(NotFound, AddressRefused, TooLarge, DidNotAnswer),
)
def check_source(
    source_id: UUID,
    caller: MayManage,
    request: Request,
    database: DatabaseOf,
    clock: Now,
    outside: WayOut,
    sealer: Seals,
) -> SourceChecked:
    """Ask a source who it is and which of the usual names it has. What came of it is kept with the source."""
    with database.reading(scope_of(request)) as session:  # ended before the source is asked: that may take its time
        row = keeping.find(session, MetricSourceId(source_id))
        rules = importing.rules_of(session)
    now_ms = int(clock.now().timestamp() * 1000)

    def keep(**said: Any) -> None:  # noqa: ANN401 - as JSON has it
        with database.writing(scope_of(request)) as writing:
            keeping.checked(writing, MetricSourceId(source_id), {"at_ms": now_ms, **said})

    try:
        reached = keeping.reach(row, sealer)
        with outside.opened(reached.url) as peer:
            api = PrometheusApi(peer, reached.headers)
            version, names = api.version(), api.names(now_ms - HOUR_MS, now_ms)
    except SlowpathError as error:
        keep(detail=error.detail)
        raise
    usual = importing.usual(names, rules)[:MOST_NAMES]
    keep(version=version, names=len(names), usual=usual)
    return SourceChecked(version=version, names=len(names), usual=usual)


@router.post(
    "/{source_id}/imports",
    operation_id="metric-sources:import",
    status_code=202,
    responses=problems(NotFound, Conflict, Refused),
)
def import_history(source_id: UUID, wanted: ImportIn, caller: MayManage, session: Writing, clock: Now) -> ImportBegun:
    """Import what a source has of the usual names between two times. Doing it again brings nothing twice."""
    job_id, from_ms, to_ms = keeping.begin_import(
        session,
        MetricSourceId(source_id),
        int(wanted.begin.timestamp() * 1000),
        int(wanted.end.timestamp() * 1000),
        now_ms=int(clock.now().timestamp() * 1000),
    )
    audit(session, caller, "metric-source.imported", "metric_source", source_id, {"from_ms": from_ms, "to_ms": to_ms})
    return ImportBegun(job_id=job_id, from_ms=from_ms, to_ms=to_ms)


@router.get(
    "/{source_id}/services", operation_id="metric-sources:list-read-through", responses=problems(NotFound, Refused)
)
def list_read_through(source_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[ReadThroughOut]:
    """List the services that are read through to a source, newest first."""
    rows = binding.of_source(session, MetricSourceId(source_id), paging.after, paging.limit + 1)
    return paging.page(rows, ReadThroughOut.of, lambda found: (found[0].created_at, found[0].id))


@router.post(
    "/{source_id}/services",
    operation_id="metric-sources:read-through",
    status_code=201,
    responses=problems(NotFound, Conflict, Refused, TooMany),
)
def read_through(source_id: UUID, wanted: ReadThroughIn, caller: MayManage, session: Writing) -> ReadThroughOut:
    """Have the board ask a source for a service's samples whenever it is looked at. Nothing of them is stored."""
    place = Place(wanted.service, wanted.environment)
    found = binding.bind(session, MetricSourceId(source_id), place, wanted.equal)
    facts = {"service": found[1].name, "environment": found[2].name, "equal": wanted.equal}
    audit(session, caller, "metric-source.read-through", "metric_source", source_id, facts)
    return ReadThroughOut.of(found)


@router.delete(
    "/{source_id}/services/{read_through_id}",
    operation_id="metric-sources:end-read-through",
    status_code=204,
    responses=problems(NotFound),
)
def end_read_through(source_id: UUID, read_through_id: UUID, caller: MayManage, session: Writing) -> None:
    """Read a service through no more."""
    row = binding.release(session, MetricSourceId(source_id), read_through_id)
    facts = {"service_id": str(row.service_id), "environment_id": str(row.environment_id)}
    audit(session, caller, "metric-source.read-through-ended", "metric_source", source_id, facts)


def _sign_in(given: CredentialsIn | None) -> SignIn | None:
    if given is None:
        return None
    token, password = given.token, given.password
    return SignIn(
        given.kind,
        token.get_secret_value() if token else "",
        given.username or "",
        password.get_secret_value() if password else "",
    )
