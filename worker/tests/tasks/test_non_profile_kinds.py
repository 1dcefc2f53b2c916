"""Growth logs, benchmark output and execution traces, from the uploaded file to the result of a comparison."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.formats.column_file import read_columns
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.evidence.exec_traces.service.execution_traces import folder
from slowpath.evidence.profiles.service.profiles import columns_key
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import again, put, run_all

pytestmark = pytest.mark.database

TESTDATA = PROFILES.parent
GROWTH = {name: TESTDATA / "growth" / f"ingester-{name}.log.gz" for name in ("helper", "inlined", "pool")}
TRACES = Path(__file__).parents[2] / "example" / "traces"
BASE, HOGS = (
    sorted(path for path in (TRACES / variant).iterdir() if not path.name.endswith(".facts.json"))
    for variant in ("base", "hogs")
)


def put_file(client: TestClient, path: Path, **facts: Any) -> dict[str, Any]:  # noqa: ANN401
    return put(client, path.read_bytes(), name=path.name, run_metadata=json.dumps(facts))


def compared(client: TestClient, bench: Bench, base: list[dict[str, Any]], candidate: list[dict[str, Any]]) -> Any:  # noqa: ANN401
    sides = {
        side: {"artifact_ids": [each["id"] for each in of_side]}
        for side, of_side in (("base", base), ("candidate", candidate))
    }
    asked = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    return again(client, asked, "comparisons")


def part(client: TestClient, comparison: dict[str, Any], name: str) -> Any:  # noqa: ANN401
    answer = client.get(f"/api/v1/comparisons/{comparison['id']}/results/{name}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_growth_logs_show_which_function_grows_the_stack(client: TestClient, bench: Bench) -> None:
    logs = {name: put_file(client, path, commit=name) for name, path in GROWTH.items()}
    run_all(bench)
    comparison = compared(client, bench, [logs["inlined"]], [logs["helper"]])

    assert again(client, logs["helper"])["kind"] == "growth"
    assert again(client, logs["helper"])["growth"]["sampled"] > again(client, logs["inlined"])["growth"]["sampled"]
    assert comparison["state"] == "done", comparison["problem"]
    assert "growth" in comparison["artifact_kinds"]
    assert comparison["result"]["findings"][0]["kind"] == "growth.count"
    assert comparison["result"]["findings"][0]["direction"] == "worse"
    assert [row["side"] for row in part(client, comparison, "growth")["sets"]] == ["base", "candidate"]
    assert {view["kind"] for view in comparison["views"]} == {"growth"}

    rows = client.get("/api/v1/growth-log-sets", params={"artifact_id": [log["id"] for log in logs.values()]}).json()
    by_label = {row["label"]: row["sampled"] for row in rows}
    assert by_label["pool"] < by_label["inlined"] < by_label["helper"]


def test_the_growth_table_lists_only_growth_logs(client: TestClient, bench: Bench) -> None:
    profile = put_file(client, PROFILES / "go-cpu-1.26.pb.gz")
    run_all(bench)

    answer = client.get("/api/v1/growth-log-sets", params={"artifact_id": profile["id"]})

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:growth-log-not-found"


def test_benchmarks_are_reported_like_benchstat(client: TestClient, bench: Bench) -> None:
    strings, integers = (put_file(client, TESTDATA / "bench" / f"{name}.txt") for name in ("strings", "integers"))
    run_all(bench)
    comparison = compared(client, bench, [integers], [strings])

    assert again(client, strings)["kind"] == "bench"
    assert again(client, strings)["benchmarks"]["results"] > 0
    assert (comparison["state"], comparison["verdict"]) == ("done", "regressed")
    assert comparison["artifact_kinds"] == ["benchmarks"]
    assert {finding["kind"] for finding in comparison["result"]["findings"]} == {"bench"}
    assert part(client, comparison, "benchmarks")["rows"]


def test_a_part_that_was_not_compared_is_not_found(client: TestClient, bench: Bench) -> None:
    strings, integers = (put_file(client, TESTDATA / "bench" / f"{name}.txt") for name in ("strings", "integers"))
    run_all(bench)
    comparison = compared(client, bench, [integers], [strings])

    answer = client.get(f"/api/v1/comparisons/{comparison['id']}/results/traces")

    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:slowpath:part-not-found"


def test_traces_name_the_waiter_and_the_occupant(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    base, candidate = ([put_file(client, path) for path in side] for side in (BASE, HOGS))
    run_all(bench)
    comparison = compared(client, bench, base, candidate)

    assert (comparison["state"], comparison["verdict"]) == ("done", "regressed")
    first = comparison["result"]["findings"][0]
    assert first["kind"] == "trace.sched_delay"
    assert first["subject"].startswith("main.(*client).batch|") or "batch" in first["subject"]
    assert any("hog" in each["subject"] for each in first["contributions"])
    page = part(client, comparison, "traces")
    worst = next(each for each in page["worst"] if each["side"] == "candidate")
    assert worst["artifact"] in {each["id"] for each in candidate}

    tile = client.get(f"/api/v1/execution-traces/{worst['artifact']}/waits/{worst['index']}/tiles/0/0")
    assert tile.status_code == 200
    columns = read_columns(tile.content, "slowpath.trace-tile")
    assert len(tile.content) < 300_000
    assert columns.header["wait_start_ns"] >= columns.header["start_ns"]
    assert any(each["group"] and "hog" in each["group"] for each in columns.header["classes"])
    assert (
        client.get(f"/api/v1/execution-traces/{worst['artifact']}/waits/{worst['index']}/tiles/0/7").status_code == 404
    )

    alone = client.get(f"/api/v1/execution-traces/{worst['artifact']}").json()
    assert alone["sides"]["candidate"] is None
    assert {view["kind"] for view in comparison["views"]} >= {"trace-delay"}

    deleted = client.delete(f"/api/v1/artifacts/{candidate[0]['id']}")
    run_all(bench)
    assert deleted.status_code == 204
    assert not [key for key in app.blobs.stored if key.startswith(folder(bench.team.id, candidate[0]["sha256"]))]


def test_a_second_of_a_trace_is_cut_out_and_read_again(client: TestClient, bench: Bench) -> None:
    trace = put_file(client, HOGS[0])
    run_all(bench)
    asked = client.post(f"/api/v1/execution-traces/{trace['id']}/excerpts", json={"from_ns": 0, "to_ns": 500_000_000})
    run_all(bench)

    current = again(client, asked.json(), "trace-excerpts")
    assert (asked.status_code, current["state"]) == (202, "done"), current
    content = client.get(f"/api/v1/trace-excerpts/{current['id']}/content").content
    assert content.startswith(b"go 1.")
    assert len(content) == current["size_bytes"]
    piece = put(client, content, name=current["file_name"])
    run_all(bench)
    assert again(client, piece)["kind"] == "trace"


def test_a_window_outside_of_the_trace_is_refused(client: TestClient, bench: Bench) -> None:
    trace = put_file(client, HOGS[0])
    run_all(bench)

    answer = client.post(
        f"/api/v1/execution-traces/{trace['id']}/excerpts", json={"from_ns": 10**15, "to_ns": 10**15 + 1}
    )

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:slowpath:window-refused"


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (b"go 1.10 trace\x00\x00\x00" + bytes(100), "trace-too-old"),
        (b"go 1.99 trace\x00\x00\x00" + bytes(100), "trace-too-new"),
        (gzip.compress(b"go 1.22 trace\x00\x00\x00", mtime=0), "trace-truncated"),
    ],
    ids=["old", "new", "cut short"],
)
def test_a_bad_trace_is_refused_by_name(client: TestClient, bench: Bench, content: bytes, slug: str) -> None:
    trace = put(client, content)
    run_all(bench)

    current = again(client, trace)
    assert (current["state"], current["error"]["type"]) == ("invalid", f"urn:slowpath:{slug}")


def test_a_failed_artifact_has_a_reason_and_waits_again_when_retried(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    trace = put_file(client, HOGS[0])
    run_all(bench)
    stored = app.blobs.stored.pop(original_key(bench.team.id, trace["sha256"]))
    asked = client.post(f"/api/v1/execution-traces/{trace['id']}/excerpts", json={"from_ns": 0, "to_ns": 1000}).json()
    run_all(bench)
    failed = again(client, asked, "trace-excerpts")

    app.blobs.stored[original_key(bench.team.id, trace["sha256"])] = stored
    client.post(f"/api/v1/jobs/{failed['job_id']}/retry")
    waiting = again(client, asked, "trace-excerpts")
    run_all(bench)

    assert (failed["state"], failed["problem"]["type"]) == ("failed", "urn:slowpath:not-found")
    assert client.get(f"/api/v1/trace-excerpts/{asked['id']}/content").status_code == 200
    assert (waiting["state"], waiting["problem"]) == ("waiting", None)
    assert again(client, asked, "trace-excerpts")["state"] == "done"


def test_a_decoded_log_that_is_damaged_in_the_store_is_reported_as_such(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    log = put_file(client, GROWTH["helper"])
    run_all(bench)
    key = columns_key(bench.team.id, log["sha256"])
    app.blobs.stored[key] = app.blobs.stored[key][:100]

    answer = client.get("/api/v1/growth-log-sets", params={"artifact_id": log["id"]})

    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:slowpath:growth-log-damaged"
