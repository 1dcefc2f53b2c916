"""HTTP endpoints for data sources of Grafana."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import StringConstraints

from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.evidence.metrics.endpoints.dashboard import Instant
from slowpath.evidence.metrics.service.dashboard_range import parse_dashboard_request
from slowpath.platform.accounts.access import MayRead
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Now, Reading
from slowpath.sharing.grafana import service
from slowpath.sharing.grafana.schemas import GrafanaAnnotationList, GrafanaAnnotationOut

router = APIRouter(prefix="/api/v1", tags=["grafana"])
Name = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f]*$")]


@router.get(
    "/grafana/annotations", operation_id="grafana:annotations", responses=document_problems(NotFound, InvalidRequest)
)
def list_annotations(
    caller: MayRead,
    session: Reading,
    now: Now,
    settings: Configured,
    environment: Annotated[Name, Query(description="Its name in addresses")] = "production",
    services: Annotated[
        list[Name] | None,
        Query(alias="service", max_length=50, description="Names of services in addresses; none: all"),
    ] = None,
    start: Annotated[Instant | None, Query(alias="from")] = None,
    end: Annotated[Instant | None, Query(alias="to")] = None,
) -> GrafanaAnnotationList:
    """List deployments, change points and production events as annotations of Grafana, oldest first.

    `from` and `to` are those of the dashboard in Grafana; without them, the last six hours.
    """
    wish = parse_dashboard_request(
        now.now(), start, end, environment_id=None, service_ids=(), against="none", by_instance=False
    )
    found = service.list_annotations(session, environment, services or (), wish.from_ms, wish.to_ms)
    home = f"{settings.public_url.rstrip('/')}/t/{found.team}"
    items = [
        GrafanaAnnotationOut(
            time=one.begin_ms,
            timeEnd=one.end_ms,
            title=f"{found.services[one.service_id]}: {one.title}",
            text=one.text,
            tags=f"{one.kind},service:{found.services[one.service_id]},environment:{found.environment}",
            url=home + one.path,
        )
        for one in found.annotations
    ]
    return GrafanaAnnotationList(items=items)
