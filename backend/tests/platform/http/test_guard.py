"""Limits of a request before its caller is known."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import anyio
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from starlette.requests import Request
from starlette.types import Message

from slowpath.core.db_sessions import Database
from slowpath.core.errors import LimitExceeded, Unavailable
from slowpath.platform.http.anonymous_work import AnonymousWork, accept_credentials
from slowpath.platform.http.body_limits import DEFAULT, BodyLimits, body_limits_of
from slowpath.platform.http.bytes_in_flight import BytesInFlight
from slowpath.platform.http.problems import install_problems
from slowpath.platform.http.request_guard import BodyPace, RequestGuard
from tests.factories.accounts import AccountsFactory
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.endpoints import Endpoint, Schema, all_endpoints, schema_app

BYTES_PER_LETTER = 4
UNBOUNDED = {
    "oidc:callback": "codes of issuers are ASCII",
    "saml:callback": "responses are base64",
    "deployments:create": "250 commits whose texts are all of four-byte letters",
    "deployments:update": "250 commits whose texts are all of four-byte letters",
    "deployment-events:create": "the messages of other systems",
    "commits:record": "500 commits with 3,000 files each would be larger than one request may be",
    "reports:update": "200 blocks of 100,000 letters would be larger than one request may be",
    "reports:create-snapshot": "1,000 addresses of 64,000 letters would be larger than one request may be",
    "uploads:create": "flags of a CPU have no declared number",
    "artifacts:update": "flags of a CPU have no declared number",
    "compile-reports:create": "2,000 decisions whose texts are all of four-byte letters",
    "probes:record-compiler-decisions": "2,000 decisions whose texts are all of four-byte letters",
    "builds:record": "streamed",
    "spans:receive-otlp": "streamed",
    "webhooks:receive-github": "streamed",
    "webhooks:receive-gitlab": "streamed",
    "webhooks:receive-bitbucket": "streamed",
}
"""Routes whose description allows more than their limit, and why."""


@cache
def all_limits() -> BodyLimits:
    return body_limits_of(schema_app())


def largest(schema: Schema, components: Schema, depth: int = 0) -> float:  # noqa: PLR0911 - one line for each kind
    """Return the most bytes that a value of a schema may take as UTF-8."""
    if "$ref" in schema:
        return largest(components[schema["$ref"].rsplit("/", 1)[1]], components, depth + 1)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return max(largest(one, components, depth + 1) for one in schema[several])
    kind = schema.get("type")
    if "const" in schema or "enum" in schema or kind in {"integer", "number", "boolean", "null"}:
        return 40
    if kind == "array":
        return float(schema.get("maxItems", 100)) * (2 + largest(schema.get("items", {}), components, depth + 1))
    if kind == "object":
        free = 0.0 if schema.get("additionalProperties") in (None, False) else schema.get("maxProperties", 100) * 300.0
        return free + sum(
            len(name) + 6 + largest(one, components, depth + 1) for name, one in schema.get("properties", {}).items()
        )
    if schema.get("format") in {"uuid", "date-time", "date"}:
        return 48
    return 2 + BYTES_PER_LETTER * float(schema.get("maxLength", 100))


@pytest.mark.parametrize("endpoint", all_endpoints(), ids=lambda endpoint: endpoint.operation_id)
def test_the_limit_of_a_route_holds_what_its_description_allows(endpoint: Endpoint) -> None:
    content = endpoint.described.get("requestBody", {}).get("content", {})
    if "application/json" not in content or endpoint.operation_id in UNBOUNDED:
        return
    limit = all_limits().of(endpoint.method, re.sub(r"\{[^}]*\}", "x", endpoint.path))

    assert largest(content["application/json"]["schema"], endpoint.components) <= limit.size_bytes


def test_undeclared_bodies_are_limited_to_16_kib() -> None:
    assert all_limits().of("POST", "/api/v1/session") == DEFAULT
    assert DEFAULT.size_bytes == 16 * 1024


def request_of(address: str = "192.0.2.1", token: str = "") -> Request:
    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    scope = {"type": "http", "method": "GET", "path": "/api/v1/x", "headers": headers, "client": (address, 1)}
    return Request({**scope, "query_string": b"", "state": {}})


def test_an_address_has_an_allowance_that_refills() -> None:
    work = AnonymousWork(60)
    for _ in range(60):
        work.admit(request_of(), "192.0.2.1", 0.0)

    with pytest.raises(LimitExceeded) as refused:
        work.admit(request_of(), "192.0.2.1", 0.0)
    assert (refused.value.limit, refused.value.retry_after_s) == (60, 1)
    work.admit(request_of(), "192.0.2.2", 0.0)
    work.admit(request_of(), "192.0.2.1", 1.0)


def test_credentials_that_were_accepted_are_not_counted_and_made_up_ones_are() -> None:
    work = AnonymousWork(2)
    known = request_of(token="known")
    work.admit(known, "192.0.2.1", 0.0)
    accept_credentials(known)
    work.learn(known)
    made_up = request_of(token="made up")
    work.admit(made_up, "192.0.2.1", 0.0)
    work.learn(made_up)

    for _ in range(10):
        work.admit(request_of(token="known"), "192.0.2.1", 0.0)
    with pytest.raises(LimitExceeded):
        work.admit(request_of(token="made up"), "192.0.2.1", 0.0)


@pytest.mark.database
def test_unknown_callers_are_limited_and_members_of_the_same_address_are_not(
    emptied: TestDatabase, engine: Engine
) -> None:
    served = built(Database(engine), settings_for(emptied.app_url, anonymous_requests_per_minute=5))
    team = AccountsFactory(served).team()
    member, outsider = served.asked(cookie=team.owner.cookie), served.asked()
    assert member.get("/api/v1/services").status_code == 200

    answers = [outsider.get("/api/v1/session") for _ in range(8)]
    guessed = served.asked(token="slp_guessed").get("/api/v1/services")

    assert [answer.status_code for answer in answers] == [401] * 4 + [429] * 4
    assert guessed.status_code == 429
    assert answers[-1].json()["type"] == "urn:slowpath:too-many-anonymous"
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert member.get("/api/v1/services").status_code == 200
    assert outsider.get("/healthz").status_code == 200


def test_bytes_in_flight_are_bounded_by_sender_and_in_all() -> None:
    flight = BytesInFlight(total_bytes=100, sender_bytes=60)
    with flight.held_by("a") as one, flight.held_by("b") as other:
        one.add(60)
        with pytest.raises(Unavailable):
            one.add(1)
        other.add(40)
        with pytest.raises(Unavailable):
            other.add(1)
    with flight.held_by("c") as again:
        again.add(60)


def guarded(app: FastAPI, **options: Any) -> TestClient:  # noqa: ANN401 - what a guard takes
    guard = RequestGuard(
        app,
        streamed=re.compile(r"PUT /streamed"),
        limits=body_limits_of(app),
        anonymous=AnonymousWork(0),
        in_flight=options.pop("in_flight", BytesInFlight()),
        **options,
    )
    return TestClient(guard, raise_server_exceptions=False)


@pytest.fixture
def app() -> FastAPI:
    app = FastAPI()
    install_problems(app)

    @app.post("/taken")
    async def taken(request: Request) -> int:
        return len(await request.body())

    return app


def test_an_overloaded_server_sends_retry_after(app: FastAPI) -> None:
    def pieces() -> Iterator[bytes]:
        yield from [b"x" * 600] * 3

    full = guarded(app, in_flight=BytesInFlight(total_bytes=1000)).post("/taken", content=pieces())
    greedy = guarded(app, in_flight=BytesInFlight(sender_bytes=1000)).post("/taken", content=pieces())
    served = guarded(app).post("/taken", content=pieces())

    assert (full.status_code, greedy.status_code, served.json()) == (503, 503, 1800)
    assert full.headers["retry-after"]
    assert greedy.headers["retry-after"]


@pytest.mark.parametrize("path", ["/taken", "/streamed"])
def test_a_slowly_sent_body_gets_408(app: FastAPI, path: str) -> None:
    @app.put("/streamed")
    async def streamed(request: Request) -> int:
        return sum([len(chunk) async for chunk in request.stream()])

    pace = BodyPace(pause_seconds=0.2, grace_seconds=0.3, bytes_per_second=1000)
    guard = RequestGuard(
        app,
        streamed=re.compile(r"PUT /streamed"),
        limits=body_limits_of(app),
        anonymous=AnonymousWork(0),
        in_flight=BytesInFlight(),
        pace=pace,
    )
    sent: list[Message] = []

    async def trickle() -> Message:
        await anyio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def note(message: Message) -> None:
        sent.append(message)

    method = "PUT" if path == "/streamed" else "POST"
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": [(b"transfer-encoding", b"chunked")], "client": ("192.0.2.1", 1), "http_version": "1.1"}

    async def ask() -> None:
        with anyio.fail_after(5):
            await guard(scope, trickle, note)

    anyio.run(ask)

    assert sent[0]["status"] == 408
