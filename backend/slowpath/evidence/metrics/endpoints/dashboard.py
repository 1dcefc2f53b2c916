"""HTTP endpoint of the dashboard."""

import zlib
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, StringConstraints

from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardHeader
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import dashboard as service
from slowpath.evidence.metrics.service.dashboard import BOARD_ROWS_MAX, Against, LabelSplit
from slowpath.evidence.metrics.service.dashboard_range import LATEST_MS, CellRange, parse_dashboard_request
from slowpath.evidence.metrics.service.remote_samples import RemoteSamples, RemoteSampleSource
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.openapi_description import OCTETS, document_columns
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import DatabaseOf, Now, scope_of

router = APIRouter(prefix="/api/v1", tags=["metrics"])

PACKED = {"Cache-Control": "private, no-store", "Content-Encoding": "gzip"}
"""New samples change the response within seconds."""
LEVEL = 1
"""Measured samples compress little: a higher level took three times as long for 4% less."""

Moment = Annotated[int, Field(ge=0, le=LATEST_MS)]
Instant = Annotated[str, StringConstraints(max_length=64), Query(description="RFC 3339, or milliseconds since 1970")]


@router.get(
    "/dashboard",
    operation_id="dashboard:get",
    openapi_extra=FREEZABLE,
    responses={**document_problems(NotFound, InvalidRequest), **document_columns(DashboardHeader)},
    response_class=StreamingResponse,
)
def get(
    caller: MayRead,
    request: Request,
    database: DatabaseOf,
    now: Now,
    environment_id: UUID | None = None,
    start: Annotated[Instant | None, Query(alias="from")] = None,
    end: Annotated[Instant | None, Query(alias="to")] = None,
    time_shift: Against = "none",
    instances: bool = False,
    services: Annotated[list[UUID] | None, Query(description="Only these services, at most 50")] = None,
    split_service: Annotated[
        UUID | None, Query(description="Split the latency of this service by `split_label`")
    ] = None,
    split_label: Annotated[str | None, StringConstraints(min_length=1, max_length=200), Query()] = None,
    rows: Annotated[int, Query(ge=1, le=BOARD_ROWS_MAX, description="Number of services, if `services` is not set")] = (
        BOARD_ROWS_MAX
    ),
    step_ms: Annotated[int | None, Query(ge=1, description="Step of the dashboard that is already shown")] = None,
    since_ms: Annotated[
        Moment | None, Query(description="Return only the cells after this time, unless earlier ones changed")
    ] = None,
    known_until_ms: Annotated[
        Moment | None, Query(description="`now_ms` of the dashboard that is already shown")
    ] = None,
) -> Response:
    """Return QPS and latency of the services of an environment in service order, with markers.

    `from` and `to` default to the last six hours. The response lists all services by name, and data of the requested ones.
    """
    wish = parse_dashboard_request(
        now.now(),
        start,
        end,
        environment_id=EnvironmentId(environment_id) if environment_id else None,
        service_ids=[ServiceId(each) for each in services or ()],
        against=time_shift,
        by_instance=instances,
        rows=rows,
        cells=CellRange(step_ms, since_ms, known_until_ms),
        split=LabelSplit(ServiceId(split_service), split_label) if split_service and split_label else None,
    )
    packer = zlib.compressobj(LEVEL, wbits=31)
    beyond: RemoteSampleSource = request.app.state.beyond
    with database.reading(scope_of(request)) as session:
        bound = beyond.bound(session)
        also = frozenset(each.environment_id for each in bound)
        shown = service.choose_environment(session, wish, also) if bound else None
        asked = [each for each in bound if each.environment_id == shown]
        content = None if asked else service.build_dashboard(session, wish, now.now(), RemoteSamples(also))
    if content is None:  # no transaction is open during queries to sources
        bound_services = [each for each in asked if not wish.service_ids or each.service_id in wish.service_ids]
        through = beyond.asked(bound_services, *service.read_between(wish))
        with database.reading(scope_of(request)) as session:
            content = service.build_dashboard(session, wish, now.now(), RemoteSamples(also, through))
    return Response(packer.compress(content) + packer.flush(), media_type=OCTETS, headers=PACKED)
