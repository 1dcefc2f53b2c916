"""A gap between spans, explained from the execution trace that the same process recorded: from both files to the words."""

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.jobs.conftest import Bench
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import again, run_all
from tests.tasks.test_non_profile_kinds import put_file

pytestmark = pytest.mark.database

TRACED = Path(__file__).parents[2] / "example" / "board" / "traced"
SPANS, TRACE = TRACED / "spans.00.otlp.gz", TRACED / "distributor.trace.gz"
OTHER_TRACE = PROFILES.parent / "traces" / "hogs.trace"
COLLECTED = "5fc9e27e5eda72a526d4e808f6b3a4aa"
"""A write during which the collector marked."""


def largest_gap(client: TestClient, spans_id: str) -> dict[str, int]:
    """Where the largest gap of the distributor's own span is."""
    body = client.get(f"/api/v1/span-sets/{spans_id}/traces/{COLLECTED}").json()
    found = [
        (gap["end_ns"] - gap["start_ns"], row, number)
        for row, span in enumerate(body["spans"])
        if (span["service"], span["kind"]) == ("distributor", "server")
        for number, gap in enumerate(span["gaps"])
    ]
    _, row, number = max(found)
    return {"span": row, "gap": number}


def asked(client: TestClient, spans_id: str, gap: dict[str, int]) -> dict[str, Any]:
    answer = client.post(f"/api/v1/span-sets/{spans_id}/traces/{COLLECTED}/gap-explanations", json=gap)
    assert answer.status_code == 202, answer.text
    body: dict[str, Any] = answer.json()
    return body


def explained(client: TestClient, bench: Bench, spans_id: str, gap: dict[str, int]) -> dict[str, Any]:
    made = asked(client, spans_id, gap)
    run_all(bench)
    current = again(client, made, "gap-explanations")
    assert current["state"] == "done", current["problem"]
    content: dict[str, Any] = current["document"]
    return content


def test_a_gap_is_explained_by_the_trace_that_names_its_span(client: TestClient, bench: Bench) -> None:
    spans, trace = put_file(client, SPANS), put_file(client, TRACE)
    run_all(bench)
    gap = largest_gap(client, spans["id"])
    content = explained(client, bench, spans["id"], gap)

    assert (content["basis"], content["reason"], content["caveats"]) == ("id", None, [])
    assert content["trace"]["artifact_id"] == trace["id"]
    assert content["goroutine"]["group"] == "net/http.(*conn).serve"
    assert sum(part["ns"] for part in content["parts"]) == content["gap"]["duration_ns"]
    by_state = {part["state"]: part["ns"] for part in content["parts"]}
    assert by_state["assist"] > 0.3 * content["gap"]["duration_ns"]
    assert content["gc"]["mark_ns"] > 0.9 * content["gap"]["duration_ns"]
    assert "GC assist" in content["sentence"]
    assert (content["gap"]["previous"], content["gap"]["next"]) == ("read body", "Ingester/Push")
    listed = client.get(f"/api/v1/span-sets/{spans['id']}/traces/{COLLECTED.upper()}/gap-explanations").json()
    assert [(row["span"], row["gap"], row["state"]) for row in listed] == [(gap["span"], gap["gap"], "done")]


def test_asked_again_the_answer_is_the_same(client: TestClient, bench: Bench) -> None:
    spans = put_file(client, SPANS)
    put_file(client, TRACE)
    run_all(bench)
    gap = largest_gap(client, spans["id"])
    first, second = asked(client, spans["id"], gap), asked(client, spans["id"], gap)
    run_all(bench)
    third = asked(client, spans["id"], gap)

    assert first["id"] == second["id"] == third["id"]
    assert first["job_id"] == second["job_id"] == third["job_id"]
    assert third["state"] == "done"


def test_a_later_trace_explains_an_unexplained_gap(client: TestClient, bench: Bench) -> None:
    spans = put_file(client, SPANS)
    put_file(client, OTHER_TRACE)
    run_all(bench)
    gap = largest_gap(client, spans["id"])
    before = explained(client, bench, spans["id"], gap)
    put_file(client, TRACE)
    run_all(bench)
    after = explained(client, bench, spans["id"], gap)

    assert (before["basis"], before["reason"]) == ("nothing", "no-trace")
    assert before["sentence"].startswith("No execution trace of distributor covers this gap of ")
    assert after["basis"] == "id"


def build_of(client: TestClient, service: str) -> str:
    made = client.post("/api/v1/services", json={"name": service})
    services = {row["name"]: row["id"] for row in client.get("/api/v1/services").json()["items"]}
    assert made.status_code in {201, 409}
    build: str = client.post("/api/v1/builds", json={"service_id": services[service], "commit": "c" * 40}).json()["id"]
    return build


def test_the_trace_of_another_service_is_not_read(client: TestClient, bench: Bench) -> None:
    spans = put_file(client, SPANS)
    about = {"build_id": build_of(client, "ledger")}
    client.put(f"/api/v1/artifacts/{TRACE.name}", content=TRACE.read_bytes(), params=about)
    run_all(bench)
    content = explained(client, bench, spans["id"], largest_gap(client, spans["id"]))

    assert (content["basis"], content["looked"]) == ("nothing", [])


def test_a_trace_that_does_not_cover_the_spans_is_reported(client: TestClient, bench: Bench) -> None:
    about = {"build_id": build_of(client, "distributor")}
    spans = client.put(f"/api/v1/artifacts/{SPANS.name}", content=SPANS.read_bytes(), params=about).json()
    client.put("/api/v1/artifacts/hogs.trace", content=OTHER_TRACE.read_bytes(), params=about)
    run_all(bench)
    content = explained(client, bench, spans["id"], largest_gap(client, spans["id"]))

    assert content["basis"] == "nothing"
    assert [each["name"] for each in content["looked"]] == ["hogs.trace"]
    assert content["looked"][0]["reason"] in content["sentence"]


def test_gaps_that_are_not_there_are_refused(client: TestClient, bench: Bench) -> None:
    spans = put_file(client, SPANS)
    run_all(bench)
    at = f"/api/v1/span-sets/{spans['id']}/traces"

    for trace, body, status, slug in (
        (COLLECTED, {"span": 0, "gap": 9}, 404, "gap-not-found"),
        (COLLECTED, {"span": 999, "gap": 0}, 404, "gap-not-found"),
        ("f" * 32, {"span": 0, "gap": 0}, 404, "span-trace-not-found"),
        (COLLECTED, {"span": -1, "gap": 0}, 422, "not-understood"),
    ):
        answer = client.post(f"{at}/{trace}/gap-explanations", json=body)
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (status, slug)
