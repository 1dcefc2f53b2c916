"""From a profile that CI posts to a regression: real profiles, the real helper, every job carried out."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import BuildId, JobId, new_id
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from tests.jobs.conftest import Bench
from tests.tasks.test_decode_handlers import run_all

pytestmark = pytest.mark.database

CAPTURES = Path(__file__).parents[2] / "example" / "artifacts"
REAL = 8
"""Builds of the good variant that are measured from their files; the longer history repeats what they measured."""
HISTORY = 64


def post(client: TestClient, commit: str, variant: str, numbers: list[int]) -> str:
    """Post profiles of a build as CI would; returns its id."""
    for number in numbers:
        path = CAPTURES / variant / f"cpu.{number:02}.pb.gz"
        facts = json.loads(path.with_name(f"{path.name}.facts.json").read_text())
        facts = {name: facts[name] for name in ("requests", "wall_ns", "go_version", "gomaxprocs")}
        response = client.put(
            f"/api/v1/builds/ingester/{commit}/artifacts/{path.name}",
            content=path.read_bytes(),
            params={"branch": "main", "run_metadata": json.dumps(facts)},
        )
        assert response.status_code in (200, 201), response.text
    [found] = client.get("/api/v1/builds", params={"search": commit}).json()["items"]
    return str(found["id"])


def commit_of(number: int) -> str:
    return f"{number:08x}" + "0" * 32


def judgement(client: TestClient, build_id: str) -> dict[str, Any]:
    body: dict[str, Any] = client.get(f"/api/v1/builds/{build_id}/verdict").json()
    return body


def repeat(bench: Bench, number: int) -> None:
    """Give the service an older build that measures what one of the real ones does."""
    build_id = new_id()
    bench.admin.execute(
        "INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, branch, committed_at, run_metadata)"
        " SELECT team_id, %(new)s, service_id, %(commit)s, go_version, goos, goarch, flags, branch,"
        " created_at - make_interval(hours => %(hours)s), '{}' FROM build ORDER BY created_at LIMIT 1",
        {"new": build_id, "commit": commit_of(1000 + number), "hours": 2 + number},
    )
    bench.admin.execute(
        "INSERT INTO build_verdict (team_id, id, build_id, service_id, branch, ordered_at, state, sentence, evaluated_at)"
        " SELECT team_id, %(id)s, id, service_id, branch, committed_at, 'passed', '', committed_at FROM build WHERE id = %(new)s",
        {"id": new_id(), "new": build_id},
    )
    for kind in ("profile.category", "profile.function"):
        bench.admin.execute(
            "INSERT INTO build_measurement (team_id, id, build_id, kind, artifact_hashes, artifacts, conditions, content)"
            " SELECT m.team_id, %(id)s, %(new)s, m.kind, 'repeated', m.artifacts, m.conditions, m.content"
            " FROM build_measurement m JOIN build b ON b.id = m.build_id WHERE m.kind = %(kind)s AND b.commit = %(like)s",
            {"id": new_id(), "new": build_id, "kind": kind, "like": commit_of(number % REAL)},
        )


def test_a_build_is_measured_once_for_repeated_requests(client: TestClient, bench: Bench) -> None:
    build_id = post(client, commit_of(0), "inlined", [0, 1])
    before = judgement(client, build_id)
    run_all(bench)

    verdict = judgement(client, build_id)
    assert (before["state"], verdict["state"]) == ("pending", "skipped")
    assert verdict["required_evidence"]["builds"] > 0
    rows = bench.admin.execute(
        "SELECT kind, artifacts, artifact_hashes, content FROM build_measurement ORDER BY kind"
    ).fetchall()
    assert [(kind, artifacts) for kind, artifacts, *_ in rows] == [("profile.category", 2), ("profile.function", 2)]

    job_id: JobId = bench.write_down(EvaluateBuild(BuildId(UUID(build_id))))
    assert bench.carry_out(job_id)["state"] == "done"
    again = bench.admin.execute(
        "SELECT kind, artifacts, artifact_hashes, content FROM build_measurement ORDER BY kind"
    ).fetchall()
    assert again == rows
    [[evaluated]] = bench.admin.execute(
        "SELECT count(*) FROM job WHERE name = 'regressions.notify-build-evaluated'"
    ).fetchall()
    assert evaluated == 1

    post(client, commit_of(0), "inlined", [2])
    run_all(bench)
    stored = bench.admin.execute("SELECT artifacts FROM build_measurement").fetchall()
    assert stored == [(3,), (3,)]


def test_a_build_is_measured_anew_when_its_files_or_facts_change(client: TestClient, bench: Bench) -> None:
    first, second = post(client, commit_of(0), "inlined", [0, 1]), post(client, commit_of(1), "inlined", [2])
    run_all(bench)
    moved, stays = client.get(f"/api/v1/artifacts?build_id={first}").json()["items"]

    def measured() -> dict[str, tuple[int, str]]:
        found = bench.admin.execute(
            "SELECT build_id::text, artifacts, conditions FROM build_measurement WHERE kind = 'profile.category'"
        )
        return {build_id: (artifacts, conditions) for build_id, artifacts, conditions in found}

    client.patch(f"/api/v1/artifacts/{moved['id']}", json={"build_id": second})
    run_all(bench)
    assert {build: held[0] for build, held in measured().items()} == {first: 1, second: 2}

    client.delete(f"/api/v1/artifacts/{stays['id']}")
    run_all(bench)
    assert {build: held[0] for build, held in measured().items()} == {second: 2}
    assert judgement(client, first)["state"] == "skipped"
    assert judgement(client, first)["sentence"].startswith("Not evaluated: this build has no")

    before = measured()[second][1]
    facts = moved["run_metadata"] | {"go_version": "go1.99"}
    client.patch(f"/api/v1/artifacts/{moved['id']}", json={"run_metadata": facts})
    run_all(bench)
    assert measured()[second][1] != before
    assert "go1.99" in measured()[second][1]


def test_memory_is_measured_in_bytes_and_what_is_allocated_by_the_second(client: TestClient, bench: Bench) -> None:
    for kind in ("heap", "allocs"):
        for number in (0, 1):
            path = CAPTURES / "helper" / f"{kind}.{number:02}.pb.gz"
            response = client.put(
                f"/api/v1/builds/ingester/{commit_of(0)}/artifacts/{path.name}",
                content=path.read_bytes(),
                params={"branch": "main"},
            )
            assert response.status_code == 201
    run_all(bench)
    [service] = client.get("/api/v1/services").json()["items"]

    def drawn(kind: str) -> dict[str, Any]:
        page = client.get(f"/api/v1/services/{service['id']}/series", params={"kind": kind}).json()
        return {each["subject"]: each for each in page["series"]}

    heap, allocs = drawn("profile.heap"), drawn("profile.allocs")
    assert heap["total"]["unit"] == "bytes"
    assert heap["total"]["values"][0] > 1e6
    assert heap["total"]["levels"] == [None]
    assert "ingester/storage.NewDB" in heap
    assert allocs["total"]["unit"] in {"bytes/s", "share"}


@pytest.mark.processes
def test_real_profiles_of_a_slower_build_become_one_regression(client: TestClient, bench: Bench) -> None:
    for number in range(REAL):
        post(client, commit_of(number), "inlined", [number])
    run_all(bench)
    for number in range(HISTORY):
        repeat(bench, number)
    slower = []
    for number in range(4):
        slower.append(post(client, commit_of(100 + number), "helper", [number]))
        run_all(bench)

    [row] = client.get("/api/v1/regressions").json()["items"]
    assert row["first_bad_build"]["build_id"] == slower[0]
    assert row["ratio"] > 1.2
    assert row["related_series"] != []
    assert row["comparison_id"] is not None
    comparison = client.get(f"/api/v1/comparisons/{row['comparison_id']}").json()
    assert (comparison["state"], comparison["verdict"]) == ("done", "regressed")
    assert judgement(client, slower[0])["state"] == "changed"
    assert judgement(client, slower[0])["regression_ids"] == [row["id"]]
    page = client.get(f"/api/v1/regressions/{row['id']}/series").json()
    assert page["builds"][-1]["id"] == slower[-1]
    assert page["series"][0]["subject"] == row["subject"]
    assert len(page["series"][0]["values"]) == len(page["builds"])
    [[opened]] = bench.admin.execute("SELECT count(*) FROM job WHERE name = 'regressions.notify-opened'").fetchall()
    assert opened == 1
