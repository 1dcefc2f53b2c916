"""Health endpoints: liveness (`/healthz`), readiness (`/readyz`) and metrics (`/metrics`)."""

import os
import secrets
from collections.abc import Iterable
from typing import Literal

import structlog
from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from slowpath.core.db_sessions import Database
from slowpath.core.errors import NotAuthenticated, Unavailable
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import blobs, database, settings

router = APIRouter(tags=["health"])
log = structlog.get_logger(__name__)

LOAD = text("SELECT queue, state, jobs, oldest_s FROM cross_team.job_load()")
LABELS = ("queue", "state")
SEVERAL_PROCESSES = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of one server store their counters, so that each can return the sum."""


class HealthStatus(BaseModel):
    """Whether the process, or each part it needs, responds."""

    status: Literal["ok", "unavailable"]
    parts: dict[str, str] = {}


@router.get("/healthz", operation_id="health:alive")
def alive() -> HealthStatus:
    """Return that the process runs, without accessing anything."""
    return HealthStatus(status="ok")


@router.get("/readyz", operation_id="health:ready", responses={503: {"model": HealthStatus}})
def ready(request: Request, response: Response) -> HealthStatus:
    """Return whether the database and the blob store respond; 503 names the part that does not."""
    parts: dict[str, str] = {}
    try:
        with database(request).engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        parts["database"] = "ok"
    except SQLAlchemyError:
        parts["database"] = "does not respond"
    try:
        blobs(request).check()
        parts["blobs"] = "ok"
    except Unavailable as error:
        parts["blobs"] = error.detail
    good = all(state == "ok" for state in parts.values())
    response.status_code = 200 if good else 503
    return HealthStatus(status="ok" if good else "unavailable", parts=parts)


@router.get(
    "/metrics", operation_id="health:metrics", response_class=Response, responses=document_problems(NotAuthenticated)
)
def metrics(request: Request) -> Response:
    """Return the counters of the server's processes, and the load of the job queues, in Prometheus's text format."""
    token = settings(request).metrics_token
    expected = token.get_secret_value() if token is not None else ""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if expected and not secrets.compare_digest(given.encode(), expected.encode()):
        raise NotAuthenticated(
            "The metrics require the token of SLOWPATH_METRICS_TOKEN.", remedy="Send it as a bearer token."
        )
    queues = CollectorRegistry()
    queues.register(_Queues(database(request)))
    counted: CollectorRegistry = REGISTRY
    if SEVERAL_PROCESSES in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    return Response(generate_latest(counted) + generate_latest(queues), media_type=CONTENT_TYPE_LATEST)


class _Queues(Collector):
    """The load of the job queues, measured at each scrape."""

    def __init__(self, known: Database) -> None:
        self._known = known

    def collect(self) -> Iterable[Metric]:
        """Yield one gauge for the number of open jobs, and one for the age of the oldest."""
        jobs = GaugeMetricFamily("slowpath_jobs", "Number of open jobs.", labels=LABELS)
        oldest = GaugeMetricFamily(
            "slowpath_oldest_job_seconds", "Age of the oldest open job, for scaling workers.", labels=LABELS
        )
        try:
            with self._known.cross_team() as cross_team:
                for row in cross_team.execute(LOAD):
                    jobs.add_metric([row.queue, row.state], row.jobs)
                    oldest.add_metric([row.queue, row.state], row.oldest_s)
        except SQLAlchemyError as error:
            log.warning("job queues not measured", error=str(error).splitlines()[0])
        return [jobs, oldest]
