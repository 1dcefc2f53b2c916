"""Errors as RFC 9457 problems: the one table that maps error base classes to status codes."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted
from starlette.exceptions import HTTPException

from slowpath.core.errors import (
    Conflict,
    Gone,
    InvalidRequest,
    LimitExceeded,
    NotAuthenticated,
    NotFound,
    PermissionDenied,
    SlowpathError,
    TooLarge,
    TooSlow,
    Unavailable,
)
from slowpath.platform.http.scim_errors import SCIM_PREFIX, make_scim_error

STATUS_OF: dict[type[SlowpathError], int] = {
    NotAuthenticated: 401,
    PermissionDenied: 403,
    NotFound: 404,
    Conflict: 409,
    Gone: 410,
    TooSlow: 408,
    TooLarge: 413,
    InvalidRequest: 422,
    LimitExceeded: 429,
    Unavailable: 503,
}
RETRY_AFTER_SECONDS = 2
MAX_ECHO = 200
"""How much of a request's input an error repeats."""
MAX_FIELDS = 50
"""How many invalid fields are listed: a body can have as many as it has bytes."""

log = structlog.get_logger(__name__)


class Problem(BaseModel):
    """An error of the API (RFC 9457), with the numbers of a limit and the fix."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(examples=["urn:slowpath:too-large"])
    title: str
    status: int
    detail: str
    limit: float | None = None
    value: float | None = None
    unit: str | None = None
    resolution: str | None = None
    request_id: str | None = None


UNNAMED: Mapping[str, object] = {"type": "about:blank", "title": "Error", "detail": ""}
"""The members that a problem without them has: `type` as RFC 9457, 4.2.1 defines it."""


def _with_missing_members(stored: Mapping[str, object] | None) -> Mapping[str, object] | None:
    return {"status": 422, **UNNAMED, **stored} if stored else None


StoredProblem = Annotated[Problem | None, BeforeValidator(_with_missing_members)]
"""A problem as rows store it: without its status, which is 422. Null or empty: none."""


def status_of(error: type[SlowpathError]) -> int:
    """Return the status of an error: that of the nearest base class in the table."""
    return next(STATUS_OF[base] for base in error.__mro__ if base in STATUS_OF)


def document_problems(*errors: type[SlowpathError]) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of an endpoint that may raise these errors, for its OpenAPI description."""
    described: dict[int | str, dict[str, Any]] = {}
    for error in errors:
        response = described.setdefault(
            status_of(error),
            {"description": error.title, "content": {"application/problem+json": {"schema": PROBLEM_SCHEMA}}},
        )
        if error.title not in response["description"]:
            response["description"] += f"; {error.title}"
    return described


PROBLEM_SCHEMA = {"$ref": "#/components/schemas/Problem"}


class ProblemResponse(JSONResponse):
    """A problem in ASCII, because an unpaired surrogate in a received field name has no UTF-8."""

    media_type = "application/problem+json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - as Starlette has it
        """Serialize the members."""
        return json.dumps(content, ensure_ascii=True, allow_nan=False).encode()


def problem_response(
    request: Request, status: int, members: dict[str, Any], retry_after_s: int = RETRY_AFTER_SECONDS
) -> JSONResponse:
    """Return a problem with the request's ID, by which it can be found in the logs."""
    if request.scope["path"].startswith(SCIM_PREFIX):
        return make_scim_error(status, {**UNNAMED, **members}, retry_after_s)
    body = {**UNNAMED, **members, "status": status}
    body["request_id"] = getattr(request.state, "request_id", None)
    headers = {"Retry-After": str(retry_after_s)} if status in (429, 503) else None
    return ProblemResponse(body, status_code=status, headers=headers)


def render_error(request: Request, error: SlowpathError) -> JSONResponse:
    """Return one of our errors as a problem."""
    known = error.retry_after_s if isinstance(error, LimitExceeded) else None
    return problem_response(request, status_of(type(error)), error.facts(), known or RETRY_AFTER_SECONDS)


def install_problems(app: FastAPI) -> None:
    """Install the handlers that turn every error of the app into a problem."""
    app.add_exception_handler(SlowpathError, _ours)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(OperationalError, _database)
    app.add_exception_handler(PoolExhausted, _database)
    app.add_exception_handler(DBAPIError, _statement)


def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, SlowpathError)
    return render_error(request, error)


def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, SlowpathError):  # FastAPI hides the cause of an error while it reads a body
        return render_error(request, error.__cause__)
    title = {404: "Not found", 405: "Method not allowed"}.get(error.status_code, "Refused")
    members = {"type": f"urn:slowpath:http-{error.status_code}", "title": title, "detail": str(error.detail)}
    response = problem_response(request, error.status_code, members)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def _validation(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    fields = [
        {"at": ".".join(str(part) for part in issue["loc"])[:MAX_ECHO], "message": _format_issue(issue["msg"])}
        for issue in error.errors()[:MAX_FIELDS]
    ]
    # Users read this next to the form with the field; `fields` has the full location for programs.
    detail = "; ".join(f"{field['at'].partition('.')[2] or field['at']}: {field['message']}" for field in fields[:3])
    members = {"type": "urn:slowpath:not-understood", "title": "Invalid request", "detail": detail, "fields": fields}
    return problem_response(request, 422, members)


def _format_issue(message: str) -> str:
    return message.removeprefix("Value error, ").removeprefix("Assertion failed, ")[:MAX_ECHO]


def _database(request: Request, error: Exception) -> JSONResponse:
    log.warning("database unavailable", error=str(error)[:MAX_ECHO])
    problem = Unavailable("The database does not respond.", remedy="Try again in a few seconds.")
    return render_error(request, problem)


def _statement(request: Request, error: Exception) -> JSONResponse:
    """Map what PostgreSQL rejects in received values (a NUL in a text, a number out of range) to a problem."""
    assert isinstance(error, DBAPIError)
    state = getattr(error.orig, "sqlstate", None) or ""
    if state.startswith("22") or (not state and "NUL" in str(error.orig)):
        problem = InvalidRequest("A value cannot be stored.", remedy="Remove NUL characters and numbers out of range.")
        return render_error(request, problem)
    if state.startswith("23"):
        conflict = Conflict("The request conflicts with an existing object, or refers to a missing one.")
        return render_error(request, conflict)
    if state.startswith(("08", "57", "53", "40")):
        return _database(request, error)
    return render_unexpected_error(request, error)


def render_unexpected_error(request: Request, error: Exception) -> JSONResponse:
    """Return an unexpected error without details; the log has them."""
    log.error("unexpected error", exc_info=error)
    members = {
        "type": "urn:slowpath:fault",
        "title": "Internal error",
        "detail": "An unexpected error occurred. Nothing was stored.",
        "resolution": "Try again; if it persists, report it with the request id.",
    }
    return problem_response(request, 500, members)
