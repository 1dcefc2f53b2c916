"""A build without profiles is warned of stacks that grow, from its executable and the profiles of an earlier build."""

import pytest
from fastapi.testclient import TestClient

from tests.jobs.conftest import Bench
from tests.tasks.test_build_comparisons import BASE, CANDIDATE, post, verdict
from tests.tasks.test_build_evaluation import commit_of
from tests.tasks.test_decode_handlers import run_all

WARNING = (
    "Predicted to cross: a hot path to ident.cloneBytes (2.1% of the earlier build's values) grew from 3,120 to 3,192 B and "
    "crosses 3,168: each goroutine on it grows its stack once more. Reuse goroutines"
)
pytestmark = [pytest.mark.database, pytest.mark.processes]


def post_program(client: TestClient, commit: str, content: bytes, **fields: str) -> str:
    """Post the executable of a build; return the id of the build."""
    response = client.put(
        f"/api/v1/builds/ingester/{commit}/artifacts/program", content=content, params={"branch": "main", **fields}
    )
    assert response.status_code in (200, 201), response.text
    [found] = client.get("/api/v1/builds", params={"search": commit}).json()["items"]
    return str(found["id"])


def test_a_build_without_profiles_is_warned(client: TestClient, bench: Bench, programs: dict[str, bytes]) -> None:
    second = post_program(client, CANDIDATE, programs["helper"], parent=BASE)
    run_all(bench)
    assert "Predicted" not in verdict(client, second)["sentence"]

    post(client, BASE, "inlined", range(4))
    run_all(bench)
    post_program(client, BASE, programs["inlined"])  # the earlier build's files may arrive last
    run_all(bench)
    found = verdict(client, second)
    assert WARNING in found["sentence"]
    assert (found["state"], found["is_announced"]) == ("skipped", False)
    assert found["kinds"] == [{"kind": "stack-size", "verdict": "regressed", "is_announced": True}]

    third = post_program(client, commit_of(3), programs["inlined"], parent=BASE)
    run_all(bench)
    found = verdict(client, third)
    assert "Predicted" not in found["sentence"]
    assert found["kinds"] == [{"kind": "stack-size", "verdict": "unchanged", "is_announced": False}]


def test_a_warning_does_not_change_the_verdict_of_profiles(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    post(client, BASE, "inlined", range(4))
    post_program(client, BASE, programs["inlined"])
    run_all(bench)
    second = post(client, CANDIDATE, "inlined", range(4, 8), parent=BASE)
    post_program(client, CANDIDATE, programs["helper"], parent=BASE)
    run_all(bench)
    found = verdict(client, second)
    assert (found["state"] in {"passed", "inconclusive"}, found["is_announced"]) == (True, False)
    assert found["sentence"].startswith(("Unchanged against", "Inconclusive against"))
    assert WARNING in found["sentence"]
    assert {each["kind"] for each in found["kinds"]} == {"cpu", "stack-size"}
