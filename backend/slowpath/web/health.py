"""Is the process alive (`/healthz`), can it serve (`/readyz`), and how is it doing (`/metrics`)."""

from typing import Literal

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from slowpath.core.errors import Unavailable
from slowpath.web.sessions import blobs, database

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """Whether the process, or each part it needs, answers."""

    status: Literal["ok", "unavailable"]
    parts: dict[str, str] = {}


@router.get("/healthz", operation_id="health:alive")
def alive() -> Health:
    """Tell that the process runs. Touches nothing."""
    return Health(status="ok")


@router.get("/readyz", operation_id="health:ready", responses={503: {"model": Health}})
def ready(request: Request, response: Response) -> Health:
    """Tell whether the database and the blob store answer; 503 names the one that does not."""
    parts: dict[str, str] = {}
    try:
        with database(request).engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        parts["database"] = "ok"
    except SQLAlchemyError:
        parts["database"] = "does not answer"
    try:
        blobs(request).check()
        parts["blobs"] = "ok"
    except Unavailable as error:
        parts["blobs"] = error.detail
    good = all(state == "ok" for state in parts.values())
    response.status_code = 200 if good else 503
    return Health(status="ok" if good else "unavailable", parts=parts)


@router.get("/metrics", operation_id="health:metrics", response_class=Response)
def metrics() -> Response:
    """Return the counters of this process in Prometheus's text format."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
