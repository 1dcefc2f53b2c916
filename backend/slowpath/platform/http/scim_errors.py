"""Errors of SCIM (RFC 7644, 3.12), which the paths below `/scim/` answer instead of problems."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi.responses import JSONResponse

SCIM_PREFIX: Final = "/scim/"
SCIM_MEDIA_TYPE: Final = "application/scim+json"
ERROR_URN: Final = "urn:ietf:params:scim:api:messages:2.0:Error"
ERROR_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "Error of SCIM (RFC 7644, 3.12)",
    "required": ["schemas", "status"],
    "properties": {
        "schemas": {"type": "array", "items": {"type": "string", "const": ERROR_URN}},
        "status": {"type": "string"},
        "scimType": {"type": "string"},
        "detail": {"type": "string"},
    },
}


class ScimResponse(JSONResponse):
    """A response in the format of SCIM."""

    media_type = SCIM_MEDIA_TYPE


def scim_status(status: int) -> int:
    """Return the status that SCIM has for an error: what others call unprocessable, it calls a bad request."""
    return 400 if status == 422 else status


def make_scim_error(status: int, members: Mapping[str, object], retry_after_s: int) -> ScimResponse:
    """Return a problem as an error of SCIM; its detail also states the limit and the remedy."""
    parts = [members.get("detail") or members.get("title"), _format_limit(members), members.get("resolution")]
    body: dict[str, object] = {"schemas": [ERROR_URN], "status": str(scim_status(status))}
    if keyword := members.get("scim_type") or ("invalidSyntax" if status == 422 else None):
        body["scimType"] = keyword
    body["detail"] = " ".join(str(part) for part in parts if part)
    headers = {}
    if status in {429, 503}:
        headers["Retry-After"] = str(retry_after_s)
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="SCIM"'
    return ScimResponse(body, status_code=scim_status(status), headers=headers)


def _format_limit(members: Mapping[str, object]) -> str:
    if members.get("limit") is None:
        return ""
    unit = f" {members['unit']}" if members.get("unit") else ""
    value = f", this has {members['value']:,}" if members.get("value") is not None else ""
    return f"The limit is {members['limit']:,}{unit}{value}."
