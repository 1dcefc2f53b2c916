"""All endpoints of the app with the right each declares, and a request for each, made up from its description."""

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID, uuid4

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from slowpath.app import build_schema_app
from slowpath.platform.accounts.access import CrossSiteAccess, PublicAccess, TeamAccess, UserAccess
from slowpath.platform.accounts.rules.roles import Permission
from slowpath.platform.http.openapi_description import PREFIXES

Schema = Mapping[str, Any]
Ids = Mapping[str, UUID]
"""Values for a name like `artifact_id` in paths, queries and bodies."""


@dataclass(frozen=True)
class Endpoint:
    """An operation of the API."""

    operation_id: str
    method: str
    path: str
    rights: tuple[Permission, ...]
    """What its dependencies declare: exactly one, or something is wrong."""
    described: Mapping[str, Any] = field(repr=False)
    components: Mapping[str, Any] = field(repr=False)

    @property
    def right(self) -> Permission:
        assert len(self.rights) == 1, f"{self.operation_id} must declare one right, not {list(self.rights)}"
        return self.rights[0]

    @property
    def streams(self) -> bool:
        """Tell whether its answer does not end by itself."""
        return any("text/event-stream" in answer.get("content", {}) for answer in self.described["responses"].values())

    @property
    def object_names(self) -> set[str]:
        """The path's ids but the team's."""
        return {
            given["name"]
            for given in self.described.get("parameters", [])
            if given["in"] == "path" and given["schema"].get("format") == "uuid" and given["name"] != "team_id"
        }

    def ask(self, client: TestClient, ids: Ids) -> "EndpointRequest":
        """Send a request that the description calls well formed, naming these ids wherever it can."""
        names: set[str] = set()
        path, query, headers = self.path, {}, {}
        for given in self.described.get("parameters", []):
            name = given["name"]
            value = _made_up(given["schema"], self.components, ids, name, set())
            if given["in"] == "path":
                path = path.replace(f"{{{name}}}", str(value))
            elif given["in"] == "query" and (given.get("required") or name in ids):
                query[name] = value
        body: dict[str, Any] = {}
        content = self.described.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            body["json"] = _made_up(content["application/json"]["schema"], self.components, ids, "", names)
        elif "multipart/form-data" in content:
            body["files"] = {"file": ("some.pprof", b"no profile")}
        elif content:
            body["content"] = b"no profile"
            headers["Content-Type"] = "application/octet-stream"
        answer = client.request(self.method, path, params=query, headers=headers, **body)
        return EndpointRequest(
            self, answer.status_code, answer.content + repr(answer.headers.raw).encode(), frozenset(names)
        )


@dataclass(frozen=True)
class EndpointRequest:
    """What came back, and which ids were named by the body."""

    endpoint: Endpoint
    status: int
    content: bytes = field(repr=False)
    names: frozenset[str]


@cache
def schema_app() -> FastAPI:
    """Return the app without implementations; describing it takes seconds, so each process does it once."""
    return build_schema_app()


@cache
def all_endpoints() -> tuple[Endpoint, ...]:
    """Return all operations below /api, those of OpenTelemetry below /v1, and SCIM."""
    return tuple(_endpoints_of(schema_app()))


def _endpoints_of(app: FastAPI) -> Iterator[Endpoint]:
    description = app.openapi()
    components = description.get("components", {}).get("schemas", {})
    for context in iter_route_contexts(app.routes):
        path = getattr(context, "path_format", "") or ""
        if not path.startswith(PREFIXES) or not getattr(context, "include_in_schema", False):
            continue
        for method in sorted(context.methods or ()):
            described = description["paths"][path][method.lower()]
            rights = tuple(set(_rights(context.dependant)))  # a dependency of a dependency may say it again
            yield Endpoint(described["operationId"], method, path, rights, described, components)


def _rights(dependant: Dependant) -> Iterator[Permission]:
    for dependency in dependant.dependencies:
        if isinstance(dependency.call, TeamAccess | UserAccess | PublicAccess | CrossSiteAccess):
            yield dependency.call.right
        yield from _rights(dependency)


def _made_up(schema: Schema, components: Schema, ids: Ids, name: str, names: set[str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value that fits a schema, and note the names of ids that went into it."""
    while members := [schema] if "$ref" in schema else schema.get("anyOf", schema.get("oneOf")):
        schema = members[0]
        schema = components[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        expected, needed = schema.get("properties", {}), set(schema.get("required", ()))
        needed |= {key for key in expected if key in ids or key.removesuffix("s") in ids}
        return {key: _made_up(value, components, ids, key, names) for key, value in expected.items() if key in needed}
    if schema.get("type") == "array":
        count, item = max(1, schema.get("minItems", 1)), name.removesuffix("s")
        return [_made_up(schema.get("items", {}), components, ids, item, names) for _ in range(count)]
    plain = {"integer": max(1, schema.get("minimum", 1)), "number": 1.0, "boolean": False}
    kind = schema.get("type")
    return plain[kind] if kind in plain else _text(schema, ids, name, names)


def _text(schema: Schema, ids: Ids, name: str, names: set[str]) -> str:
    if schema.get("format") == "uuid":
        names.add(name)
        return str(ids.get(name, uuid4()))
    if schema.get("format") == "date-time":
        return "2026-11-21T11:00:00Z"
    if schema.get("format") == "email":
        return f"asked{uuid4().hex[:8]}@example.com"
    if "0-9a-f" in schema.get("pattern", "").lower():
        return 40 * "c"  # as the commit in SHAPES
    length = max(schema.get("minLength", 1), 5)
    return ("asked" + string.ascii_lowercase * 10)[:length]
