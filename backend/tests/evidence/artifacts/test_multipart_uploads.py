"""Files that come in parts: resumed, replaced, joined once, forgotten."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, func, select

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.stored_blobs import StoredBlob
from slowpath.evidence.artifacts.service import multipart_uploads
from slowpath.evidence.artifacts.tables import Artifact
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

CONTENT = bytes(range(250)) * 4
"""1,000 bytes: parts of 400, 400 and 200."""


@pytest.fixture
def app(emptied: TestDatabase, engine: Engine) -> AppUnderTest:
    return built(
        Database(engine), settings_for(emptied.app_url, max_artifact_bytes=5000, max_trace_bytes=9000, part_bytes=400)
    )


def begun(client: TestClient, size_bytes: int = len(CONTENT), **fields: object) -> str:
    answer = client.post("/api/v1/uploads", json={"name": "big.pprof", "size_bytes": size_bytes, **fields})
    assert answer.status_code == 201, answer.text
    body = answer.json()
    assert (body["part_size_bytes"], body["parts"], body["artifact_id"]) == (400, [], None)
    return f"/api/v1/uploads/{body['id']}"


def send(client: TestClient, upload: str, *numbers: int) -> None:
    for number in numbers:
        answer = client.put(f"{upload}/parts/{number}", content=CONTENT[(number - 1) * 400 : number * 400])
        assert answer.status_code == 200, answer.text


def test_parts_in_any_order_become_one_artifact(client: TestClient) -> None:
    batch = str(uuid4())
    upload = begun(client, batch=batch, run_metadata={"requests": 5})
    send(client, upload, 3, 1, 2)

    response = client.post(f"{upload}/complete")

    assert response.status_code == 201
    artifact = response.json()
    assert artifact["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert (artifact["name"], artifact["batch"], artifact["run_metadata"]) == ("big.pprof", batch, {"requests": 5})
    assert client.get(f"/api/v1/artifacts/{artifact['id']}/original").content == CONTENT


def test_after_a_break_it_goes_on_where_it_was(client: TestClient) -> None:
    upload = begun(client)
    send(client, upload, 1)

    body = client.get(upload).json()

    assert [part["number"] for part in body["parts"]] == [1]
    assert body["parts"][0]["sha256"] == hashlib.sha256(CONTENT[:400]).hexdigest()


def test_a_part_sent_again_replaces_it(client: TestClient) -> None:
    upload = begun(client)
    client.put(f"{upload}/parts/1", content=b"x" * 400)
    send(client, upload, 1, 2, 3)

    assert client.post(f"{upload}/complete").json()["sha256"] == hashlib.sha256(CONTENT).hexdigest()


def test_what_is_missing_is_named(client: TestClient) -> None:
    upload = begun(client)
    send(client, upload, 1, 3)

    answer = client.post(f"{upload}/complete")

    assert answer.status_code == 409
    body = answer.json()
    assert (body["type"], body["limit"], body["value"]) == ("urn:slowpath:upload-incomplete", 3, 2)
    assert "part 2" in body["detail"]


@pytest.mark.parametrize("number", [0, -1, 4, 2**31, 10**30])
def test_a_part_that_there_is_not_is_refused(client: TestClient, number: int) -> None:
    answer = client.put(f"{begun(client)}/parts/{number}", content=b"x" * 400)

    assert answer.status_code == 422
    assert answer.json()["type"] in {"urn:slowpath:part-refused", "urn:slowpath:not-understood"}


@pytest.mark.parametrize(("number", "size"), [(1, 399), (1, 0), (3, 400), (3, 199)])
def test_a_part_of_another_size_is_refused(client: TestClient, number: int, size: int) -> None:
    answer = client.put(f"{begun(client)}/parts/{number}", content=b"x" * size)

    assert answer.status_code == 422
    body = answer.json()
    assert (body["limit"], body["value"]) == (200 if number == 3 else 400, size)


def test_a_part_larger_than_parts_are_is_refused_by_its_length(client: TestClient) -> None:
    assert client.put(f"{begun(client)}/parts/1", content=b"x" * 401).status_code == 413


def test_completing_twice_gives_the_same_artifact_and_one_line_in_the_log(client: TestClient, team: SomeTeam) -> None:
    upload = begun(client)
    send(client, upload, 1, 2, 3)

    first, second = (client.post(f"{upload}/complete").json()["id"] for _ in range(2))

    assert first == second
    assert client.get(upload).json()["artifact_id"] == first
    events = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]
    assert [event["action"] for event in events].count("artifact.received") == 1


def test_completing_twice_at_once_gives_one_artifact(client: TestClient, app: AppUnderTest, team: SomeTeam) -> None:
    upload = begun(client)
    send(client, upload, 1, 2, 3)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: client.post(f"{upload}/complete"), range(4)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    with app.database.reading(TeamScope(team.id)) as session:
        assert session.scalar(select(func.count()).select_from(Artifact)) == 1


def test_a_complete_upload_accepts_no_more_parts(client: TestClient) -> None:
    upload = begun(client)
    send(client, upload, 1, 2, 3)
    client.post(f"{upload}/complete")

    answer = client.put(f"{upload}/parts/1", content=CONTENT[:400])

    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:slowpath:upload-complete"


def test_an_aborted_upload_is_deleted_with_its_parts(client: TestClient, app: AppUnderTest, team: SomeTeam) -> None:
    upload = begun(client)
    send(client, upload, 1, 2)
    assert len(app.blobs.stored) == 2

    assert client.delete(upload).status_code == 204

    with app.database.reading(TeamScope(team.id)) as session:
        unused = session.scalars(select(StoredBlob.key).where(StoredBlob.is_unused)).all()
    assert set(unused) == set(app.blobs.stored)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/complete"), ("PUT", "/parts/1")):
        answer = client.request(method, upload + path, content=b"x" * 400 if method == "PUT" else None)
        assert answer.status_code == 404
        assert answer.json()["type"] == "urn:slowpath:upload-not-found"


def test_an_upload_over_the_limit_is_refused_before_it_begins(client: TestClient) -> None:
    answer = client.post("/api/v1/uploads", json={"name": "big", "size_bytes": 9001})

    assert answer.status_code == 413
    assert (answer.json()["limit"], answer.json()["value"]) == (9000, 9001)


def test_only_a_trace_may_be_larger_than_other_files(client: TestClient) -> None:
    upload = begun(client, size_bytes=5001)

    other = client.put(f"{upload}/parts/1", content=b"x" * 400)
    trace = client.put(f"{upload}/parts/1", content=b"go 1.26 trace\x00\x00\x00".ljust(400, b"x"))

    assert other.status_code == 413
    assert (other.json()["limit"], other.json()["value"]) == (5000, 5001)
    assert trace.status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a", "size_bytes": -1},
        {"name": "a", "size_bytes": 10**30},
        {"name": "", "size_bytes": 1},
        {"name": "a"},
        {"name": "a", "size_bytes": 1, "more": 1},
        {"name": "a", "size_bytes": 1, "run_metadata": {"requests": 0}},
    ],
)
def test_an_invalid_upload_request_is_rejected(client: TestClient, body: dict[str, object]) -> None:
    assert client.post("/api/v1/uploads", json=body).status_code == 422


def test_a_build_without_a_deployment_is_reported_at_the_end_at_the_latest(client: TestClient) -> None:
    answer = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": 4, "build_id": str(uuid4())})
    if answer.status_code == 201:
        upload = f"/api/v1/uploads/{answer.json()['id']}"
        client.put(f"{upload}/parts/1", content=b"four")
        answer = client.post(f"{upload}/complete")

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:build-not-found"


def test_an_empty_file_is_refused_when_it_is_complete(client: TestClient) -> None:
    upload = begun(client, size_bytes=0)
    assert client.put(f"{upload}/parts/1", content=b"").status_code == 200

    assert client.post(f"{upload}/complete").json()["type"] == "urn:slowpath:artifact-empty"


def test_beginning_twice_with_a_key_is_one_upload(client: TestClient) -> None:
    body, key = {"name": "a", "size_bytes": 4}, {"Idempotency-Key": "k"}

    first, second = (client.post("/api/v1/uploads", json=body, headers=key).json()["id"] for _ in range(2))
    other = client.post("/api/v1/uploads", json={**body, "size_bytes": 5}, headers=key)

    assert first == second
    assert other.json()["type"] == "urn:slowpath:idempotency-key-reused"


def test_incomplete_uploads_expire_after_two_days(
    client: TestClient, emptied: TestDatabase, app: AppUnderTest, people: AccountsFactory
) -> None:
    upload = begun(client)
    send(client, upload, 1)

    with emptied.as_admin() as admin:
        admin.execute("UPDATE multipart_upload SET expires_at = clock_timestamp() - interval '1 second'")
        for _ in range(2):
            admin.execute("SELECT cross_team.delete_expired_rows()")
        jobs = admin.execute("SELECT name, subject_kind, payload->>'upload_id' FROM job").fetchall()

    assert jobs == [("artifacts.expire-upload", "upload", upload.rsplit("/", 1)[1])]
    assert multipart_uploads.UPLOAD_LIFETIME.days == 2
