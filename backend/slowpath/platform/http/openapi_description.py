"""The parts of the OpenAPI description that all operations share: the problems that any of them may return.

An endpoint documents its own problems (`http.problems.document_problems`); authentication, validation and availability
errors can occur everywhere.
"""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from slowpath.platform.http.problems import PROBLEM_SCHEMA
from slowpath.platform.http.scim_errors import ERROR_SCHEMA, SCIM_MEDIA_TYPE, SCIM_PREFIX, scim_status

PREFIXES = ("/api/", "/v1/", SCIM_PREFIX)
"""The API's servers: its own paths, those that OpenTelemetry exporters append to a host, and SCIM."""
ALIKE = {
    400: "The body is not valid JSON",
    401: "Not authenticated",
    403: "Permission denied",
    404: "Not found",
    409: "Conflict with the current state",
    413: "Too large",
    422: "Refused",
    429: "Rate limit of the token or its team exceeded",
    503: "Temporarily unavailable",
}
LEFTOVERS = ("HTTPValidationError", "ValidationError")
"""FastAPI's response to an invalid request, which our problems replace."""
OCTETS = "application/octet-stream"
BINARY = {"type": "string", "format": "binary"}
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {OCTETS: {"schema": BINARY}}}}
"""`responses` of an endpoint that returns a file."""


def document_columns(header: Any) -> dict[int | str, dict[str, Any]]:  # noqa: ANN401 - a class or a union of classes
    """Return the `responses` of an endpoint that returns a column file, of which `header` is the type of the header."""
    return {
        200: {"description": "A column file (slowcol), gzip", "model": header, "content": {OCTETS: {"schema": BINARY}}}
    }


def install_openapi(app: FastAPI) -> None:
    """Complete the app's description at the first request."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            _complete(plain())
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to extend it


def _complete(description: dict[str, Any]) -> None:
    for path, operations in description["paths"].items():
        if path.startswith(PREFIXES):
            for method, operation in operations.items():
                if found := operation["responses"].get("200"):
                    _describe_header(found.get("content", {}), description["components"]["schemas"])
                for status in _possible(method, operation):
                    _may_answer(operation["responses"], status, is_scim=path.startswith(SCIM_PREFIX))
                operation["responses"] = dict(sorted(operation["responses"].items()))
    for name in LEFTOVERS:
        description["components"]["schemas"].pop(name, None)


def _describe_header(content: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Describe the model of a column file, which FastAPI describes as a response in JSON, as its header (`x-header`).

    A header has all members, also those with a default.
    """
    if OCTETS in content and "application/json" in content:
        header = content[OCTETS]["x-header"] = content.pop("application/json")["schema"]
        for each in header.get("anyOf", [header]):
            schema = schemas[each["$ref"].rpartition("/")[2]]
            schema["required"] = list(schema["properties"])


def _possible(method: str, operation: dict[str, Any]) -> Iterator[int]:
    yield from (422, 503)
    if "security" in operation:
        yield from (401, 403, 404, 429)
    if method != "get":
        yield 409
    if "requestBody" in operation:
        yield 413
        if {"application/json", SCIM_MEDIA_TYPE} & set(operation["requestBody"]["content"]):
            yield 400


def _may_answer(responses: dict[str, Any], status: int, *, is_scim: bool) -> None:
    if is_scim:
        responses.pop(str(status), None)  # FastAPI's 422, which is a 400 here
        described = {"description": ALIKE[status], "content": {SCIM_MEDIA_TYPE: {"schema": ERROR_SCHEMA}}}
        responses.setdefault(str(scim_status(status)), described)
        return
    response = responses.setdefault(str(status), {"description": ALIKE[status]})
    response["content"] = {"application/problem+json": {"schema": PROBLEM_SCHEMA}}
    if response["description"] == "Validation Error":
        response["description"] = ALIKE[status]
