"""Spans, from the push of an exporter or an upload to pages and comparisons."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import TeamId
from slowpath.evidence.spans.service.span_ingest import RETENTION_DAYS, batch_of_pushes
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import again, run_all
from tests.tasks.test_non_profile_kinds import compared, part, put_file

pytestmark = pytest.mark.database

SPANS = PROFILES.parent / "spans"
PB = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}


def pushed(client: TestClient) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/artifacts").json()["items"]
    return [row for row in items if row["name"].startswith("spans ")]


def fold_now(migrated: TestDatabase) -> None:
    with migrated.as_admin() as connection:
        connection.execute("UPDATE job SET due_at = clock_timestamp(), not_before = clock_timestamp()")


@pytest.mark.parametrize(
    "name", ["distributor.otlp.jsonl", "distributor.otlp.pb", "ui.jaeger.json", "yelp.zipkin.json"]
)
def test_a_set_of_any_dialect_has_a_page_and_its_traces(client: TestClient, bench: Bench, name: str) -> None:
    artifact = put_file(client, SPANS / name)
    run_all(bench)
    current = again(client, artifact)
    page = client.get(f"/api/v1/span-sets/{artifact['id']}")

    assert (current["state"], current["kind"]) == ("decoded", "spans"), current["error"]
    assert page.status_code == 200
    assert current["spans"]["spans"] > 1
    slowest = page.json()["traces"][0]
    trace = client.get(f"/api/v1/span-sets/{artifact['id']}/traces/{slowest['trace_id']}").json()
    assert trace["duration_ns"] == slowest["duration_ns"]
    assert len(trace["spans"]) == slowest["spans"]
    assert client.get(f"/api/v1/span-sets/{artifact['id']}/traces/{'f' * 32}").status_code == 404
    assert client.get(f"/api/v1/span-sets/{artifact['id']}/traces/hello").status_code == 404


def test_all_traces_of_a_set_are_listed_page_by_page(
    client: TestClient, bench: Bench, app: AppUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = put_file(client, SPANS / "distributor.otlp.jsonl")
    run_all(bench)
    path = f"/api/v1/span-sets/{artifact['id']}/traces"
    whole = client.get(path, params={"limit": 200}).json()
    pages = [client.get(path, params={"limit": 7, "offset": at}).json()["items"] for at in range(0, whole["total"], 7)]

    assert whole["total"] == again(client, artifact)["spans"]["traces"] > 7
    assert [row for page in pages for row in page] == whole["items"]
    assert whole["items"][0]["duration_ns"] == max(row["duration_ns"] for row in whole["items"])
    by_time = client.get(path, params={"order": "start", "search": whole["items"][0]["root"][1:4]}).json()
    assert [row["start_ns"] for row in by_time["items"]] == sorted(row["start_ns"] for row in by_time["items"])
    assert client.get(path, params={"order": "colour"}).status_code == 422
    assert client.get(path, params={"limit": 0}).status_code == 422
    # A set that was decoded before lists were stored has one too.
    [key] = [key for key in app.blobs.stored if key.endswith("/traces")]
    monkeypatch.delitem(app.blobs.stored, key)
    assert client.get(path, params={"limit": 200}).json() == whole


def test_the_services_of_a_set_take_their_place_on_the_board(client: TestClient, bench: Bench) -> None:
    put_file(client, SPANS / "distributor.otlp.jsonl")
    run_all(bench)
    [environment] = client.get("/api/v1/environments").json()["items"]
    order = client.get(f"/api/v1/environments/{environment['id']}/service-order").json()

    assert order["source"] == "spans"
    names = [service["name"] for service in order["services"]]
    assert names.index("distributor") < names.index("ingester")
    ratio = {
        edge["ratio"]
        for edge in order["edges"]
        if edge["caller_id"] == order["services"][names.index("distributor")]["id"]
    }
    assert ratio == {3.0}
    window = {"environment_id": environment["id"], "from": "1970-01-02T00:00:00Z", "to": "2199-01-01T00:00:00Z"}
    assert len(client.get("/api/v1/span-sets", params=window).json()) == 1


def test_two_sets_are_compared_with_their_critical_paths_drawn(client: TestClient, bench: Bench) -> None:
    base, candidate = (put_file(client, SPANS / f"distributor.otlp.{kind}") for kind in ("jsonl", "pb"))
    run_all(bench)
    comparison = compared(client, bench, [base], [candidate])

    assert comparison["state"] == "done", comparison["problem"]
    assert "spans" in comparison["artifact_kinds"]
    assert comparison["result"]["findings"] == []
    assert part(client, comparison, "spans")["edges"]
    assert {view["kind"] for view in comparison["views"]} == {"critical-path"}


def test_pushes_become_one_file_of_each_dialect_and_nothing_is_left(
    client: TestClient, bench: Bench, migrated: TestDatabase
) -> None:
    for _ in range(3):
        client.post("/v1/traces", content=(SPANS / "pushes.otlp.pb").read_bytes(), headers=PB)
    client.post("/v1/traces", content=(SPANS / "example.otlp.json").read_bytes(), headers=JSON)
    fold_now(migrated)
    run_all(bench)

    files = pushed(client)
    assert sorted(Path(row["name"]).suffix for row in files) == [".jsonl", ".otlp"]
    assert {row["state"] for row in files} == {"decoded"}
    alone = put_file(client, SPANS / "pushes.otlp.pb")
    run_all(bench)
    once, thrice = again(client, alone)["spans"], next(row["spans"] for row in files if row["name"].endswith(".otlp"))
    assert thrice["spans"] + thrice["duplicates"] >= once["spans"]
    with migrated.as_admin() as connection:
        assert connection.execute("SELECT count(*) FROM span_push").fetchone() == (0,)


def test_folded_files_are_forgotten_after_a_week(client: TestClient, bench: Bench, migrated: TestDatabase) -> None:
    body = (SPANS / "pushes.otlp.pb").read_bytes()
    client.post("/v1/traces", content=body, headers=PB)
    fold_now(migrated)
    run_all(bench)
    team_id = TeamId(UUID(client.get("/api/v1/session").json()["teams"][0]["id"]))
    assert {row["batch"] for row in pushed(client)} == {str(batch_of_pushes(team_id))}
    with migrated.as_admin() as connection:
        connection.execute("UPDATE artifact SET created_at = created_at - %s", (timedelta(days=RETENTION_DAYS + 1),))

    client.post("/v1/traces", content=body, headers=PB)
    fold_now(migrated)
    run_all(bench)

    assert len(pushed(client)) == 1
