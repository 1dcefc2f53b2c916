"""The second build of a service has an answer: real profiles, the real helper, every job carried out."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.commit_names import COMMIT_DIGITS
from slowpath.core.ids import TeamId
from slowpath.operations.retention.jobs import EnforceRetention
from tests.inventory.webhooks.webhook_senders import EXAMPLES, GITLAB_PIPELINE
from tests.jobs.conftest import Bench
from tests.jobs.test_github_webhooks import hook, run, service
from tests.support.app_under_test import AppUnderTest
from tests.tasks.test_build_evaluation import CAPTURES, commit_of
from tests.tasks.test_decode_handlers import run_all

pytestmark = [pytest.mark.database, pytest.mark.processes]

BASE, CANDIDATE = commit_of(1), commit_of(2)
COMMITS = [commit_of(number << 28) for number in (1, 2, 3)]
"""Commits whose short forms differ."""


def post(
    client: TestClient,
    commit: str,
    variant: str,
    numbers: range,
    *,
    kind: str = "cpu",
    facts: dict[str, Any] | None = None,
    **fields: str,
) -> str:
    """Post profiles of a build as CI would; returns its id."""
    for number in numbers:
        path = CAPTURES / variant / f"{kind}.{number:02}.pb.gz"
        captured = json.loads(path.with_name(f"{path.name}.facts.json").read_text())
        known = {
            name: captured[name] for name in ("requests", "wall_ns", "go_version", "gomaxprocs") if name in captured
        }
        stated = {name: value for name, value in (known | (facts or {})).items() if value is not None}
        response = client.put(
            f"/api/v1/builds/ingester/{commit}/artifacts/{variant}-{path.name}",
            content=path.read_bytes(),
            params={"branch": "main", "run_metadata": json.dumps(stated), **fields},
        )
        assert response.status_code in (200, 201), response.text
    [found] = client.get("/api/v1/builds", params={"search": commit}).json()["items"]
    return str(found["id"])


def verdict(client: TestClient, build_id: str) -> dict[str, Any]:
    body: dict[str, Any] = client.get(f"/api/v1/builds/{build_id}/verdict").json()
    return body


def comparison_id(client: TestClient, build_id: str) -> str:
    return str(verdict(client, build_id)["comparison"]["comparison_id"])


def count_jobs(bench: Bench, name: str) -> int:
    [[count]] = bench.admin.execute("SELECT count(*) FROM job WHERE name = %s", (name,)).fetchall()
    return int(count)


def comparisons_of(client: TestClient, *origins: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get("/api/v1/comparisons", params={"origin": origins}).json()["items"]
    return items


def test_the_second_build_with_growing_stacks_is_announced(client: TestClient, bench: Bench) -> None:
    first = post(client, BASE, "inlined", range(4))
    run_all(bench)
    assert verdict(client, first)["comparison"]["state"] == "first-build"
    assert verdict(client, first)["state"] == "skipped"

    second = post(client, CANDIDATE, "helper", range(4), parent=BASE)
    run_all(bench)
    found = verdict(client, second)
    assert (found["state"], found["is_announced"]) == ("changed", True), found
    assert found["sentence"].startswith(f"Regressed against {BASE[:COMMIT_DIGITS]}: ")
    assert "stack growth" in found["sentence"]
    assert found["kinds"] == [{"kind": "cpu", "verdict": "regressed", "is_announced": True}]
    assert found["comparison"]["base"] == {"build_id": first, "commit": BASE}
    comparison = client.get(f"/api/v1/comparisons/{found['comparison']['comparison_id']}").json()
    assert (comparison["state"], comparison["verdict"], comparison["origin"]) == ("done", "regressed", "build")
    assert {view["state"] for view in comparison["views"]} == {"not-built"}
    assert comparisons_of(client) == []
    assert [each["id"] for each in comparisons_of(client, "build")] == [comparison["id"]]

    view = next(each for each in comparison["views"] if each["granularity"] == "function")
    asked = {name: view[name] for name in ("kind", "sample_type", "granularity")}
    assert client.post(f"/api/v1/comparisons/{comparison['id']}/views", json=asked).status_code < 300
    run_all(bench)
    built = client.get(f"/api/v1/comparisons/{comparison['id']}").json()["views"]
    assert [each["state"] for each in built].count("done") == 1


def test_an_equal_build_is_not_announced(client: TestClient, bench: Bench) -> None:
    post(client, BASE, "inlined", range(4))
    second = post(client, CANDIDATE, "inlined", range(4, 8), parent=BASE)
    run_all(bench)
    found = verdict(client, second)
    assert found["is_announced"] is False
    assert found["state"] in {"passed", "inconclusive"}
    assert found["comparison"]["state"] in {"unchanged", "inconclusive"}


def test_a_build_under_other_conditions_says_what_differs(client: TestClient, bench: Bench) -> None:
    post(client, BASE, "inlined", range(2))
    second = post(client, CANDIDATE, "helper", range(2), facts={"go_version": "go1.99"}, parent=BASE)
    run_all(bench)
    found = verdict(client, second)
    assert (found["state"], found["comparison"]["state"]) == ("inconclusive", "other-conditions")
    assert "go1.99" in found["sentence"]
    assert BASE[:COMMIT_DIGITS] in found["sentence"]
    assert found["required_evidence"] == {"builds": 1, "profiles": None}

    third = post(client, commit_of(3), "helper", range(2, 4), facts={"go_version": "go1.99"}, parent=CANDIDATE)
    run_all(bench)
    assert verdict(client, third)["comparison"]["base"]["commit"] == CANDIDATE


UNSTATED = {"go_version": None, "gomaxprocs": None}
"""As the lines with `curl` in the guide send a profile: without conditions."""


def test_a_build_without_run_metadata_is_compared_with_a_caveat(client: TestClient, bench: Bench) -> None:
    post(client, COMMITS[0], "inlined", range(2), facts=UNSTATED)
    second = post(client, COMMITS[1], "inlined", range(2, 4), parent=COMMITS[0])
    run_all(bench)
    found = verdict(client, second)
    assert found["comparison"]["base"]["commit"] == COMMITS[0]
    caveat = "Only one of the builds states its Go version and GOMAXPROCS: they may differ and explain a difference."
    assert found["sentence"].endswith(caveat)

    third = post(client, COMMITS[2], "inlined", range(4, 6), parent=COMMITS[1])
    run_all(bench)
    compared = verdict(client, third)
    assert compared["comparison"]["base"]["commit"] == COMMITS[1]
    assert "Only one of the builds" not in compared["sentence"]


def test_equal_conditions_precede_nearer_unknown_ones(client: TestClient, bench: Bench) -> None:
    """A nearer build without metadata is not chosen, and one with the same conditions replaces it once it arrives."""
    post(client, COMMITS[1], "inlined", range(2, 4), facts=UNSTATED, committed_at="2026-05-02T10:00:00Z")
    third = post(client, COMMITS[2], "inlined", range(4, 6), committed_at="2026-05-03T10:00:00Z")
    run_all(bench)
    assert verdict(client, third)["comparison"]["base"]["commit"] == COMMITS[1]
    post(client, COMMITS[0], "inlined", range(2), committed_at="2026-05-01T10:00:00Z")
    run_all(bench)
    found = verdict(client, third)
    assert found["comparison"]["base"]["commit"] == COMMITS[0]
    assert "Only one of the builds" not in found["sentence"]


def test_a_build_is_compared_once_its_ancestor_arrives(client: TestClient, bench: Bench) -> None:
    second = post(client, CANDIDATE, "helper", range(4), parent=BASE)
    run_all(bench)
    assert verdict(client, second)["comparison"]["state"] == "first-build"

    first = post(client, BASE, "inlined", range(4))
    run_all(bench)
    found = verdict(client, second)
    assert found["comparison"]["base"]["build_id"] == first
    assert (found["state"], found["is_announced"]) == ("changed", True)
    assert verdict(client, first)["comparison"]["state"] == "first-build"


def test_a_base_with_more_artifacts_refreshes_the_comparisons_with_it(client: TestClient, bench: Bench) -> None:
    first = post(client, COMMITS[0], "inlined", range(2))
    post(client, COMMITS[1], "helper", range(4), parent=COMMITS[0])
    other = post(client, COMMITS[2], "helper", range(4, 8), parent=COMMITS[0])
    run_all(bench)
    [compared] = [each for each in comparisons_of(client, "build") if each["id"] == comparison_id(client, other)]
    assert compared["base"]["artifacts"] == 2
    before = count_jobs(bench, "regressions.refresh-build-comparison")

    for number in (2, 3):  # two uploads, one job per descendant
        post(client, COMMITS[0], "inlined", range(number, number + 1))
        run(bench, "artifacts.decode")
    run_all(bench)
    assert count_jobs(bench, "regressions.refresh-build-comparison") - before == 2
    now = {each["id"]: each for each in comparisons_of(client, "build")}
    assert comparison_id(client, other) != compared["id"]
    assert {each["base"]["artifacts"] for each in now.values()} == {4}
    assert verdict(client, other)["comparison"]["base"]["build_id"] == first
    assert verdict(client, other)["state"] != "evaluating"


def test_a_base_with_as_many_artifacts_as_a_side_may_have_repeats_nothing(client: TestClient, bench: Bench) -> None:
    post(client, COMMITS[0], "inlined", range(10))
    second = post(client, COMMITS[1], "helper", range(2), parent=COMMITS[0])
    run_all(bench)
    before = comparison_id(client, second), count_jobs(bench, "regressions.refresh-build-comparison")
    post(client, COMMITS[0], "helper", range(1))
    run_all(bench)
    after = comparison_id(client, second), count_jobs(bench, "regressions.refresh-build-comparison")
    assert after == (before[0], before[1] + 1)


def test_a_build_that_becomes_the_nearest_base_replaces_the_former(client: TestClient, bench: Bench) -> None:
    post(client, COMMITS[0], "inlined", range(2), committed_at="2026-05-01T10:00:00Z")
    third = post(client, COMMITS[2], "helper", range(2), committed_at="2026-05-03T10:00:00Z")
    between = post(client, COMMITS[1], "inlined", range(2), kind="heap", committed_at="2026-05-02T10:00:00Z")
    run_all(bench)
    assert verdict(client, third)["comparison"]["base"]["commit"] == COMMITS[0]
    post(client, COMMITS[1], "inlined", range(4, 6))
    run_all(bench)
    assert verdict(client, third)["comparison"]["base"]["build_id"] == between


def test_a_build_of_another_kind_has_nothing_to_compare_with(client: TestClient, bench: Bench) -> None:
    post(client, BASE, "inlined", range(2), kind="heap")
    second = post(client, CANDIDATE, "helper", range(2), parent=BASE)
    run_all(bench)
    found = verdict(client, second)
    assert found["comparison"]["state"] == "no-match"
    assert "same kinds" in found["sentence"]


def test_artifacts_that_arrive_later_replace_the_comparison_once(client: TestClient, bench: Bench) -> None:
    post(client, BASE, "inlined", range(4))
    second = post(client, CANDIDATE, "helper", range(2), parent=BASE)
    run_all(bench)
    before = verdict(client, second)["comparison"]["comparison_id"]
    prefix = f"{bench.team.id}/comparisons/{before}"

    post(client, CANDIDATE, "helper", range(2, 4))
    run_all(bench)
    after = verdict(client, second)["comparison"]["comparison_id"]
    assert after != before
    assert client.get(f"/api/v1/comparisons/{before}").status_code == 404
    assert [blob for page in bench.worker_context.blobs.listed(prefix) for blob in page] == []
    [found] = comparisons_of(client, "build")
    assert found["id"] == after
    assert found["candidate"]["artifacts"] == 4
    [[computed]] = bench.admin.execute("SELECT count(*) FROM job WHERE name = 'comparisons.compute'").fetchall()
    assert computed == 2


def test_a_comparison_is_stored_as_long_as_the_artifacts_of_its_build(client: TestClient, bench: Bench) -> None:
    first = post(client, BASE, "inlined", range(2))
    second = post(client, CANDIDATE, "helper", range(2), parent=BASE)
    run_all(bench)
    comparison_id = verdict(client, second)["comparison"]["comparison_id"]
    prefix = f"{bench.team.id}/comparisons/{comparison_id}"

    def expire(build_id: str) -> None:
        age = "UPDATE artifact SET created_at = created_at - interval '40 days' WHERE build_id = %s"
        bench.admin.execute(age, (build_id,))
        assert bench.carry_out(bench.write_down(EnforceRetention(TeamId(bench.team.id))))["state"] == "done"

    client.put("/api/v1/retention", json={"rules": [{"kind": "profile.cpu", "retention_days": 30}]})
    expire(first)
    assert client.get(f"/api/v1/comparisons/{comparison_id}").status_code == 200
    expire(second)
    assert client.get(f"/api/v1/comparisons/{comparison_id}").status_code == 404
    assert [blob for page in bench.worker_context.blobs.listed(prefix) for blob in page] == []
    assert verdict(client, second)["comparison"]["comparison_id"] is None
    assert verdict(client, second)["sentence"] != ""


def record_fork(client: TestClient, service_id: str, shas: dict[str, str]) -> str:
    """Record a repository whose branch `head` began at `fork`, before `tip` was committed to the main branch."""
    fields = {"name": "app", "services": [{"service_id": service_id, "directory": "", "main_package": ""}]}
    repository_id = client.post("/api/v1/repositories", json=fields).json()["id"]
    commits = [
        {"sha": shas["fork"], "parents": []},
        {"sha": shas["tip"], "parents": [shas["fork"]]},
        {"sha": shas["head"], "parents": [shas["fork"]]},
    ]
    answer = client.post(f"/api/v1/repositories/{repository_id}/commits", json={"commits": commits})
    assert answer.status_code < 300, answer.text
    return str(repository_id)


@pytest.mark.parametrize("host", ["github", "gitlab"])
def test_a_pull_request_is_compared_with_the_build_of_the_merge_base(
    host: str, client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    message = EXAMPLES["workflow_run"][0]
    pipeline: dict[str, Any] = dict(GITLAB_PIPELINE)
    head = message["workflow_run"]["head_sha"] if host == "github" else pipeline["object_attributes"]["sha"]
    target = "master" if host == "github" else "main"
    shas = {"fork": commit_of(1), "tip": commit_of(2), "head": str(head)}
    service_id = service(client, "ingester")
    record_fork(client, service_id, shas)
    sender = hook(client, app, kind=host, service_ids=[service_id])
    if host == "github":
        sender.send(message, "workflow_run")
    else:
        merge = {**pipeline["merge_request"], "target_branch": target}
        sender.send({**pipeline, "merge_request": merge}, "Pipeline Hook")
    run(bench, "webhooks.process-delivery")

    fork = post(client, shas["fork"], "inlined", range(4), branch=target)
    post(client, shas["tip"], "helper", range(4), branch=target)
    pull = post(client, shas["head"], "inlined", range(4, 8), branch="fast")
    for name in ("artifacts.decode", "regressions.evaluate-build", "comparisons.compute"):
        run(bench, name)
    found = verdict(client, pull)
    assert found["comparison"]["base"]["build_id"] == fork
    assert found["comparison"]["is_merge_base"] is True
    assert found["is_announced"] is False, "against the tip of the target branch it would have improved"
    assert "the merge base" in found["sentence"] or found["comparison"]["state"] == "inconclusive"
