"""Services, environments and builds over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import Role
from tests.support.statements import Statements

pytestmark = pytest.mark.database

MANY = 10


def made(client: TestClient, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    answer = client.post(f"/api/v1/{kind}", json=fields)
    assert answer.status_code in {200, 201}, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def service(client: TestClient) -> dict[str, Any]:
    return made(client, "services", name="Ingester")


@pytest.mark.parametrize("kind", ["services", "environments"])
def test_a_name_gives_an_address_that_stays(client: TestClient, kind: str) -> None:
    row = made(client, kind, name="  Time Series ")

    changed = client.patch(f"/api/v1/{kind}/{row['id']}", json={"name": "Renamed"}).json()

    assert (row["name"], row["slug"]) == ("Time Series", "time-series")
    assert (changed["name"], changed["slug"]) == ("Renamed", "time-series")
    assert [each["name"] for each in client.get(f"/api/v1/{kind}").json()["items"]] == ["Renamed"]


@pytest.mark.parametrize("kind", ["services", "environments"])
def test_a_taken_name_is_reported(client: TestClient, kind: str) -> None:
    made(client, kind, name="Ingester")

    answer = client.post(f"/api/v1/{kind}", json={"name": "INGESTER!"})

    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:slowpath:name-taken"


@pytest.mark.parametrize("kind", ["services", "environments"])
@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("日本", "not-a-slug"),
        ("", "not-understood"),
        ("   ", "not-understood"),
        ("a\x00b", "not-understood"),
        ("a\nb", "not-understood"),
        ("x" * 101, "not-understood"),
        (7, "not-understood"),
    ],
)
def test_an_unusable_name_is_reported(client: TestClient, kind: str, name: object, slug: str) -> None:
    answer = client.post(f"/api/v1/{kind}", json={"name": name})

    assert answer.status_code == 422
    assert answer.json()["type"] == f"urn:slowpath:{slug}"


@pytest.mark.parametrize("kind", ["services", "environments"])
def test_a_name_may_be_hostile_text(client: TestClient, kind: str) -> None:
    name = "<img src=x onerror=alert(1)> =cmd() \u202e"

    assert made(client, kind, name=name)["name"] == name.strip()


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("services", "GET"),
        ("services", "PATCH"),
        ("services", "DELETE"),
        ("environments", "PATCH"),
        ("environments", "DELETE"),
        ("builds", "GET"),
        ("builds", "PATCH"),
        ("builds", "DELETE"),
    ],
)
def test_missing_objects_are_not_found(client: TestClient, kind: str, method: str) -> None:
    body = {"name": "x"} if kind != "builds" else {"display_name": "x"}
    answer = client.request(method, f"/api/v1/{kind}/{uuid4()}", json=body if method == "PATCH" else None)

    assert answer.status_code == 404
    assert answer.json()["type"] == f"urn:slowpath:{kind.removesuffix('s')}-not-found"


def test_service_metadata_can_be_removed(client: TestClient, service: dict[str, Any]) -> None:
    address = f"/api/v1/services/{service['id']}"
    client.patch(address, json={"main_package": "example.com/cmd/ingester", "description": "Takes samples in."})

    body = client.patch(address, json={"main_package": None}).json()

    assert (body["main_package"], body["description"]) == (None, "Takes samples in.")
    assert client.get(address).json() == body


def test_a_build_is_found_by_its_identity(client: TestClient, service: dict[str, Any]) -> None:
    identity = {"service_id": service["id"], "commit": "abc123", "go_version": "go1.26.8", "goos": "linux"}

    first = client.post("/api/v1/builds", json={**identity, "branch": "main"})
    again = client.post("/api/v1/builds", json={**identity, "display_name": "release"})
    other_go = client.post("/api/v1/builds", json={**identity, "go_version": "go1.27"})

    assert (first.status_code, again.status_code, other_go.status_code) == (201, 200, 201)
    assert first.json()["id"] == again.json()["id"] != other_go.json()["id"]
    assert (again.json()["branch"], again.json()["display_name"]) == ("main", "release")


def test_a_build_posted_by_many_at_once_is_one(client: TestClient, service: dict[str, Any]) -> None:
    body = {"service_id": service["id"], "commit": "abc123"}

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: client.post("/api/v1/builds", json=body), range(8)))

    assert {answer.status_code for answer in answers} <= {200, 201}
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_a_build_of_no_service_is_refused(client: TestClient) -> None:
    answer = client.post("/api/v1/builds", json={"service_id": str(uuid4()), "commit": "abc"})

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:service-not-found"


@pytest.mark.parametrize(
    "fields",
    [
        {"commit": ""},
        {"commit": "a\x00b"},
        {"commit": "x" * 201},
        {"ci_url": "javascript:alert(1)"},
        {"ci_url": "https://" + "x" * 3000},
        {"committed_at": "0001-01-01T00:00:00+10:00"},
        {"committed_at": "9999-12-31T23:59:59-10:00"},
        {"committed_at": 1e300},
        {"dependencies": {str(number): "v1" for number in range(5001)}},
        {"dependencies": {"a\x00": "v1"}},
        {"unknown": 1},
    ],
)
def test_invalid_build_metadata_is_rejected(
    client: TestClient, service: dict[str, Any], fields: dict[str, object]
) -> None:
    answer = client.post("/api/v1/builds", json={"service_id": service["id"], "commit": "abc", **fields})

    assert answer.status_code == 422, answer.text
    assert client.get("/api/v1/builds").json()["items"] == []


def test_a_time_without_a_zone_is_in_utc(client: TestClient, service: dict[str, Any]) -> None:
    row = made(client, "builds", service_id=service["id"], commit="abc", committed_at="2026-11-21T10:00:00")

    assert client.get(f"/api/v1/builds/{row['id']}").json()["committed_at"] == "2026-11-21T10:00:00Z"


def test_builds_can_be_found(client: TestClient, service: dict[str, Any]) -> None:
    other = made(client, "services", name="Querier")
    one = made(client, "builds", service_id=service["id"], commit="abc%1", display_name="Release_1")
    two = made(client, "builds", service_id=other["id"], commit="abd", ci_url="https://ci.example.com/1")

    def ids(**params: str) -> set[str]:
        return {each["id"] for each in client.get("/api/v1/builds", params=params).json()["items"]}

    assert ids() == {one["id"], two["id"]}
    assert ids(service_id=service["id"]) == {one["id"]}
    assert ids(search="ab") == {one["id"], two["id"]}
    assert ids(search="abc%") == {one["id"]}
    assert ids(search="b%") == set()
    assert ids(search="release_") == {one["id"]}


def test_build_metadata_can_be_changed_but_not_its_identity(client: TestClient, service: dict[str, Any]) -> None:
    row = made(client, "builds", service_id=service["id"], commit="abc", branch="main")
    address = f"/api/v1/builds/{row['id']}"

    body = client.patch(address, json={"branch": None, "ci_url": "https://ci.example.com/7"}).json()

    assert (body["branch"], body["ci_url"], body["commit"]) == (None, "https://ci.example.com/7", "abc")
    assert client.patch(address, json={"commit": "other"}).status_code == 422


def test_deleting_a_service_takes_its_builds(client: TestClient, service: dict[str, Any]) -> None:
    row = made(client, "builds", service_id=service["id"], commit="abc")

    assert client.delete(f"/api/v1/services/{service['id']}").status_code == 204

    assert client.get(f"/api/v1/builds/{row['id']}").status_code == 404


def test_an_environment_and_a_build_can_be_deleted(client: TestClient, service: dict[str, Any]) -> None:
    environment = made(client, "environments", name="ci")
    build = made(client, "builds", service_id=service["id"], commit="abc")

    assert client.delete(f"/api/v1/environments/{environment['id']}").status_code == 204
    assert client.delete(f"/api/v1/builds/{build['id']}").status_code == 204
    assert client.get("/api/v1/environments").json()["items"] == client.get("/api/v1/builds").json()["items"] == []


@pytest.mark.asked_by("member")
def test_a_member_posts_builds_but_names_no_services(client: TestClient, role: Role) -> None:
    answer = client.post("/api/v1/services", json={"name": "x"})

    assert answer.status_code == 403


@pytest.mark.parametrize("kind", ["services", "environments"])
def test_a_long_list_asks_no_more_of_the_database(client: TestClient, kind: str, queries: Statements) -> None:
    made(client, kind, name="first")
    client.get(f"/api/v1/{kind}")
    with queries.during() as few:
        client.get(f"/api/v1/{kind}")
    for number in range(MANY):
        made(client, kind, name=f"n{number}")
    with queries.during() as many:
        assert len(client.get(f"/api/v1/{kind}").json()["items"]) > MANY

    assert len(many) == len(few) <= 3
