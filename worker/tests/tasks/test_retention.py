"""Retention: expired artifacts are deleted from the blob store with their rows."""

from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey, JobId, TeamId
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from slowpath.operations.retention.jobs import EnforceRetention
from slowpath_worker.job_execution import run_job
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.support.fakes import MemoryBlobStore
from tests.tasks.test_decode_handlers import CPU, compared, put, run_all, variant

pytestmark = pytest.mark.database


def enforce_retention(bench: Bench) -> None:
    row = bench.carry_out(bench.write_down(EnforceRetention(TeamId(bench.team.id))))
    assert row["state"] == "done", row["problem"]


def age(bench: Bench, artifact: dict[str, Any], days: int) -> None:
    bench.admin.execute(
        "UPDATE artifact SET created_at = created_at - make_interval(days => %s) WHERE id = %s", (days, artifact["id"])
    )


def keys_of(app: AppUnderTest, sha256: str) -> list[BlobKey]:
    return [key for key in app.blobs.stored if sha256 in key]


def test_expired_data_is_deleted_with_its_bytes_as_previewed(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    old, young, other = put(client, CPU), put(client, variant(1)), put(client, b"no profile")
    run_all(bench)
    age(bench, old, 40)
    age(bench, other, 40)

    seen = client.get("/api/v1/retention/preview", params={"rule": ["profile.cpu:30"]}).json()
    assert (seen["files"], seen["bytes"], [one["kind"] for one in seen["kinds"]]) == (1, len(CPU), ["profile.cpu"])
    assert client.get("/api/v1/retention/preview").json()["files"] == 0
    enforce_retention(bench)
    assert client.get(f"/api/v1/artifacts/{old['id']}").status_code == 200

    body = client.put("/api/v1/retention", json={"rules": [{"kind": "profile.cpu", "retention_days": 30}]}).json()
    assert {rule["kind"]: rule["retention_days"] for rule in body["rules"]}["profile.cpu"] == 30
    run_all(bench)
    assert client.get(f"/api/v1/artifacts/{old['id']}").status_code == 404
    assert keys_of(app, old["sha256"]) == []
    for stays in (young, other):
        assert client.get(f"/api/v1/artifacts/{stays['id']}/original").status_code == 200
    listed = [
        row for (row,) in bench.admin.execute("SELECT details FROM audit_event WHERE action = 'artifacts.expired'")
    ]
    assert [(row["files"], row["kinds"]) for row in listed] == [(1, {"profile.cpu": 1})]


def test_artifacts_of_an_open_regression_stay_until_it_is_closed(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    base, candidate = put(client, variant(1)), put(client, variant(2))
    comparison = compared(client, [base], [candidate])
    run_all(bench)
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    regression = uuid4()
    bench.admin.execute(
        "INSERT INTO regression (team_id, id, number, service_id, branch, state, confirmed, title, sentence, kind, subject,"
        " unit, direction, comparison_id)"
        " VALUES (%s, %s, 1, %s, 'main', 'new', true, '', '', 'profile.category', 'total', 'us', 'worse', %s)",
        (bench.team.id, regression, service["id"], comparison["id"]),
    )
    for one in (base, candidate):
        age(bench, one, 40)
    kinds = {client.get(f"/api/v1/artifacts/{one['id']}").json()["kind"] for one in (base, candidate)}
    rules = [{"kind": each, "retention_days": 30} for each in kinds]
    seen = client.get("/api/v1/retention/preview", params={"rule": [f"{each}:30" for each in kinds]}).json()
    assert (seen["files"], seen["retained_artifacts"]) == (0, 2)

    client.put("/api/v1/retention", json={"rules": rules})
    run_all(bench)
    assert client.get(f"/api/v1/artifacts/{base['id']}").status_code == 200

    closed = client.patch(f"/api/v1/regressions/{regression}", json={"state": "not-a-regression"})
    assert closed.status_code == 200
    enforce_retention(bench)
    run_all(bench)
    assert client.get(f"/api/v1/artifacts/{base['id']}").status_code == 404
    assert keys_of(app, base["sha256"]) == []
    assert client.get(f"/api/v1/comparisons/{comparison['id']}").json()["verdict"] is not None


def test_a_build_and_a_service_go_with_their_files_and_shared_bytes_stay(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    builds = [
        client.post("/api/v1/builds", json={"service_id": service["id"], "commit": letter * 40}).json()
        for letter in ("a", "b")
    ]
    first = put(client, CPU, build_id=builds[0]["id"])
    second = put(client, variant(1), build_id=builds[1]["id"])
    shared = put(client, CPU, name="again.pb.gz", build_id=builds[1]["id"])
    run_all(bench)
    assert first["sha256"] == shared["sha256"]

    assert client.delete(f"/api/v1/builds/{builds[0]['id']}").status_code == 204
    assert client.get(f"/api/v1/artifacts/{first['id']}").status_code == 404
    enforce_retention(bench)
    run_all(bench)
    assert len(keys_of(app, first["sha256"])) >= 2  # the other build has the same bytes

    bench.admin.execute("UPDATE stored_blob SET check_at = NULL")  # what was stored hours ago has been checked
    assert client.delete(f"/api/v1/services/{service['id']}").status_code == 204
    enforce_retention(bench)
    assert keys_of(app, first["sha256"]) == keys_of(app, second["sha256"]) == []


def test_blobs_from_before_they_had_rows_are_listed_once(bench: Bench, app: AppUnderTest) -> None:
    lost = original_key(TeamId(bench.team.id), "a" * 64)
    keys = [
        lost,
        BlobKey(f"{bench.team.id}/profiles/v1/aa/{'a' * 64}"),
        BlobKey(f"{bench.team.id}/traces/v1/aa/{'a' * 64}/page"),
        BlobKey(f"{bench.team.id}/comparisons/{UUID(int=7)}/traces"),
        BlobKey(f"{bench.team.id}/exports/{UUID(int=7)}"),
        BlobKey(f"{bench.team.id}/reports/{UUID(int=7)}/{'b' * 64}.gz"),
        BlobKey(f"{bench.team.id}/parts/{UUID(int=7)}/1"),
        BlobKey(f"{bench.team.id}/team-exports/{UUID(int=7)}"),  # of a version that exported teams
    ]
    unknown = BlobKey(f"{bench.team.id}/attic/box")
    for key in (*keys, unknown):
        app.blobs.put(key, b"lost")
    enforce_retention(bench)
    assert set(app.blobs.stored) == {*keys, unknown}, "an upload of a former version may not be committed yet"
    bench.admin.execute("UPDATE stored_blob SET check_at = clock_timestamp(), recorded_at = now() - interval '6 hours'")
    later = BlobKey(f"{bench.team.id}/exports/{UUID(int=8)}")
    app.blobs.put(later, b"without a row")
    enforce_retention(bench)
    assert set(app.blobs.stored) == {unknown, later}
    counted = bench.admin.execute(
        "SELECT deleted_blobs, folders FROM storage_snapshot ORDER BY created_at DESC LIMIT 1"
    ).fetchone()
    assert counted is not None
    assert (counted[0], counted[1]["attic"], counted[1].get("originals")) == (8, [1, 4], None)


def test_a_file_that_is_deleted_while_it_waits_is_not_decoded(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    artifact = put(client, CPU)
    assert client.delete(f"/api/v1/artifacts/{artifact['id']}").status_code == 204
    run_all(bench)
    state = bench.admin.execute("SELECT state FROM job WHERE name = 'artifacts.decode'").fetchone()
    assert state == ("cancelled",)
    assert app.blobs.stored == {}


def test_usage_shows_stored_and_received_data(client: TestClient, bench: Bench) -> None:
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    build = client.post("/api/v1/builds", json={"service_id": service["id"], "commit": "a" * 40}).json()
    put(client, CPU, build_id=build["id"])
    put(client, b"no profile")
    run_all(bench)
    enforce_retention(bench)

    body = client.get("/api/v1/usage").json()
    assert (body["files"], body["bytes"]) == (2, len(CPU) + 10)
    assert {one["name"]: one["files"] for one in body["kinds"]} == {"profile.cpu": 1, "unread": 1}
    assert {one["name"]: one["files"] for one in body["services"]} == {"shop": 1, None: 1}
    assert {one["name"]: one["files"] for one in body["folders"]}["originals"] == 2
    counted = bench.admin.execute("SELECT sum(uploads), sum(upload_bytes), sum(jobs) FROM daily_usage").fetchone()
    assert counted is not None
    assert counted[:2] == (2, len(CPU) + 10)
    assert counted[2] > 0

    for one in client.get("/api/v1/artifacts").json()["items"]:
        client.delete(f"/api/v1/artifacts/{one['id']}")
    enforce_retention(bench)
    assert bench.admin.execute("SELECT sum(uploads) FROM daily_usage").fetchone() == (
        2,
    )  # sums outlive what they count


def test_a_full_team_is_rejected_before_a_byte_is_read(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    put(client, CPU)
    app.settings.max_team_bytes = 2 * len(CPU)
    try:
        assert put(client, variant(1))["state"] == "received"
        refused = client.put("/api/v1/artifacts/b", content=b"more")
        assert refused.status_code == 413
        body = refused.json()
        assert (body["type"], body["limit"]) == ("urn:slowpath:team-full", 2 * len(CPU))
        for path in (
            "/api/v1/builds/shop/" + "a" * 40 + "/artifacts",
            "/api/v1/builds/shop/" + "a" * 40 + "/artifacts/x",
        ):
            assert client.put(path, content=b"more").status_code == 413
        assert client.post("/api/v1/uploads", json={"name": "x", "size_bytes": 10}).status_code == 413
        assert client.post("/api/v1/artifacts", files={"file": ("x", b"more")}).status_code == 413
        limit = client.get("/api/v1/usage").json()["limits"][0]
        assert (limit["resource"], limit["state"]) == ("bytes", "reached")
    finally:
        app.settings.max_team_bytes = 0


def test_what_is_made_of_files_counts_too(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    put(client, CPU)
    run_all(bench)
    app.settings.max_team_bytes = 10**9
    try:
        before = client.get("/api/v1/usage").json()["limits"][0]["used"]
        assert before > len(CPU)
        weighed = AccountingBlobStore(MemoryBlobStore(), app.database)
        team = bench.team.id
        weighed.put(BlobKey(f"{team}/originals/ab/{'a' * 64}"), b"counted by its row")
        weighed.put(BlobKey(f"{team}/reports/x"), b"x" * 1_000)
        weighed.put(BlobKey(f"{team}/exports/y"), iter([b"y" * 500, b"y" * 500]))
        with pytest.raises(NotFound):
            weighed.put(BlobKey(f"{uuid4()}/exports/y"), b"of a team that is gone")
        assert client.get("/api/v1/usage").json()["limits"][0]["used"] == before + 2_000

        enforce_retention(bench)
        counted = sum(len(blob) for key, blob in app.blobs.stored.items() if "/originals/" not in key)
        counted += 2_000
        assert client.get("/api/v1/usage").json()["limits"][0]["used"] == len(CPU) + counted
        app.settings.max_team_bytes = len(CPU) + counted
        assert client.put("/api/v1/artifacts/b", content=b"more").status_code == 413
    finally:
        app.settings.max_team_bytes = 0


def test_a_deleted_team_leaves_nothing_and_a_reopened_one_everything(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    put(client, CPU)
    run_all(bench)
    stored = set(app.blobs.stored)
    team = f"/api/v1/teams/{bench.team.id}"
    assert client.delete(team).status_code == 204
    waits = bench.admin.execute(
        "SELECT id, not_before > clock_timestamp() + interval '11 hours' FROM job WHERE name = 'accounts.erase-team'"
    ).fetchall()
    assert [later for _, later in waits] == [True]
    assert client.post(f"/api/v1/deleted-teams/{bench.team.id}/restore").status_code == 200
    run_all(bench)
    assert set(app.blobs.stored) == stored
    assert client.get(team).status_code == 200

    client.delete(team)
    found = bench.admin.execute("SELECT id FROM job WHERE name = 'accounts.erase-team'").fetchall()
    assert len(found) == 1  # the one of the first deletion went with the reopening
    bench.change(JobId(found[0][0]), "not_before = clock_timestamp()")
    run_job(bench.worker_context, JobId(found[0][0]))
    assert app.blobs.stored == {}
    assert bench.admin.execute("SELECT count(*) FROM team WHERE id = %s", (bench.team.id,)).fetchone() == (0,)


@pytest.mark.processes
def test_usage_of_a_hundred_thousand_files_is_fast(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    bench.admin.execute(
        "INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, run_metadata) "
        "SELECT %s, gen_random_uuid(), %s, lpad(n::text, 40, '0'), '', '', '', '', '{}' FROM generate_series(1, 10000) n",
        (bench.team.id, service["id"]),
    )
    bench.admin.execute(
        "INSERT INTO artifact (team_id, id, name, size_bytes, sha256, build_id, run_metadata, state, kind, created_at) "
        "SELECT team_id, gen_random_uuid(), 'f', 1000, md5(id::text || n), id, '{}', 'decoded', 'profile.cpu', "
        "%s - make_interval(hours => n * 100) FROM build, generate_series(1, 10) n",
        (app.clock.now(),),
    )
    bench.admin.execute("ANALYZE artifact")
    begin = monotonic()
    assert client.get("/api/v1/usage").json()["files"] == 100_000
    took = monotonic() - begin
    seen = client.get("/api/v1/retention/preview", params={"rule": "profile.cpu:30"}).json()
    assert seen["files"] == 30_000
    assert took < 5, took  # some 0.2 s on a quiet machine
