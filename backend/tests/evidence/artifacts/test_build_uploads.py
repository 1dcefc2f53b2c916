"""What CI sends by the name of a service and a commit: files by `curl -T` alone, facts as JSON or in a form, once."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.core.db_sessions import TeamScope
from slowpath.core.jobs import JobRow
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

COMMIT = "4f2c9e1d0b7a4f2c9e1d0b7a4f2c9e1d0b7a4f2c"
HERE = f"/api/v1/builds/Ingester/{COMMIT}"


@pytest.fixture
def ci(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    """Give a program that may upload and nothing else."""
    return app.asked(token=people.token(team, TokenScope.UPLOAD).secret)


def builds(client: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/v1/builds").json()["items"]
    return found


def body_of(answer: httpx2.Response, status: int = 201) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


# --- files alone


@pytest.mark.parametrize(
    ("address", "name"), [("artifacts/cpu.pprof", "cpu.pprof"), ("artifacts", "Ingester 4f2c9e1d0b7a")]
)
def test_a_file_is_enough_to_make_service_and_build(
    ci: TestClient, client: TestClient, address: str, name: str
) -> None:
    artifact = body_of(ci.put(f"{HERE}/{address}", content=b"bytes"))

    [build] = builds(client)
    [service] = client.get("/api/v1/services").json()["items"]
    assert artifact["name"].startswith(name)
    assert (artifact["build_id"], artifact["state"]) == (build["id"], "received")
    assert (build["commit"], build["service_id"], service["slug"]) == (COMMIT, service["id"], "ingester")


def test_the_next_file_joins_the_build(ci: TestClient, client: TestClient) -> None:
    first = body_of(ci.put(f"{HERE}/artifacts/a", content=b"1"))
    second = body_of(ci.put(f"/api/v1/builds/INGESTER!/{COMMIT}/artifacts/b", content=b"2"))

    assert first["build_id"] == second["build_id"]
    assert len(builds(client)) == 1


def test_query_parameters_of_the_address_are_stored(ci: TestClient, client: TestClient) -> None:
    fields = {
        "branch": "main", "parent": "0a", "go_version": "go1.26.8", "goos": "linux", "goarch": "amd64",
        "ci_url": "https://ci.example/7", "title": "Faster\nmaps", "author": "x" * 300,
    }  # fmt: skip

    artifact = body_of(ci.put(f"{HERE}/artifacts/a", content=b"1", params={**fields, "facts": '{"requests": 5}'}))

    [build] = builds(client)
    assert artifact["run_metadata"] == {"requests": 5}
    assert {name: build[name] for name in fields} == {**fields, "title": "Faster�maps", "author": "x" * 199 + "…"}


def test_the_same_bytes_of_a_build_are_one_measurement(
    ci: TestClient, client: TestClient, app: AppUnderTest, team: SomeTeam
) -> None:
    first = body_of(ci.put(f"{HERE}/artifacts/a", content=b"1"))
    again = body_of(ci.put(f"{HERE}/artifacts/retried", content=b"1"), 200)
    other = body_of(ci.put("/api/v1/builds/ingester/0b/artifacts/a", content=b"1"))

    assert first["id"] == again["id"] != other["id"]
    with app.database.reading(TeamScope(team.id)) as session:
        assert [job.name for job in session.scalars(select(JobRow))] == ["artifacts.decode"] * 2


def test_a_key_is_answered_alike_and_not_for_something_else(ci: TestClient) -> None:
    key = {"Idempotency-Key": "7"}
    first = body_of(ci.put(f"{HERE}/artifacts/a", content=b"1", headers=key))
    again = body_of(ci.put(f"{HERE}/artifacts/a", content=b"1", headers=key), 200)
    other = ci.put(f"{HERE}/artifacts/a", content=b"2", headers=key)

    assert first["id"] == again["id"]
    assert (other.status_code, other.json()["type"]) == (422, "urn:slowpath:idempotency-key-reused")


def test_many_at_once_make_one_build(ci: TestClient, client: TestClient) -> None:
    def put(number: int) -> int:
        return int(ci.put(f"{HERE}/artifacts/{number}", content=b"%d" % (number // 2)).status_code)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(put, range(16)))

    assert sorted(answers) == [200] * 8 + [201] * 8
    assert len(builds(client)) == 1


# --- which build is meant


def test_new_metadata_completes_a_build_and_contradicting_metadata_is_another_build(
    ci: TestClient, client: TestClient
) -> None:
    def put(content: bytes, **expected: str) -> str:
        build_id: str = body_of(ci.put(f"{HERE}/artifacts/a", content=content, params=expected))["build_id"]
        return build_id

    bare = put(b"1")
    assert put(b"2", go_version="go1.26.8") == bare
    older = put(b"3", go_version="go1.25.1", goos="linux")
    assert older != bare
    assert put(b"4", go_version="go1.25.1") == older
    assert put(b"5", go_version="go1.26.8", goos="linux") == bare
    assert put(b"6") == older, "without a word: where the last build of the commit is"
    assert {(each["go_version"], each["goos"]) for each in builds(client)} == {
        ("go1.26.8", "linux"),
        ("go1.25.1", "linux"),
    }


def test_a_service_may_be_named_by_its_id(ci: TestClient, client: TestClient) -> None:
    service = body_of(client.post("/api/v1/services", json={"name": "Ingester"}))

    body_of(ci.put(f"/api/v1/builds/{service['id']}/0a/artifacts/a", content=b"1"))

    assert builds(client)[0]["service_id"] == service["id"]
    assert ci.put(f"/api/v1/builds/{uuid4()}/0a/artifacts/a", content=b"1").status_code == 404


def test_a_service_of_another_team_is_not_there(app: AppUnderTest, people: AccountsFactory, client: TestClient) -> None:
    service = body_of(client.post("/api/v1/services", json={"name": "Ingester"}))
    other = people.team("Others")
    foreign = app.asked(token=people.token(other, TokenScope.UPLOAD).secret)

    assert foreign.put(f"/api/v1/builds/{service['id']}/0a/artifacts/a", content=b"1").status_code == 404
    body_of(foreign.put("/api/v1/builds/ingester/0a/artifacts/a", content=b"1"))

    assert builds(client) == []


# --- facts, with and without files


def test_facts_come_as_json_and_complete_what_is_there(ci: TestClient, client: TestClient) -> None:
    first = body_of(ci.post(HERE, json={"branch": "main", "parent": "0a", "title": "One"}))
    again = body_of(ci.post(HERE, json={"branch": "main", "pull_request": {"number": 7}, "load": {"requests": 5}}), 200)

    assert first["build"]["id"] == again["build"]["id"]
    build = again["build"]
    assert (build["branch"], build["parent"], build["title"]) == ("main", "0a", "One")
    assert (build["pull_request"], build["run_metadata"]) == (
        {"number": 7, "url": None, "base_branch": None},
        {"requests": 5},
    )
    assert again["artifacts"] == []


def test_a_form_brings_facts_and_files(ci: TestClient) -> None:
    go_mod = 'module x\n\nrequire (\n\ta.example/b v1.2.3 // indirect\n\t"c.example/d" v0.1.0\n)\nreplace c.example/d => ../d\n'
    files: list[tuple[str, Any]] = [
        ("build", ("build.json", json.dumps({"branch": "main", "load": {"requests": 9}}).encode(), "application/json")),
        ("go_mod", ("go.mod", go_mod.encode(), "text/plain")),
        ("file", ("cpu.0.pprof", b"1")),
        ("file", ("cpu.1.pprof", b"2")),
        ("file", ("cpu.1.pprof.facts.json", b'{"requests": 4}')),
    ]

    uploaded = body_of(ci.post(HERE, files=files))
    again = body_of(ci.post(HERE, files=files), 200)

    assert uploaded["build"]["dependencies"] == {"a.example/b": "v1.2.3", "c.example/d": "v0.1.0 => ../d"}
    assert [(each["name"], each["run_metadata"]) for each in uploaded["artifacts"]] == [
        ("cpu.0.pprof", {"requests": 9}), ("cpu.1.pprof", {"requests": 4}),
    ]  # fmt: skip
    assert again == uploaded


def test_a_delivery_is_once(ci: TestClient, client: TestClient) -> None:
    first = body_of(ci.post(HERE, json={"branch": "main", "delivery_id": "7"}))
    client.patch(f"/api/v1/builds/{first['build']['id']}", json={"branch": "renamed"})

    again = body_of(ci.post(HERE, json={"branch": "main", "delivery_id": "7"}), 200)

    assert again["build"]["branch"] == "renamed", "a repeated delivery does nothing"
    assert ci.post(HERE, json={"branch": "other", "delivery_id": "7"}).status_code == 422


# --- hostile


@pytest.mark.parametrize(
    "facts",
    [
        b"{", b"[]", b'"x"', b"null", b"\xff", b'{"branch": "a\\u0000b"}', b'{"branch": 7}', b'{"unknown": 1}',
        b'{"ci_url": "javascript:alert(1)"}', b'{"pull_request": {"number": -1}}', b'{"load": {"requests": -1}}',
        b'{"committed_at": "0001-01-01"}', b'{"go_mod": "a\\u0000b"}', b"[" * 10_000, b'{"branch": "\\ud800"}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [True, False])
def test_invalid_metadata_is_rejected(ci: TestClient, client: TestClient, facts: bytes, form: bool) -> None:
    if form:
        answer = ci.post(HERE, files={"build": ("build.json", facts), "file": ("a", b"1")})
    else:
        answer = ci.post(HERE, content=facts, headers={"Content-Type": "application/json"})

    assert answer.status_code == (413 if facts.startswith(b"[[") else 422), answer.text
    assert builds(client) == []
    assert client.get("/api/v1/artifacts").json()["items"] == []


@pytest.mark.parametrize(
    ("service", "commit", "status"),
    [
        ("%00", "0a", 422), ("a%00b", "0a", 422), ("%E6%97%A5", "0a", 422), ("x" * 101, "0a", 422), ("..", "0a", 404),
        ("a", "%00", 422), ("a", "x" * 201, 422), ("a", "%0a", 422), ("%3Cimg%20src=x%3E", "$(id);--upload-pack=x", 201),
    ],
)  # fmt: skip
def test_hostile_names_are_refused_or_only_texts(ci: TestClient, service: str, commit: str, status: int) -> None:
    answer = ci.put(f"/api/v1/builds/{service}/{commit}/artifacts/%3Cb%3E", content=b"1")

    assert answer.status_code == status or (status == 404 and answer.status_code == 405), answer.text


def test_a_body_of_another_kind_and_a_huge_one_are_refused(ci: TestClient) -> None:
    assert ci.post(HERE, content=b"<a/>", headers={"Content-Type": "text/xml"}).status_code == 422
    assert ci.post(HERE, content=b" " * (3 << 20), headers={"Content-Type": "application/json"}).status_code == 413
    assert ci.put(f"{HERE}/artifacts/a", content=b"").status_code == 422


def test_other_roles_are_rejected(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    reader = app.asked(token=people.token(team, TokenScope.READ).secret)

    assert app.asked().put(f"{HERE}/artifacts/a", content=b"1").status_code == 401
    assert reader.put(f"{HERE}/artifacts/a", content=b"1").status_code == 403
    assert reader.post(HERE, json={}).status_code == 403
