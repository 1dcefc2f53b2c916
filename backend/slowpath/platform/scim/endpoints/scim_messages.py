"""Requests and responses of SCIM: parsed by `scim2-models`, with its errors as ours."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Final

from fastapi import Body, Depends, Query, Request
from pydantic import JsonValue, ValidationError
from scim2_models import (
    Context,
    Error,
    ListResponse,
    PatchOp,
    Resource,
    ResponseParameters,
    SCIMException,
    ScimFilter,
)
from scim2_models.path import AttrPath, Comparison

from slowpath.platform.http.body_limits import KIB
from slowpath.platform.http.request_dependencies import settings
from slowpath.platform.http.scim_errors import SCIM_MEDIA_TYPE, ScimResponse
from slowpath.platform.scim.errors import ScimRequestRejected
from slowpath.platform.scim.rules import (
    MAX_FILTER,
    MAX_MEMBERS,
    MAX_OPERATIONS,
    MAX_RESULTS,
    FilterAttribute,
    UserFilter,
)
from slowpath.platform.scim.schemas import PROVIDER, UserResource

Sent = Annotated[dict[str, JsonValue], Body(media_type=SCIM_MEDIA_TYPE)]
"""A resource or message, before it is validated against its schema."""
FilterQuery = Annotated[str | None, Query(alias="filter", max_length=MAX_FILTER)]
StartIndex = Annotated[int, Query(alias="startIndex")]
Count = Annotated[int | None, Query(description=f"{MAX_RESULTS} at most")]
Attributes = Annotated[str | None, Query(max_length=1_000)]
ExcludedAttributes = Annotated[str | None, Query(alias="excludedAttributes", max_length=1_000)]

USER_BODY_BYTES: Final = 64 * KIB
GROUP_BODY_BYTES: Final = 1024 * KIB
GROUP_BODY_MEMBERS: Final = 5 * MAX_MEMBERS
"""A member of a group in a body is an object with up to four values."""


def document_scim(status: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of an endpoint that succeeds with a status; `openapi_description` adds its errors."""
    schema = {"type": "object", "description": "Resource or message of SCIM (RFC 7643, RFC 7644)"}
    return {status: {"description": "Success", "content": {SCIM_MEDIA_TYPE: {"schema": schema}}}}


@contextmanager
def scim_errors() -> Iterator[None]:
    """Raise `ScimRequestRejected` for what `scim2-models` rejects, under the tolerance of this service."""
    try:
        with PROVIDER:
            yield
    except ValidationError as error:
        first = Error.from_validation_error(error.errors(include_url=False, include_input=False)[0])
        raise ScimRequestRejected((first.detail or "The value is invalid.")[:300], scim_type=first.scim_type) from error
    except SCIMException as error:
        found = error.to_error()
        raise ScimRequestRejected((found.detail or str(error))[:300], scim_type=found.scim_type) from error


def read_home(request: Request) -> str:
    """Return the public address of the server, without a slash at its end."""
    return settings(request).public_url.rstrip("/")


Home = Annotated[str, Depends(read_home)]


def read_user(sent: Mapping[str, JsonValue], context: Context) -> UserResource:
    """Return the user of a body. Raises `ScimRequestRejected`."""
    with scim_errors():
        return UserResource.model_validate(dict(sent), scim_ctx=context)


def apply_patch(
    model: type[Resource[Any]],
    resource: Resource[Any],
    sent: Mapping[str, JsonValue],
    *,
    most_operations: int = MAX_OPERATIONS,
) -> None:
    """Apply the operations of a body to a resource. Raises `ScimRequestRejected`."""
    operations = next((value for name, value in sent.items() if name.lower() == "operations"), None)
    if isinstance(operations, list) and len(operations) > most_operations:
        raise ScimRequestRejected(
            f"The message has {len(operations):,} operations; the limit is {most_operations}.",
            scim_type="tooMany",
            remedy="Send several messages, or several members in one operation.",
        )
    with scim_errors():
        message = PatchOp[model].model_validate(dict(sent), scim_ctx=Context.RESOURCE_PATCH_REQUEST)  # type: ignore[valid-type]
        message.patch(resource)


def parse_user_filter(text: str | None) -> UserFilter | None:
    """Return a filter of users. Raises `ScimRequestRejected` for one that is not `attribute eq "value"`."""
    if not text:
        return None
    with scim_errors():
        parsed = ScimFilter[UserResource](text).ast
    names = {attribute.lower(): attribute for attribute in FilterAttribute} | {"emails": FilterAttribute.EMAIL}
    if isinstance(parsed, Comparison) and parsed.op == "eq" and isinstance(parsed.value, str):
        attribute = names.get(_name_of(parsed.attr_path))
        if attribute is not None and "\0" not in parsed.value:
            return UserFilter(attribute, parsed.value)
    raise ScimRequestRejected(
        f'Users are filtered by one comparison, such as userName eq "ann@example.com", of {", ".join(FilterAttribute)}.',
        scim_type="invalidFilter",
    )


def _name_of(path: AttrPath) -> str:
    return f"{path.attr}.{path.sub_attr}".lower() if path.sub_attr else str(path.attr).lower()


def read_parameters(
    model: type[Resource[Any]], attributes: str | None, excluded: str | None
) -> ResponseParameters[Any]:
    """Return which attributes a response has. Raises `ScimRequestRejected`."""
    given = {"attributes": attributes, "excludedAttributes": excluded}
    with scim_errors():
        return ResponseParameters[model].model_validate(  # type: ignore[valid-type]
            {name: value for name, value in given.items() if value}, scim_ctx=None
        )


def answer(
    resource: Resource[Any],
    context: Context = Context.RESOURCE_QUERY_RESPONSE,
    *,
    parameters: ResponseParameters[Any] | None = None,
    status: int = 200,
) -> ScimResponse:
    """Return a resource as a response."""
    body = resource.model_dump(scim_ctx=context, scim_provider=PROVIDER, response_parameters=parameters)
    headers = {}
    if status == 201 and resource.meta is not None and resource.meta.location is not None:
        headers["Location"] = str(resource.meta.location)
    return ScimResponse(body, status_code=status, headers=headers)


def answer_list(
    model: type[Resource[Any]],
    resources: Sequence[Resource[Any]],
    *,
    total: int,
    start_index: int = 1,
    parameters: ResponseParameters[Any] | None = None,
) -> ScimResponse:
    """Return a page of resources as a response."""
    message = ListResponse[model](  # type: ignore[valid-type]
        total_results=total, start_index=max(start_index, 1), items_per_page=len(resources), resources=list(resources)
    )
    body = message.model_dump(
        scim_ctx=Context.RESOURCE_QUERY_RESPONSE, scim_provider=PROVIDER, response_parameters=parameters
    )
    return ScimResponse({**body, "Resources": body.get("Resources", [])})
