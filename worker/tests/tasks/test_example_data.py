"""Example data of a team: added as a whole by a job, and removed as a whole without anything of the team's own."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import JobId
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath_worker import example_additions
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.test_decode_handlers import put

pytestmark = [pytest.mark.database, pytest.mark.processes]

PART_OF_EXAMPLE = "urn:slowpath:part-of-example"
SERVICES = ["distributor", "ingester", "quoter", "timestamps"]
OWN_ACTIVITY = {
    "service.created",
    "artifact.received",
    "comparison.created",
    "example-data.added",
    "example-data.removed",
}
LOGS = {
    "job", "audit_event", "team_event", "notification", "metric_settings", "storage_snapshot", "daily_usage",
    "derived_storage_total", "stored_blob", "membership", "hidden_activity",
}  # fmt: skip
"""Tables that record what happened, or count it: they are not emptied by the removal."""
REPEATED = ["notifications.delete-old", "metrics.delete-expired", "production-events.update"]
"""Jobs that enqueue themselves again."""
COMPARED = 2
"""Comparisons of the team that use a profile of the example, or none."""


def carry_out_all(bench: Bench, name: str = "%") -> int:
    """Carry out the waiting jobs of these names until none is left; return their number."""
    count = 0
    while True:
        found = bench.admin.execute(
            "SELECT id FROM job WHERE state = 'waiting' AND name LIKE %s"
            " AND name <> ALL (%s) ORDER BY name = 'example-data.explain-gap', name = 'example-data.delete-history',"
            " created_at, id LIMIT 1",
            (name, REPEATED),
        ).fetchone()
        if found is None:
            return count
        bench.change(JobId(found[0]), "not_before = clock_timestamp()")
        if bench.carry_out(JobId(found[0]))["state"] == "running":
            # A statement took too long on a loaded machine: the lease expires, and the relay sends the job again.
            bench.change(JobId(found[0]), "lease_expires_at = clock_timestamp() - interval '1 second'")
            bench.carry_out(JobId(found[0]))
        count += 1


def rows_of_team(bench: Bench) -> dict[str, set[tuple[Any, ...]]]:
    """Return the keys of all rows of the team, by table."""
    tables = bench.admin.execute(
        "SELECT columns.table_name FROM information_schema.columns JOIN information_schema.tables"
        " USING (table_schema, table_name) WHERE column_name = 'team_id' AND table_schema = 'public'"
        " AND table_type = 'BASE TABLE'"
    ).fetchall()
    names = {name for (name,) in tables} - LOGS
    return {name: set(rows(bench, name)) for name in names}


def rows(bench: Bench, table: str) -> Iterator[tuple[Any, ...]]:
    key = {"metric_chunk": "id, hour", "metric_roll_up": "id, resolution_ms, first_hour"}.get(table, "id")
    yield from bench.admin.execute(f"SELECT {key} FROM {table} WHERE team_id = %s".encode(), (bench.team.id,))


def assert_events_are_of(client: TestClient, bench: Bench, services: set[str]) -> None:
    """The event log has events of some of these services, and of no others."""
    events = client.get("/api/v1/events").json()["items"]
    names = {str(key): slug for key, slug in bench.admin.execute("SELECT id, slug FROM service").fetchall()}
    assert {names.get(each["service_id"], "removed") for each in events} <= services


def added(client: TestClient, bench: Bench) -> dict[str, Any]:
    """Request the example and carry out the job that adds it."""
    answer = client.post("/api/v1/example-data")
    assert answer.status_code == 202, answer.text
    carry_out_all(bench, "example-data.add")
    body: dict[str, Any] = client.get("/api/v1/example-data").json()
    return body


def test_the_example_is_added_and_marked(client: TestClient, bench: Bench) -> None:
    assert client.get("/api/v1/example-data").json()["state"] == "absent"
    status = added(client, bench)

    assert status.pop("series") > 100
    assert status.pop("own") == {"artifact": None, "build": None, "deployment": None}
    assert status == {"state": "added", "services": SERVICES, "progress": 1.0, "step": "", "detail": None}
    services = client.get("/api/v1/services").json()["items"]
    assert {each["slug"]: each["is_example"] for each in services} == dict.fromkeys(SERVICES, True)
    environments = client.get("/api/v1/environments").json()["items"]
    assert [each["slug"] for each in environments] == ["example"]
    newest = client.get("/api/v1/comparisons").json()["items"][0]
    assert newest["name"] == "Clone through a helper"
    assert client.get("/api/v1/bisects").json()["items"][0]["state"] == "found"
    assert client.post("/api/v1/example-data").json()["type"] == "urn:slowpath:example-data-conflict"
    of_example = next(each for each in services if each["slug"] == "quoter")
    refused = client.delete(f"/api/v1/services/{of_example['id']}")
    assert (refused.status_code, refused.json()["type"]) == (409, PART_OF_EXAMPLE)

    [report] = client.get("/api/v1/reports").json()["items"]
    bisect = client.get("/api/v1/bisects").json()["items"][0]
    assert bisect["sentence"] in report["title"]
    text, snapshot = client.get(f"/api/v1/reports/{report['id']}").json()["blocks"]
    assert bisect["sentence"] in text["markdown"]
    assert (snapshot["path"], report["version"]) == (f"/bisects/{bisect['id']}", 1)


def test_the_largest_gap_of_a_request_is_explained(client: TestClient, bench: Bench) -> None:
    added(client, bench)
    [(job_id,)] = bench.admin.execute("SELECT id FROM job WHERE name = 'example-data.explain-gap'").fetchall()
    assert bench.carry_out(JobId(job_id))["state"] == "waiting", "the spans are not decoded"
    for name in ("artifacts.decode", "example-data.explain-gap", "gap-explanations.compute"):
        carry_out_all(bench, name)
    [explained] = bench.admin.execute("SELECT state, document->>'basis' FROM gap_explanation").fetchall()
    assert explained == ("done", "id")


def changes_of_parts(client: TestClient) -> list[tuple[str, str, dict[str, Any]]]:
    """Return a change of each kind of part of the example: method, path, body."""

    def first(path: str) -> str:
        found: str = client.get(f"/api/v1/{path}").json()["items"][0]["id"]
        return found

    bisect, report, environment = first("bisects"), first("reports"), first("environments")
    commit = client.get(f"/api/v1/builds/{first('builds')}").json()["commit"]
    return [
        ("PATCH", f"/services/{first('services')}", {"name": "other"}),
        ("PATCH", f"/environments/{environment}", {"name": "other"}),
        ("DELETE", f"/environments/{environment}", {}),
        ("PATCH", f"/builds/{first('builds')}", {"display_name": "other"}),
        ("DELETE", f"/builds/{first('builds')}", {}),
        ("POST", f"/builds/ingester/{commit}", {}),
        ("PATCH", f"/artifacts/{first('artifacts')}", {"name": "other"}),
        ("DELETE", f"/artifacts/{first('artifacts')}", {}),
        ("PATCH", f"/comparisons/{first('comparisons')}", {"name": "other"}),
        ("DELETE", f"/comparisons/{first('comparisons')}", {}),
        ("DELETE", f"/repositories/{first('repositories')}", {}),
        ("PATCH", f"/bisects/{bisect}", {"name": "other"}),
        ("DELETE", f"/bisects/{bisect}", {}),
        ("POST", f"/bisects/{bisect}/actions", {"action": "cancel"}),
        ("PATCH", f"/reports/{report}", {"title": "other"}),
        ("POST", f"/reports/{report}/publish", {}),
        ("DELETE", f"/reports/{report}", {}),
    ]


def test_no_part_of_the_example_can_be_changed(client: TestClient, bench: Bench) -> None:
    added(client, bench)
    for method, path, body in changes_of_parts(client):
        refused = client.request(method, f"/api/v1{path}", json=body)
        assert (refused.status_code, refused.json()["type"]) == (409, PART_OF_EXAMPLE), (method, path)
    comparison = client.get("/api/v1/comparisons").json()["items"][0]["id"]
    assert client.post(f"/api/v1/comparisons/{comparison}/swap").status_code < 300, "it creates another comparison"

    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    assert client.patch(f"/api/v1/services/{service['id']}", json={"name": "Shop"}).status_code == 200
    other = client.post("/api/v1/reports", json={"title": "ours"}).json()
    assert client.delete(f"/api/v1/reports/{other['id']}").status_code == 204


def test_removing_leaves_exactly_what_was_there(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    file = min((example_additions.EXAMPLE / "artifacts" / "inlined").glob("*.pb.gz"))
    own_service = client.post("/api/v1/services", json={"name": "shop"}).json()
    own_build = client.post("/api/v1/builds", json={"service_id": own_service["id"], "commit": "abc"}).json()
    own = put(client, file.read_bytes(), "same-bytes.pb.gz", build_id=own_build["id"])
    other = put(client, file.read_bytes(), "again.pb.gz")
    carry_out_all(bench)
    before, blobs = rows_of_team(bench), set(app.blobs.stored)

    added(client, bench)
    assert carry_out_all(bench) > 100, "files are decoded, builds evaluated and sides compared"
    services = client.get("/api/v1/services").json()["items"]
    assert {each["slug"] for each in services if not each["is_example"]} == {"shop"}
    of_team = client.get("/api/v1/example-data").json()["own"]
    assert (of_team["artifact"]["name"], of_team["build"]["name"]) == ("again.pb.gz", "abc")
    of_example = client.get("/api/v1/artifacts").json()["items"][0]
    mixed = client.post(
        "/api/v1/comparisons",
        json={"base": {"artifact_ids": [own["id"]]}, "candidate": {"artifact_ids": [of_example["id"]]}},
    ).json()
    between = client.post(
        "/api/v1/comparisons",
        json={"base": {"artifact_ids": [own["id"]]}, "candidate": {"artifact_ids": [other["id"]]}},
    ).json()
    assert len(app.blobs.stored) > len(blobs)
    listed = client.get("/api/v1/comparisons").json()["items"]
    through_helper = next(each["id"] for each in listed if each["name"] == "Clone through a helper")
    compiler = client.get(f"/api/v1/comparisons/{through_helper}").json()["result"]["compiler"]
    assert "ingester/ident.cloneBytes" in {each["callee"] for each in compiler["findings"]}

    assert_events_are_of(client, bench, {"shop", *SERVICES})

    assert client.delete("/api/v1/example-data").json()["state"] == "removing"
    carry_out_all(bench)
    assert_events_are_of(client, bench, {"shop"})
    activity = client.get("/api/v1/activity", params={"limit": 100}).json()["items"]
    assert {each["action"] for each in activity} <= OWN_ACTIVITY
    listed_jobs = bench.admin.execute(
        "SELECT subject_kind, subject_id FROM job WHERE subject_kind <> 'team'"
    ).fetchall()
    own_artifacts = {own["id"], other["id"]}
    assert {str(key) for kind, key in listed_jobs if kind == "artifact"} == own_artifacts
    assert "example-data" not in {kind for kind, _ in listed_jobs}
    actions = bench.admin.execute("SELECT action FROM audit_event WHERE action LIKE 'example-data.%'").fetchall()
    assert sorted(action for (action,) in actions) == ["example-data.added", "example-data.removed"]

    assert client.get("/api/v1/example-data").json()["state"] == "absent"
    after = rows_of_team(bench)
    of_comparisons = {"comparison", "comparison_artifact", "diff_view"}
    assert {
        name: after[name] ^ before[name] for name in after if name not in of_comparisons and after[name] != before[name]
    } == {}
    assert len(after["comparison"]) == COMPARED
    for each in (mixed, between):
        assert client.get(f"/api/v1/comparisons/{each['id']}").status_code == 200
    assert client.get(f"/api/v1/artifacts/{own['id']}/original").content == file.read_bytes()
    assert original_key(bench.team.id, own["sha256"]) in app.blobs.stored
    of_own = {key for key in app.blobs.stored if "/comparisons/" in key}
    assert set(app.blobs.stored) - of_own == blobs


def test_names_of_the_team_are_not_taken_over(client: TestClient) -> None:
    client.post("/api/v1/services", json={"name": "Ingester"})
    refused = client.post("/api/v1/example-data")
    assert (refused.status_code, "ingester" in refused.json()["detail"]) == (409, True)
    assert client.delete("/api/v1/example-data").status_code == 404


def test_a_removal_stops_an_addition_that_waits(client: TestClient, bench: Bench) -> None:
    client.post("/api/v1/example-data")
    client.delete("/api/v1/example-data")
    carry_out_all(bench, "example-data.remove")
    assert client.get("/api/v1/example-data").json()["state"] == "absent"
    assert client.get("/api/v1/services").json()["items"] == []


def test_an_addition_that_failed_half_way_is_repeated(
    client: TestClient, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(example_additions, "FOLDERS", ("board", "absent"))
        status = added(client, bench)
    assert (status["state"], status["services"]) == ("failed", SERVICES)

    assert added(client, bench)["state"] == "added"
    assert len(client.get("/api/v1/services").json()["items"]) == len(SERVICES)
    assert json.dumps(client.get("/api/v1/example-data").json()["detail"]) == "null"
