"""The handlers from a stored file to its pages: decoded, rejected, deleted, compared, exported."""

import csv
import gzip
import hashlib
import io
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.kinds.profiles.decoded.profile_table import read_profile_columns
from slowpath.core.ids import JobId
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.evidence.profiles.service.profiles import columns_key
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.support.worker_contexts import make_worker_context
from tests.tasks.conftest import PROFILES

pytestmark = pytest.mark.database

CPU = (PROFILES / "go-cpu-1.26.pb.gz").read_bytes()
HEAP = (PROFILES / "go-heap-1.26.pb.gz").read_bytes()


def put(client: TestClient, content: bytes, name: str = "cpu.pb.gz", **params: Any) -> dict[str, Any]:  # noqa: ANN401
    body: dict[str, Any] = client.put(f"/api/v1/artifacts/{name}", content=content, params=params).json()
    return body


def run_all(bench: Bench) -> None:
    """Carry out what is open until nothing is, but for the daily deletion of old notifications."""
    for _ in range(50):
        found = bench.admin.execute(
            "SELECT id FROM job WHERE state = 'waiting' AND name <> 'notifications.delete-old' ORDER BY created_at, id LIMIT 1"
        ).fetchone()
        if found is None:
            return
        bench.change(JobId(found[0]), "not_before = clock_timestamp()")
        bench.carry_out(JobId(found[0]))
    raise AssertionError("it does not end")


def again(client: TestClient, what: dict[str, Any], kind: str = "artifacts") -> dict[str, Any]:
    body: dict[str, Any] = client.get(f"/api/v1/{kind}/{what['id']}").json()
    return body


def test_a_profile_is_decoded(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    artifact = put(client, CPU)
    run_all(bench)

    current = again(client, artifact)
    assert (current["state"], current["kind"], current["progress"]) == ("decoded", "profile.cpu", 1.0)
    assert current["profile"]["samples"] > 0
    key = columns_key(bench.team.id, artifact["sha256"])
    assert read_profile_columns(app.blobs.read(key)).header["kind"] == "cpu"
    assert list(bench.worker_context.scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "slug"),
    [
        (b"no profile", "not-a-profile"),
        (CPU[:100], "truncated-gzip"),
        (b"PK\x05\x06" + bytes(18), "empty-archive"),
    ],
    ids=["text", "truncated", "zip"],
)
def test_a_bad_file_is_rejected_and_stored(client: TestClient, bench: Bench, content: bytes, slug: str) -> None:
    artifact = put(client, content)
    run_all(bench)

    current = again(client, artifact)
    assert (current["state"], current["error"]["type"]) == ("invalid", f"urn:slowpath:{slug}")
    assert client.get(f"/api/v1/artifacts/{artifact['id']}/original").content == content


def test_what_is_tried_again_by_its_job_waits_at_once(client: TestClient, bench: Bench) -> None:
    artifact = put(client, b"no profile")
    run_all(bench)
    assert again(client, artifact)["state"] == "invalid"
    assert client.post(f"/api/v1/jobs/{artifact['job_id']}/retry").status_code == 200
    current = again(client, artifact)
    assert (current["state"], current["error"]) == ("received", None)
    run_all(bench)
    assert again(client, artifact)["state"] == "invalid"

    comparison = compared(client, [artifact], [put(client, CPU)])
    run_all(bench)
    assert again(client, comparison, "comparisons")["state"] == "failed"
    assert client.post(f"/api/v1/jobs/{comparison['job_id']}/retry").status_code == 200
    current = again(client, comparison, "comparisons")
    assert (current["state"], current["problem"]) == ("waiting", None)


def test_an_export_and_a_view_tried_again_by_their_jobs_wait_at_once(client: TestClient, bench: Bench) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])
    run_all(bench)
    path = f"/api/v1/comparisons/{comparison['id']}"
    export = client.post(f"{path}/exports", json={"format": "csv", "kind": "heap"}).json()
    expected = {"kind": "cpu", "sample_type": "cpu", "granularity": "line"}
    view = client.post(f"{path}/views", json=expected).json()
    job = bench.admin.execute("SELECT id FROM job WHERE name = 'comparisons.build-view'").fetchone()
    assert job is not None
    client.post(f"/api/v1/jobs/{job[0]}/cancel")
    run_all(bench)
    views = {each["id"]: each["state"] for each in again(client, comparison, "comparisons")["views"]}
    assert (again(client, export, "exports")["state"], views[view["id"]]) == ("failed", "cancelled")

    for (job_id,) in bench.admin.execute("SELECT id FROM job WHERE state in ('failed', 'cancelled')").fetchall():
        assert client.post(f"/api/v1/jobs/{job_id}/retry").status_code == 200
    views = {each["id"]: each["state"] for each in again(client, comparison, "comparisons")["views"]}
    assert (again(client, export, "exports")["state"], views[view["id"]]) == ("waiting", "waiting")


def test_hostile_texts_in_a_profile_are_stored_as_texts(client: TestClient, bench: Bench) -> None:
    hostile = b"<img src=x onerror=alert(1)>"
    plain = gzip.decompress((PROFILES / "go-sample-cpu.pb.gz").read_bytes())
    marked = plain.replace(b"samples", b"s\x00mples", 1)  # as long as before: a NUL in a sample type
    artifact = put(client, marked, name=hostile.decode())
    run_all(bench)

    current = again(client, artifact)
    assert current["state"] == "decoded", current["error"]
    assert "unknown" in {each["type"] for each in current["profile"]["sample_types"]}, (
        "a unit that cannot be shown is replaced"
    )


def test_names_that_are_no_text_are_refused_and_counted(client: TestClient, bench: Bench) -> None:
    plain = gzip.decompress((PROFILES / "go-sample-cpu.pb.gz").read_bytes())
    artifact = put(client, plain.replace(b"samples", b"sa\xffples", 1))
    run_all(bench)

    current = again(client, artifact)
    error = current["error"]
    assert (current["state"], error["type"]) == ("invalid", "urn:slowpath:invalid-utf8")
    assert (error["limit"], error["value"], error["unit"]) == (0, 1, "strings")


def test_deleting_removes_bytes_only_when_nothing_refers_to_them(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    one, two = put(client, CPU), put(client, CPU, name="again.pb.gz")
    run_all(bench)
    original, columns = original_key(bench.team.id, one["sha256"]), columns_key(bench.team.id, one["sha256"])
    assert {key for key in app.blobs.stored if "/profile-sets/" not in key} == {original, columns}

    client.delete(f"/api/v1/artifacts/{one['id']}")
    run_all(bench)
    assert {key for key in app.blobs.stored if "/profile-sets/" not in key} == {original, columns}

    client.delete(f"/api/v1/artifacts/{two['id']}")
    run_all(bench)
    assert set(app.blobs.stored) == set()


def test_an_artifact_deleted_during_decoding_leaves_nothing(
    client: TestClient, bench: Bench, app: AppUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = put(client, CPU)
    stored = app.blobs.put

    def put_and_delete(key: Any, content: Any) -> None:  # noqa: ANN401 - as the store has it
        stored(key, content)
        if "/profiles/" in key:
            assert client.delete(f"/api/v1/artifacts/{artifact['id']}").status_code == 204
            forget = bench.admin.execute("SELECT id FROM job WHERE name = 'artifacts.delete-blobs'").fetchone()
            assert forget is not None
            bench.carry_out(JobId(forget[0]))
            stored(key, content)  # as if the delete had come a moment before

    monkeypatch.setattr(app.blobs, "put", put_and_delete)
    run_all(bench)

    assert set(app.blobs.stored) == set()
    assert {row[0] for row in bench.admin.execute("SELECT state FROM job").fetchall()} == {"done"}


def test_parts_of_abandoned_uploads_are_removed(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    upload = client.post("/api/v1/uploads", json={"name": "a", "size_bytes": 4}).json()
    client.put(f"/api/v1/uploads/{upload['id']}/parts/1", content=b"four")
    bench.admin.execute("UPDATE multipart_upload SET expires_at = clock_timestamp()")
    bench.admin.execute("SELECT cross_team.delete_expired_rows()")
    run_all(bench)

    assert not app.blobs.stored
    assert client.get(f"/api/v1/uploads/{upload['id']}").status_code == 404


def test_a_store_that_is_away_is_waited_for(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    artifact = put(client, CPU)
    settings = bench.worker_context.settings.model_copy(update={"decode_bin": Path("/nowhere")})
    without = Bench(
        make_worker_context(settings, app.database, app.blobs, bench.worker_context.scratch),
        bench.team,
        bench.admin,
    )

    row = without.carry_out(JobId(UUID(artifact["job_id"])))
    assert (row["state"], row["problem"]["detail"]) == ("waiting", "The decode helper is not built.")
    assert again(client, artifact)["state"] == "decoding"

    run_all(bench)
    assert again(client, artifact)["state"] == "decoded"


# --- comparisons


def compared(client: TestClient, base: list[dict[str, Any]], candidate: list[dict[str, Any]]) -> dict[str, Any]:
    body = {
        "base": {"artifact_ids": [each["id"] for each in base]},
        "candidate": {"artifact_ids": [each["id"] for each in candidate]},
    }
    response_body: dict[str, Any] = client.post("/api/v1/comparisons", json=body).json()
    return response_body


def variant(number: int) -> bytes:
    """Return the same profile in other bytes."""
    return gzip.compress(gzip.decompress(CPU), 1, mtime=number)


def test_a_comparison_waits_for_its_artifacts(client: TestClient, bench: Bench) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])

    early = bench.carry_out(JobId(UUID(comparison["job_id"])))
    assert (early["state"], early["attempts"]) == ("waiting", 0)
    run_all(bench)

    current = again(client, comparison, "comparisons")
    assert current["state"] == "done", current["problem"]
    assert current["verdict"] in {"unchanged", "inconclusive"}
    assert current["result"]["format"] == "slowpath.comparison/2"
    ready = [view for view in current["views"] if view["state"] == "done"]
    assert [(view["kind"], view["granularity"]) for view in ready] == [("cpu", "function")]
    view = f"/api/v1/comparisons/{comparison['id']}/views/{ready[0]['id']}"
    for part in ("first", "functions"):
        assert client.get(f"{view}/chunks/{part}").content[:8] == b"slowcol1"
    assert client.get(f"{view}/search", params={"pattern": "main"}).json()["nodes"] > 0


@pytest.mark.parametrize("granularity", ["line", "package"])
def test_another_view_is_cut_on_request(client: TestClient, bench: Bench, granularity: str) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])
    run_all(bench)
    sample_type = again(client, comparison, "comparisons")["views"][0]["sample_type"]

    asked = client.post(
        f"/api/v1/comparisons/{comparison['id']}/views",
        json={"kind": "cpu", "sample_type": sample_type, "granularity": granularity},
    ).json()
    run_all(bench)

    view = f"/api/v1/comparisons/{comparison['id']}/views/{asked['id']}"
    assert client.get(f"{view}/chunks/first").content[:8] == b"slowcol1"


@pytest.mark.parametrize("expected", ["pprof-base", "pprof-candidate", "pprof-diff", "json", "csv"])
def test_every_export_is_made(client: TestClient, bench: Bench, expected: str) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])
    run_all(bench)

    export = client.post(f"/api/v1/comparisons/{comparison['id']}/exports", json={"format": expected}).json()
    run_all(bench)

    current = again(client, export, "exports")
    assert current["state"] == "done", current["problem"]
    content = client.get(f"/api/v1/exports/{export['id']}/content").content
    assert len(content) == current["size_bytes"] > 0
    if expected.startswith("pprof"):
        assert gzip.decompress(content)
    elif expected == "csv":
        lines = io.StringIO(content.decode()).read().split("\r\n")
        assert lines[0].startswith("function,file,category")
        assert lines[0].endswith("ratio low (per_second),ratio high (per_second),q (per_second)")
        assert all(row[-1] == "" or 0 <= float(row[-1]) <= 1 for row in list(csv.reader(lines[1:-1])))
        assert ",nan" not in content.decode()
        assert not any(line.startswith(("=", "+", "-", "@")) for line in lines)


def test_exports_of_several_kinds_are_called_by_them(client: TestClient, bench: Bench) -> None:
    sides = [[put(client, content) for content in (variant(side), HEAP)] for side in (1, 2)]
    comparison = compared(client, *sides)
    run_all(bench)

    path = f"/api/v1/comparisons/{comparison['id']}/exports"
    asked = [
        {"format": expected, "kind": kind} for expected, kind in (("csv", "cpu"), ("csv", "heap"), ("json", "cpu"))
    ]
    exports = [client.post(path, json=body).json() for body in asked]
    run_all(bench)

    names = [again(client, export, "exports")["file_name"] for export in exports]
    assert names == ["base_against_candidate.cpu.csv", "base_against_candidate.heap.csv", "base_against_candidate.json"]


@pytest.mark.parametrize("expected", ["csv", "pprof-base"])
def test_an_export_of_a_missing_kind_is_rejected(client: TestClient, bench: Bench, expected: str) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])
    run_all(bench)

    body = {"format": expected, "kind": "heap"}
    export = client.post(f"/api/v1/comparisons/{comparison['id']}/exports", json=body).json()
    run_all(bench)

    current = again(client, export, "exports")
    assert (current["state"], current["problem"]["type"]) == ("failed", "urn:slowpath:nothing-to-compare")


@pytest.mark.parametrize("when", ["/first", "/lines", "/exports/"])
def test_a_comparison_deleted_while_a_job_works_on_it_leaves_nothing(
    client: TestClient, bench: Bench, app: AppUnderTest, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    artifacts = [put(client, variant(1)), put(client, variant(2))]
    run_all(bench)
    before = set(app.blobs.stored)
    comparison = compared(client, artifacts[:1], artifacts[1:])
    path = f"/api/v1/comparisons/{comparison['id']}"
    if when == "/exports/":
        run_all(bench)
        client.post(f"{path}/exports", json={"format": "json"})
    stored = app.blobs.put

    def put_and_delete(key: Any, content: Any) -> None:  # noqa: ANN401 - as the store has it
        stored(key, content)
        if when in key:
            assert client.delete(path).status_code == 204
            stored(key, content)  # as if the delete had come a moment before

    monkeypatch.setattr(app.blobs, "put", put_and_delete)
    run_all(bench)

    assert set(app.blobs.stored) == before
    assert {row[0] for row in bench.admin.execute("SELECT state FROM job").fetchall()} == {"done"}


@pytest.mark.parametrize(
    ("base", "candidate"),
    [(CPU, b"no profile"), (CPU, (PROFILES / "go-heap-1.26.pb.gz").read_bytes())],
    ids=["one side refused", "two kinds"],
)
def test_sides_without_common_functions_raise_a_caveat(
    client: TestClient, bench: Bench, base: bytes, candidate: bytes
) -> None:
    comparison = compared(client, [put(client, base)], [put(client, candidate)])
    run_all(bench)

    current = again(client, comparison, "comparisons")
    assert (current["state"], current["problem"]["type"]) == ("failed", "urn:slowpath:nothing-to-compare")


def test_sample_types_of_one_name_do_not_break_a_comparison(client: TestClient, bench: Bench) -> None:
    plain = gzip.decompress((PROFILES / "go-sample-cpu.pb.gz").read_bytes())
    assert plain.count(b"samples") >= 1
    doubled = plain.replace(b"\x07samples", b"\x03cpu", 1)
    sides = [put(client, gzip.compress(doubled, mtime=number)) for number in (1, 2)]
    comparison = compared(client, sides[:1], sides[1:])
    run_all(bench)

    current = again(client, comparison, "comparisons")
    assert current["state"] in {"done", "failed"}
    assert current["problem"] is None or current["problem"]["type"] != "urn:slowpath:fault", current["problem"]


def test_a_comparison_deleted_while_it_waits_ends_quietly(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    comparison = compared(client, [put(client, variant(1))], [put(client, variant(2))])
    client.delete(f"/api/v1/comparisons/{comparison['id']}")
    run_all(bench)

    assert not [key for key in app.blobs.stored if "/comparisons/" in key]


def test_extreme_facts_do_not_break_a_comparison(client: TestClient, bench: Bench) -> None:
    facts = f'{{"requests": 0.0001, "wall_ns": {2**53}, "cpu_ns": 0, "gomaxprocs": 65536, "cpu_flags": "aes avx"}}'
    comparison = compared(
        client, [put(client, variant(1), run_metadata=facts)], [put(client, variant(2), run_metadata=facts)]
    )
    run_all(bench)

    current = again(client, comparison, "comparisons")
    assert current["state"] == "done", current["problem"]


def test_the_same_bytes_are_decoded_into_one_place(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    first = put(client, CPU)
    run_all(bench)
    key = columns_key(bench.team.id, first["sha256"])
    digest = hashlib.sha256(app.blobs.read(key)).hexdigest()
    put(client, CPU, name=f"{uuid4()}.pb.gz")
    run_all(bench)

    assert hashlib.sha256(app.blobs.read(key)).hexdigest() == digest


def test_bytes_that_were_decoded_once_are_not_decoded_again(client: TestClient, bench: Bench) -> None:
    first = put(client, CPU)
    run_all(bench)
    settings = bench.worker_context.settings.model_copy(update={"decode_bin": None})
    second = put(client, CPU, name=f"{uuid4()}.pb.gz")
    run_all(bench.with_settings(settings))

    current = again(client, second)
    assert (current["state"], current["kind"]) == ("decoded", "profile.cpu")
    assert current["profile"] == again(client, first)["profile"]
