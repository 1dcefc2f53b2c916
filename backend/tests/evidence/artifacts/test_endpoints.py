"""Files over HTTP, whole: raw and multipart, twice and damaged, listed, corrected, deleted."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, func, select

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.jobs import JobRow
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.statements import Statements

pytestmark = pytest.mark.database

MANY = 25


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


@pytest.fixture
def narrow(emptied: TestDatabase, engine: Engine, tmp_path: Path) -> AppUnderTest:
    """Give an app that takes at most 1,000 bytes."""
    settings = settings_for(
        emptied.app_url, max_artifact_bytes=1000, max_trace_bytes=2000, part_bytes=400, scratch_dir=tmp_path
    )
    return built(Database(engine), settings)


def jobs_of(app: AppUnderTest, team: SomeTeam) -> list[str]:
    with app.database.reading(TeamScope(team.id)) as session:
        return [job.name for job in session.scalars(select(JobRow).order_by(JobRow.created_at))]


# --- one file, raw


def test_a_raw_body_becomes_an_artifact_with_a_job(client: TestClient, app: AppUnderTest, team: SomeTeam) -> None:
    batch = uuid4()
    facts = {"requests": 14000, "wall_ns": 10**10, "go_version": "go1.26.8", "cpu_flags": ["aes", "avx2"]}
    mix = {"route": "/page", "method": "GET", "status_class": "2xx", "requests": 14000}
    facts |= {"process_age_ms": 61_000, "requests_by_route": [mix]}

    answer = client.put(
        "/api/v1/artifacts/cpu.pprof",
        params={"batch": str(batch), "run_metadata": json.dumps(facts)},
        content=b"the bytes",
    )

    assert answer.status_code == 201
    body = answer.json()
    assert (body["name"], body["size_bytes"], body["state"], body["kind"]) == ("cpu.pprof", 9, "received", None)
    assert body["run_metadata"] == facts
    assert body["batch"] == str(batch)
    assert body["progress"] == 0.0
    assert app.blobs.read(original_key(team.id, body["sha256"])) == b"the bytes"
    assert jobs_of(app, team) == ["artifacts.decode"]


@pytest.mark.parametrize(
    ("name", "shown"), [("a%2e%2e%5cb", "b"), ("%00", "�"), ("%3Cimg%3E", "<img>"), ("x" * 3000, "x" * 234)]
)
def test_a_hostile_name_is_only_a_text(client: TestClient, name: str, shown: str) -> None:
    body = client.put(f"/api/v1/artifacts/{name}", content=b"x").json()

    assert body["name"].startswith(shown)
    answer = client.get(f"/api/v1/artifacts/{body['id']}/original")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert "\n" not in answer.headers["content-disposition"]


def test_an_empty_file_is_refused_by_name(client: TestClient, app: AppUnderTest) -> None:
    answer = client.put("/api/v1/artifacts/cpu.pprof", content=b"")

    assert answer.status_code == 422
    body = answer.json()
    assert (body["type"], body["limit"], body["value"], body["unit"]) == ("urn:slowpath:artifact-empty", 1, 0, "bytes")
    assert not app.blobs.stored


@pytest.mark.parametrize(
    "facts",
    [
        "{",
        "[]",
        '"x"',
        "null",
        '{"requests": -1}',
        '{"requests": NaN}',
        '{"requests": 1e400}',
        '{"requests": 9007199254740994}',
        '{"wall_ns": 1.5}',
        '{"unknown": 1}',
        '{"run": "a\\u0000b"}',
        '{"commit": 7}',
        '{"gomaxprocs": 0}',
        "[" * 10_000,
    ],
)
def test_invalid_metadata_is_rejected_with_its_location(client: TestClient, facts: str) -> None:
    answer = client.put("/api/v1/artifacts/cpu.pprof", params={"run_metadata": facts}, content=b"x")

    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "urn:slowpath:body-not-understood"
    assert "facts" in answer.json()["detail"] or "." in answer.json()["detail"]


def test_a_body_over_the_limit_is_refused_declared_or_not(narrow: AppUnderTest, people: AccountsFactory) -> None:
    def streamed() -> Iterator[bytes]:
        yield from (b"x" * 300 for _ in range(4))

    client = narrow.asked(cookie=people.team().owner.cookie)
    declared = client.put("/api/v1/artifacts/a", content=b"x" * 1001)
    counted = client.put("/api/v1/artifacts/a", content=streamed())
    whole = client.put("/api/v1/artifacts/a", content=b"x" * 1000)

    for answer, actual in ((declared, 1001), (counted, 1200)):
        assert answer.status_code == 413
        body = answer.json()
        assert (body["type"], body["limit"], body["value"]) == ("urn:slowpath:body-too-large", 1000, actual)
    assert whole.status_code == 201
    assert narrow.settings.scratch_dir is not None
    assert list(narrow.settings.scratch_dir.iterdir()) == [], "nothing of a body stays on disk"


def test_a_full_receiver_is_reported(emptied: TestDatabase, engine: Engine, asker: SomePerson) -> None:
    app = built(Database(engine), settings_for(emptied.app_url, scratch_dir=Path("/nowhere/at/all")))

    answer = app.asked(cookie=asker.cookie).put("/api/v1/artifacts/a", content=b"x")

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:slowpath:no-room"


def test_missing_upload_permission_is_rejected_before_the_body_is_read(
    app: AppUnderTest, people: AccountsFactory
) -> None:
    read = 0

    def streamed() -> Iterator[bytes]:
        nonlocal read
        for _ in range(100):
            read += 1
            yield b"x" * 1000

    token = people.token(people.team(), TokenScope.READ)

    assert app.asked().put("/api/v1/artifacts/a", content=streamed()).status_code == 401
    assert app.asked(token=token.secret).put("/api/v1/artifacts/a", content=streamed()).status_code == 403
    assert not app.blobs.stored


def test_a_token_that_may_only_upload_may_wait_for_what_it_sent(app: AppUnderTest, people: AccountsFactory) -> None:
    program = app.asked(token=people.token(people.team(), TokenScope.UPLOAD).secret)

    body = program.put("/api/v1/artifacts/a", content=b"x").json()

    assert program.get(f"/api/v1/artifacts/{body['id']}").status_code == 200
    assert program.get(f"/api/v1/jobs/{body['job_id']}").status_code == 403, "its files say how far they are"
    assert program.get("/api/v1/artifacts").status_code == 403


# --- once


def test_the_same_key_twice_is_one_artifact(client: TestClient) -> None:
    sent = [
        client.put("/api/v1/artifacts/a", content=b"x", headers={"Idempotency-Key": "first"}).json()["id"]
        for _ in range(2)
    ]

    assert sent[0] == sent[1]
    assert len(client.get("/api/v1/artifacts").json()["items"]) == 1


@pytest.mark.parametrize(
    "other",
    [{"content": b"y"}, {"params": {"batch": str(UUID(int=1))}}, {"params": {"run_metadata": '{"requests": 7}'}}],
)
def test_a_key_for_something_else_is_refused(client: TestClient, other: dict[str, Any]) -> None:
    client.put("/api/v1/artifacts/a", content=b"x", headers={"Idempotency-Key": "first"})

    answer = client.put("/api/v1/artifacts/a", **{"content": b"x", "headers": {"Idempotency-Key": "first"}, **other})

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:slowpath:idempotency-key-reused"


@pytest.mark.parametrize("key", ["", "x" * 201])
def test_a_key_has_a_length(client: TestClient, key: str) -> None:
    assert client.put("/api/v1/artifacts/a", content=b"x", headers={"Idempotency-Key": key}).status_code == 422


def test_a_form_sent_again_with_another_file_is_another_request(client: TestClient) -> None:
    key = {"Idempotency-Key": "batch"}
    one, two = ("file", ("a", b"x")), ("file", ("b", b"y"))

    first = client.post("/api/v1/artifacts", files=[one, two], headers=key)
    again = client.post("/api/v1/artifacts", files=[one, two], headers=key)
    other = client.post("/api/v1/artifacts", files=[one], headers=key)

    assert first.json() == again.json()
    assert other.status_code == 422


# --- the same bytes


def test_the_same_bytes_of_a_team_are_one_blob_and_of_two_teams_two(
    app: AppUnderTest, people: AccountsFactory, client: TestClient
) -> None:
    client.put("/api/v1/artifacts/a", content=b"same")
    client.put("/api/v1/artifacts/b", content=b"same")
    assert len(app.blobs.stored) == 1

    app.asked(cookie=people.team().owner.cookie).put("/api/v1/artifacts/a", content=b"same")
    assert len(app.blobs.stored) == 2


def test_bytes_that_were_lost_are_stored_again(client: TestClient, app: AppUnderTest) -> None:
    client.put("/api/v1/artifacts/a", content=b"same")
    app.blobs.stored.clear()

    client.put("/api/v1/artifacts/b", content=b"same")

    assert len(app.blobs.stored) == 1


# --- several files


def test_a_form_brings_several_files_with_what_they_share(client: TestClient) -> None:
    batch = str(uuid4())

    answer = client.post(
        "/api/v1/artifacts",
        files=[("file", ("a.pprof", b"x")), ("file", ("b.pprof", b"y"))],
        data={"batch": batch, "run_metadata": '{"requests": 5}'},
    )

    assert answer.status_code == 201
    assert [(each["name"], each["batch"], each["run_metadata"]) for each in answer.json()] == [
        ("a.pprof", batch, {"requests": 5}),
        ("b.pprof", batch, {"requests": 5}),
    ]


def test_one_file_that_is_refused_refuses_the_form(client: TestClient, app: AppUnderTest) -> None:
    answer = client.post("/api/v1/artifacts", files=[("file", ("a", b"x")), ("file", ("b", b""))])

    assert answer.status_code == 422
    assert client.get("/api/v1/artifacts").json()["items"] == []


TRACE = b"go 1.26 trace\x00\x00\x00"


@pytest.mark.parametrize("head", [TRACE, gzip.compress(TRACE + bytes(1500), 0)[:1400]])
def test_a_trace_may_be_larger_than_other_files(narrow: AppUnderTest, people: AccountsFactory, head: bytes) -> None:
    client = narrow.asked(cookie=people.team().owner.cookie)

    raw = client.put("/api/v1/artifacts/a", content=head.ljust(1500, b"x"))
    form = client.post("/api/v1/artifacts", files=[("file", ("a", head.ljust(1500, b"x")))])
    larger = client.put("/api/v1/artifacts/a", content=head.ljust(2001, b"x"))

    assert (raw.status_code, form.status_code) == (201, 201)
    assert larger.status_code == 413
    assert larger.json()["limit"] == 2000


def test_one_file_over_the_limit_refuses_the_form(narrow: AppUnderTest, people: AccountsFactory) -> None:
    client = narrow.asked(cookie=people.team().owner.cookie)

    answer = client.post("/api/v1/artifacts", files=[("file", ("a", b"x")), ("file", ("b", b"x" * 1001))])
    body = client.post("/api/v1/artifacts", files=[("file", (str(n), b"x" * 900)) for n in range(5)])

    assert answer.status_code == 413
    assert (answer.json()["limit"], answer.json()["value"]) == (1000, 1001)
    assert body.status_code == 413
    assert body.json()["limit"] == 4000


FORM = "multipart/form-data; boundary=b"
FACTS = b'--b\r\nContent-Disposition: form-data; name="facts"\r\n\r\n{}\r\n'
PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n'


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b"{}"),
        ("multipart/form-data", PART + b"--b--\r\n"),
        ("multipart/form-data; boundary=", PART),
        ("multipart/form-data; boundary=" + "b" * 300, PART),
        (FORM + "; charset=nonsense", PART + FACTS.replace(b"{}", b"\xff") + b"--b--\r\n"),
        (FORM, b""),
        (FORM, b"--b--\r\n"),
        (FORM, b"nonsense"),
        (FORM, b"--b\r\nno header\r\n\r\nx\r\n--b--\r\n"),
        (FORM, b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="facts"\r\n\r\n{}\r\n--b--\r\n'),
        (FORM, b'--b\r\nContent-Disposition: form-data; name="facts"\r\n\r\n' + b"x" * 70_000 + b"\r\n--b--\r\n"),
        (FORM, PART * 201 + b"--b--\r\n"),
        (FORM, PART.replace(b'name="file"', b'name="file"; ' + b"x" * 20_000)),
        (FORM, PART + b'--b\r\nContent-Disposition: form-data; name="build_id"\r\n\r\nnone\r\n--b--\r\n'),
        (FORM, PART + b'--b\r\nContent-Disposition: form-data; name="facts"\r\n\r\n\xff\r\n--b--\r\n'),
    ],
)
def test_an_invalid_form_is_rejected(client: TestClient, content_type: str, body: bytes) -> None:
    answer = client.post("/api/v1/artifacts", content=body, headers={"Content-Type": content_type})

    assert answer.status_code == 422, answer.text
    assert answer.json()["resolution"]
    assert client.get("/api/v1/artifacts").json()["items"] == []


# --- builds


def test_a_file_may_name_its_build_but_only_one_of_the_team(
    client: TestClient, app: AppUnderTest, people: AccountsFactory
) -> None:
    service = client.post("/api/v1/services", json={"name": "Ingester"}).json()
    build = client.post("/api/v1/builds", json={"service_id": service["id"], "commit": "abc"}).json()

    named = client.put("/api/v1/artifacts/a", params={"build_id": build["id"]}, content=b"x")
    theirs = app.asked(cookie=people.team().owner.cookie)
    foreign = theirs.put("/api/v1/artifacts/a", params={"build_id": build["id"]}, content=b"x")

    assert named.json()["build_id"] == build["id"]
    assert foreign.status_code == 404
    assert [each["id"] for each in client.get("/api/v1/artifacts", params={"build_id": build["id"]}).json()["items"]]
    assert client.delete(f"/api/v1/builds/{build['id']}").status_code == 204
    assert client.get(f"/api/v1/artifacts/{named.json()['id']}").status_code == 404  # it went with its build


# --- looking


def test_a_decoded_artifact_describes_its_profile(client: TestClient, files: FilesFactory) -> None:
    body = client.get(f"/api/v1/artifacts/{files.decoded()}").json()

    assert (body["state"], body["kind"], body["progress"], body["error"]) == ("decoded", "profile.cpu", 1.0, None)
    assert body["profile"]["samples"] == 1000
    assert body["profile"]["sample_types"][1] == {"type": "cpu", "unit": "nanoseconds"}


def test_a_rejected_artifact_states_the_reason_and_keeps_its_bytes(client: TestClient, files: FilesFactory) -> None:
    artifact_id = files.refused(content=b"bad bytes")

    body = client.get(f"/api/v1/artifacts/{artifact_id}").json()
    original = client.get(f"/api/v1/artifacts/{artifact_id}/original")

    assert (body["state"], body["error"]["detail"], body["profile"]) == ("invalid", "This is no profile.", None)
    assert original.content == b"bad bytes"
    assert original.headers["content-security-policy"] == "sandbox; default-src 'none'"


def test_the_list_can_be_narrowed(client: TestClient, files: FilesFactory) -> None:
    batch = uuid4()
    decoded, refused = files.decoded("heap%.pprof", batch=batch), files.refused("bad_1.pprof")
    files.received("bad-1.pprof")

    def ids(**params: str) -> list[str]:
        return [each["id"] for each in client.get("/api/v1/artifacts", params=params).json()["items"]]

    assert ids(batch=str(batch)) == [str(decoded)]
    assert ids(state="invalid") == [str(refused)]
    assert ids(kind="profile.cpu") == [str(decoded)]
    assert ids(name="HEAP%") == [str(decoded)]
    assert ids(name="bad_1") == [str(refused)], "an underscore matches itself only"
    assert len(ids()) == 3
    assert client.get("/api/v1/artifacts", params={"state": "nonsense"}).status_code == 422


def test_a_long_list_asks_no_more_of_the_database(client: TestClient, files: FilesFactory, queries: Statements) -> None:
    files.received()
    client.get("/api/v1/artifacts")
    with queries.during() as few:
        client.get("/api/v1/artifacts")
    for _ in range(MANY):
        files.received()
    with queries.during() as many:
        assert len(client.get("/api/v1/artifacts").json()["items"]) == MANY + 1

    assert len(many) == len(few) <= 4


# --- correcting, trying again, deleting


def test_facts_and_build_can_be_corrected(client: TestClient, files: FilesFactory) -> None:
    artifact_id = files.received(facts={"requests": 1})

    answer = client.patch(f"/api/v1/artifacts/{artifact_id}", json={"run_metadata": {"requests": 2}})

    assert answer.json()["run_metadata"] == {"requests": 2}
    assert client.patch(f"/api/v1/artifacts/{artifact_id}", json={"build_id": str(uuid4())}).status_code == 404
    assert client.patch(f"/api/v1/artifacts/{artifact_id}", json={"name": "x"}).status_code == 422
    many = {"run_metadata": {"cpu_flags": [f"{number:0200}" for number in range(100)]}}
    assert "cpu_flags" in client.patch(f"/api/v1/artifacts/{artifact_id}", json=many).json()["detail"]


def test_only_what_failed_can_be_tried_again(client: TestClient, files: FilesFactory) -> None:
    refused, decoded = files.refused(), files.decoded()

    again = client.post(f"/api/v1/artifacts/{refused}/retry").json()

    assert (again["state"], again["error"]) == ("received", None)
    assert client.get(f"/api/v1/jobs/{again['job_id']}").json()["state"] == "waiting"
    for artifact_id in (refused, decoded):
        answer = client.post(f"/api/v1/artifacts/{artifact_id}/retry")
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:slowpath:nothing-to-try-again"


def test_deleting_removes_the_row_and_asks_for_the_bytes_to_go(
    client: TestClient, files: FilesFactory, app: AppUnderTest, team: SomeTeam
) -> None:
    artifact_id = files.decoded()

    assert client.delete(f"/api/v1/artifacts/{artifact_id}").status_code == 204
    for method, path in (("GET", ""), ("GET", "/original"), ("POST", "/retry"), ("DELETE", ""), ("PATCH", "")):
        answer = client.request(
            method, f"/api/v1/artifacts/{artifact_id}{path}", json={} if method == "PATCH" else None
        )
        assert answer.status_code == 404
        assert answer.json()["type"] == "urn:slowpath:artifact-not-found"
    assert jobs_of(app, team) == ["artifacts.decode", "artifacts.delete-blobs"]
    with app.database.reading(TeamScope(team.id)) as session:
        assert (
            session.scalar(select(func.count()).select_from(JobRow).where(JobRow.name == "artifacts.delete-blobs")) == 1
        )


def test_an_original_that_is_lost_is_not_found(client: TestClient, files: FilesFactory, app: AppUnderTest) -> None:
    artifact_id = files.received()
    app.blobs.stored.clear()

    assert client.get(f"/api/v1/artifacts/{artifact_id}/original").status_code == 404
