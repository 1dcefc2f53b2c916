"""Every failure is reported as a problem, with its numbers and a remedy, and never with internals."""

import json
from collections.abc import Callable, Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import TypeAdapter
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session
from starlette.routing import BaseRoute

from slowpath.core.db_sessions import Database
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
from slowpath.platform.http.problems import STATUS_OF, Problem, StoredProblem, document_problems, status_of
from tests.factories.accounts import SomePerson
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

BASES = [
    (NotAuthenticated, 401),
    (PermissionDenied, 403),
    (NotFound, 404),
    (Conflict, 409),
    (Gone, 410),
    (TooSlow, 408),
    (TooLarge, 413),
    (InvalidRequest, 422),
    (LimitExceeded, 429),
    (Unavailable, 503),
]


def raising(app: AppUnderTest, error: Exception) -> TestClient:
    def endpoint() -> None:
        raise error

    # Before the page that takes every address.
    app.app.router.routes.insert(0, _route(endpoint))
    return app.asked()


def _route(endpoint: Callable[[], None]) -> BaseRoute:
    app = FastAPI()
    app.add_api_route("/raised", endpoint)
    return app.router.routes[-1]


@pytest.mark.database
@pytest.mark.parametrize(("base", "status"), BASES)
def test_each_error_base_has_its_status_and_fields(app: AppUnderTest, base: type[SlowpathError], status: int) -> None:
    error = base("It went wrong.", limit=10, actual=12, unit="bytes", remedy="Do it otherwise.", slug="so-wrong")

    answer = raising(app, error).get("/raised")

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:slowpath:so-wrong",
        "title": base.title,
        "status": status,
        "detail": "It went wrong.",
        "limit": 10,
        "value": 12,
        "unit": "bytes",
        "resolution": "Do it otherwise.",
        "request_id": answer.headers["x-request-id"],
    }
    assert ("retry-after" in answer.headers) == (status in {429, 503})


def test_every_base_is_in_the_table() -> None:
    def below(error: type[SlowpathError]) -> Iterator[type[SlowpathError]]:
        yield from error.__subclasses__()
        for sub in error.__subclasses__():
            yield from below(sub)

    assert {base for base, _ in BASES} == set(STATUS_OF)
    assert all(status_of(error) for error in below(SlowpathError) if error.__module__.startswith("slowpath."))


def test_a_stored_problem_without_members_can_be_returned() -> None:
    """Rows of former releases do not have all of them."""
    stored = TypeAdapter[Problem | None](StoredProblem)

    problem = stored.validate_python({"detail": "mono has no commit."})

    assert problem is not None
    assert (problem.type, problem.status, problem.detail) == ("about:blank", 422, "mono has no commit.")
    assert stored.validate_python({}) is None


def test_problems_of_one_status_are_documented_together() -> None:
    class Other(NotFound):
        title = "Not there either"

    described = document_problems(NotFound, Other)

    assert described[404]["description"] == "Not found; Not there either"


@pytest.mark.database
def test_an_internal_error_reveals_no_details_and_has_its_headers(app: AppUnderTest) -> None:
    answer = raising(app, KeyError("the secret of the database")).get("/raised")

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret of the database" not in answer.text
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "script-src 'self'" in answer.headers["content-security-policy"]


@pytest.mark.database
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_an_unknown_address_of_the_api_is_a_problem(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/v1/nothing/here")

    assert answer.status_code in {404, 405}
    assert answer.json()["status"] == answer.status_code


@pytest.mark.database
@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/api/v1/artifacts", None),
        ("GET", "/api/v1/comparisons/3f0e6bd5-5a4b-4c43-9c0b-0c9c3c5be3a1/swap", "POST"),
        ("GET", "/api/v1/sign-up", "POST"),
        ("TRACE", "/api/v1/jobs", None),
    ],
)
def test_an_unknown_method_is_reported_as_other(
    client: TestClient, method: str, path: str, allowed: str | None
) -> None:
    answer = client.request(method, path)

    assert answer.status_code == 405
    assert answer.headers["allow"] == (allowed or answer.headers["allow"])
    assert answer.json()["type"] == "urn:slowpath:http-405"


@pytest.mark.database
def test_all_methods_of_a_path_are_listed(client: TestClient) -> None:
    answer = client.head("/api/v1/reports/3f0e6bd5-5a4b-4c43-9c0b-0c9c3c5be3a1")

    assert answer.status_code == 405
    assert answer.headers["allow"] == "DELETE, GET, PATCH"


@pytest.mark.database
def test_a_nul_in_a_text_is_refused_where_the_database_finds_it(client: TestClient) -> None:
    answer = client.get("/api/v1/artifacts", params={"name": "a\x00b"})

    assert answer.status_code == 422
    assert "NUL" in answer.json()["resolution"]


@pytest.mark.database
def test_half_a_surrogate_pair_is_refused_at_every_place(client: TestClient) -> None:
    body = json.dumps({"name": "x", "\ud800": 1}).encode()

    answer = client.post("/api/v1/services", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422
    assert answer.json()["fields"]


@pytest.mark.database
def test_many_wrong_fields_are_summarized(client: TestClient) -> None:
    body = {
        "name": "x",
        **{f"{number}" + "y" * 1000: 1 for number in range(10)},
        **{f"{number}": 1 for number in range(300)},
    }

    answer = client.post("/api/v1/services", json=body)

    assert answer.status_code == 422
    assert len(answer.content) < 40_000


@pytest.mark.database
def test_form_errors_are_readable(client: TestClient) -> None:
    sent = {"email": "ann@example.com", "name": "a\u202eb", "password": "correct horse"}
    answer = client.post("/api/v1/sign-up", json=sent).json()
    assert answer["detail"].startswith("name: ")
    assert "Value error" not in json.dumps(answer)
    assert answer["fields"][0]["at"] == "body.name"


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"\xff\xfe", b'{"name": NaN}', b"null", b'"x"', b"1e999"])
def test_json_that_cannot_be_read_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/v1/services", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code in {400, 413, 422}
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.database
def test_a_body_that_is_read_whole_has_a_bound_declared_or_not(client: TestClient) -> None:
    def streamed() -> Iterator[bytes]:
        yield from (b" " * (1 << 20) for _ in range(5))

    declared = client.post("/api/v1/services", content=b" " * (5 << 20))
    counted = client.post("/api/v1/services", content=streamed(), headers={"Content-Type": "application/json"})

    for answer in (declared, counted):
        assert answer.status_code == 413
        body = answer.json()
        assert (body["limit"], body["unit"]) == (16 << 10, "bytes")
        assert body["value"] > body["limit"]
        assert "parts" in body["resolution"]


@pytest.mark.database
def test_an_exhausted_connection_pool_is_reported_as_unavailable(emptied: TestDatabase, asker: SomePerson) -> None:
    url = emptied.app_url.replace("postgresql://", "postgresql+psycopg://")
    engine = create_engine(url, pool_size=1, max_overflow=0, pool_timeout=0.05)
    app = built(Database(engine), settings_for(emptied.app_url))
    with engine.connect():
        answer = app.asked(cookie=asker.cookie).get("/api/v1/services")
    engine.dispose()

    assert answer.status_code == 503
    assert answer.headers["retry-after"]


@pytest.mark.database
def test_an_unreachable_database_is_reported_as_unavailable(asker: SomePerson) -> None:
    nowhere = "postgresql://slowpath_app:x@127.0.0.1:1/slowpath"
    engine = create_engine(nowhere.replace("postgresql://", "postgresql+psycopg://"))
    app = built(Database(engine), settings_for(nowhere))

    answer = app.asked(cookie=asker.cookie).get("/api/v1/services")
    ready, metrics = app.asked().get("/readyz"), app.asked().get("/metrics")
    engine.dispose()

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:slowpath:unavailable"
    assert ready.status_code == 503
    assert ready.json()["parts"] == {"database": "does not respond", "blobs": "ok"}
    assert metrics.status_code == 200, "what is known is stated all the same"


@pytest.mark.database
def test_a_unique_violation_is_a_conflict(app: AppUnderTest, client: TestClient) -> None:
    with Session(app.database.engine) as session:

        def endpoint() -> None:
            session.execute(text("SELECT 1 / 0"))

        def colliding() -> None:
            session.execute(text("INSERT INTO team (id) SELECT NULL"))

        for path, made in (("/divided", endpoint), ("/collided", colliding)):
            extra = FastAPI()
            extra.add_api_route(path, made)
            app.app.router.routes.insert(0, extra.router.routes[-1])

        divided = client.get("/divided")
        session.rollback()
        collided = client.get("/collided")

    assert divided.status_code == 422
    assert collided.status_code in {409, 500}
