"""From uploaded files to an opened profile set: views, labels, exports, deletion."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.core.ids import JobId
from slowpath.core.jobs import Priority
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath_worker.job_execution import Worker, run_next
from tests.factories.accounts import AccountsFactory
from tests.factories.remote_write import block, number, varint
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import CPU, HEAP, again, put, run_all

pytestmark = pytest.mark.database

SERVICE = Path(__file__).parents[3] / "e2e/bench/testdata/labels/service/008.pb.gz"
"""A profile of a service whose samples have the labels of their requests."""
LABELLED = (PROFILES / "parca-labels-cpu.pb.gz").read_bytes()
SETS = "/api/v1/profile-sets"


def opened(client: TestClient, bench: Bench, *artifacts: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(SETS, json={"artifact_ids": [each["id"] for each in artifacts]})
    assert answer.status_code == 200, answer.text
    run_all(bench)
    body: dict[str, Any] = client.get(f"{SETS}/{answer.json()['id']}").json()
    return body


def viewed(client: TestClient, bench: Bench, set_id: str, **asked: Any) -> dict[str, Any]:  # noqa: ANN401
    body = {"kind": "cpu", "sample_type": "cpu", "granularity": "function", **asked}
    answer = client.post(f"{SETS}/{set_id}/views", json=body)
    assert answer.status_code == 202, answer.text
    run_all(bench)
    view: dict[str, Any] = client.get(f"{SETS}/{set_id}/views/{answer.json()['id']}").json()
    assert view["state"] == "done", view["problem"]
    return view


def chunk(client: TestClient, set_id: str, view_id: str, part: str) -> ColumnFile:
    answer = client.get(f"{SETS}/{set_id}/views/{view_id}/chunks/{part}")
    assert answer.status_code == 200, answer.text
    return read_columns(answer.content, "slowpath.functions" if part == "functions" else "slowpath.diff")


def summary_of(client: TestClient, set_id: str, view_id: str) -> dict[str, Any]:
    answer = client.get(f"{SETS}/{set_id}/views/{view_id}/summary")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_the_largest_labels_of_a_cpu_profile_are_suggested_as_sides(client: TestClient, bench: Bench) -> None:
    """They are stored when the file is decoded: nothing is opened to suggest them."""
    labelled, heap = put(client, SERVICE.read_bytes()), put(client, HEAP)
    run_all(bench)
    pairs = []
    for artifact in (labelled, heap):
        source = {"type": "artifacts", "artifact_ids": [artifact["id"]]}
        pairs.append(client.post("/api/v1/comparison-previews", json={"base": source}).json()["base"]["label_pair"])
    opened_set = opened(client, bench, labelled)
    labels = summary_of(client, opened_set["id"], viewed(client, bench, opened_set["id"])["id"])["labels"]
    expected = max((each for each in labels if len(each["values"]) > 1), key=lambda each: each["values"][1]["share"])
    largest = [{"value": each["value"], "share": pytest.approx(each["share"])} for each in expected["values"][:2]]
    assert pairs == [{"key": expected["key"], "first": largest[0], "second": largest[1]}, None]


def job_of(bench: Bench, name: str, subject: str) -> JobId:
    found = bench.admin.execute("SELECT id FROM job WHERE name = %s AND subject_id = %s", (name, subject)).fetchone()
    assert found is not None
    return JobId(found[0])


@pytest.mark.parametrize("last", [HEAP, b"not a profile"], ids=["decoded", "invalid"])
def test_a_set_is_opened_as_soon_as_its_last_artifact_is_decoded(client: TestClient, bench: Bench, last: bytes) -> None:
    batch = str(uuid4())
    one, other = put(client, CPU, batch=batch), put(client, last, "heap.pb.gz", batch=batch)
    of_it = client.post(SETS, json={"artifact_ids": [one["id"], other["id"]]}).json()
    opening = job_of(bench, "profile-sets.open", of_it["id"])
    assert bench.carry_out(opening)["later"]  # it waits
    later = (
        "UPDATE job SET due_at = due_at + interval '1 hour', not_before = not_before + interval '1 hour' WHERE id = %s"
    )
    bench.admin.execute(later, (opening,))  # else its time may come while the files are decoded

    bench.carry_out(job_of(bench, "artifacts.decode", one["id"]))
    assert bench.row(opening)["later"]
    bench.carry_out(job_of(bench, "artifacts.decode", other["id"]))
    row = bench.row(opening)
    assert (row["state"], row["later"]) == ("waiting", False)
    assert bench.carry_out(opening)["state"] == "done"


def test_a_single_upload_has_a_view_without_being_asked_for(client: TestClient, bench: Bench) -> None:
    artifact = put(client, CPU)
    run_all(bench)

    before = bench.admin.execute("SELECT count(*) FROM job").fetchone()
    of_it = client.post(SETS, json={"artifact_ids": [artifact["id"]]}).json()
    assert bench.admin.execute("SELECT count(*) FROM job").fetchone() == before
    assert of_it["state"] == "done", of_it["problem"]
    assert [each["kind"] for each in of_it["kinds"]] == ["cpu"]
    assert of_it["kinds"][0]["default_sample_type"] == "cpu"
    (view,) = of_it["views"]
    assert (view["state"], view["sample_type"], view["granularity"], view["labels"]) == ("done", "cpu", "function", [])
    assert (view["normalizations"], view["default_normalization"]) == (["share", "per_second"], "per_second")

    tree, table = (chunk(client, of_it["id"], view["id"], part) for part in ("first", "functions"))
    summary = summary_of(client, of_it["id"], view["id"])
    total = summary["total"]["raw"]
    assert tree.arrays["candidate_total"][0] == total == table.arrays["candidate_self"].sum()
    assert sum(each["raw"] for each in summary["categories"]) == total
    assert not tree.arrays["base_total"].any()
    assert (tree.header["base"]["artifacts"], tree.header["candidate"]["artifacts"]) == (0, 1)
    assert not tree.arrays["state_per_second"].any()
    assert summary["headline"] == "Allocation takes 13% of CPU time, most of it attributed to `main.jsonWork`."


def test_an_upload_of_several_files_or_of_a_build_opens_none(client: TestClient, bench: Bench) -> None:
    batch = str(uuid4())
    for content in (CPU, HEAP):
        put(client, content, batch=batch)
    client.put("/api/v1/builds/checkout/" + 40 * "a" + "/artifacts/cpu.pb.gz", content=LABELLED)
    run_all(bench)
    assert bench.admin.execute("SELECT count(*) FROM profile_set").fetchone() == (0,)


def test_a_set_waits_for_its_artifacts_and_is_the_same_in_any_order(client: TestClient, bench: Bench) -> None:
    artifacts = [
        put(client, CPU),
        put(client, HEAP, run_metadata=json.dumps({"go_version": "go1.26", "requests": 900})),
    ]
    ids = [each["id"] for each in artifacts]
    first = client.post(SETS, json={"artifact_ids": ids}).json()
    assert (first["state"], first["kinds"], first["views"]) == ("waiting", [], [])
    job = bench.admin.execute("SELECT id FROM job WHERE name = 'profile-sets.open'").fetchone()
    assert job is not None
    assert bench.carry_out(job[0])["state"] == "waiting"  # the artifacts are not decoded
    assert (
        client.post(
            f"{SETS}/{first['id']}/views", json={"kind": "cpu", "sample_type": "cpu", "granularity": "line"}
        ).status_code
        == 409
    )

    found = opened(client, bench, *reversed(artifacts))
    assert found["id"] == first["id"]
    assert {each["kind"]: each["default_sample_type"] for each in found["kinds"]} == {
        "cpu": "cpu",
        "heap": "inuse_space",
    }
    assert (found["conditions"]["go_version"], found["conditions"]["requests"]) == (None, None)
    heap = viewed(client, bench, found["id"], kind="heap", sample_type="inuse_space")
    assert heap["normalizations"] == ["share", "mean"]
    missing = client.post(
        f"{SETS}/{found['id']}/views", json={"kind": "mutex", "sample_type": "delay", "granularity": "line"}
    )
    assert (missing.status_code, missing.json()["type"]) == (404, "urn:slowpath:view-not-found")


def test_labels_select_samples_of_a_view(client: TestClient, bench: Bench) -> None:
    of_it = opened(client, bench, put(client, LABELLED))
    (view,) = of_it["views"]
    whole = summary_of(client, of_it["id"], view["id"])
    label = next(each for each in whole["labels"] if each["values"])
    value = label["values"][0]

    matched = viewed(client, bench, of_it["id"], labels=[{"key": label["key"], "value": value["value"]}])
    part = summary_of(client, of_it["id"], matched["id"])
    tree = chunk(client, of_it["id"], matched["id"], "first")
    assert part["total"]["raw"] == pytest.approx(value["raw"]) == tree.arrays["candidate_total"][0]
    assert matched["labels"] == [{"key": label["key"], "value": value["value"]}]

    without = viewed(client, bench, of_it["id"], labels=[{"key": label["key"], "value": None}])
    rest = summary_of(client, of_it["id"], without["id"])
    assert rest["total"]["raw"] == pytest.approx(whole["total"]["raw"] * label["without_share"])

    nothing = viewed(client, bench, of_it["id"], labels=[{"key": "no such label", "value": "é"}])
    empty = summary_of(client, of_it["id"], nothing["id"])
    assert (empty["total"]["raw"], empty["categories"]) == (0, [])
    assert empty["headline"] == "No sample matches the labels."
    assert chunk(client, of_it["id"], nothing["id"], "first").arrays["candidate_total"].tolist() == [0]


def test_a_view_is_read_like_one_of_a_comparison(client: TestClient, bench: Bench) -> None:
    of_it = opened(client, bench, put(client, CPU))
    path = f"{SETS}/{of_it['id']}/views/{of_it['views'][0]['id']}"
    found = client.get(f"{path}/search", params={"pattern": r"json", "regex": True}).json()
    assert (found["nodes"] > 0, found["base_raw"], found["candidate_raw"] > 0) == (True, 0, True)
    refused = client.get(f"{path}/search", params={"pattern": "(", "regex": True})
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:pattern-refused")
    lines = client.get(f"{path}/lines", params={"function": "main.jsonWork"}).json()
    assert lines
    assert all(line["base_total"] == 0 and line["candidate_total"] > 0 for line in lines)
    subtree = read_columns(client.get(f"{path}/nodes/1").content, "slowpath.diff")
    assert subtree.arrays["node_id"][0] == 1
    assert client.get(f"{path}/nodes/4000000000").status_code == 404


def test_a_view_is_by_package_or_by_line_too(client: TestClient, bench: Bench) -> None:
    of_it = opened(client, bench, put(client, CPU))
    functions = of_it["views"][0]
    for granularity in ("package", "line"):
        view = viewed(client, bench, of_it["id"], granularity=granularity)
        assert (view["state"], view["granularity"]) == ("done", granularity)
        total = summary_of(client, of_it["id"], view["id"])["total"]
        assert total == summary_of(client, of_it["id"], functions["id"])["total"]
        assert (view["nodes"] < functions["nodes"]) == (granularity == "package")


def test_a_table_has_the_sample_type_that_is_requested(client: TestClient, bench: Bench) -> None:
    of_it = opened(client, bench, put(client, CPU))
    path = f"{SETS}/{of_it['id']}/exports"
    asked = {"format": "csv", "kind": "cpu", "sample_type": "samples"}
    export = client.post(path, json=asked).json()
    assert export["sample_type"] == "samples"
    run_all(bench)
    rows = list(csv.DictReader(io.StringIO(client.get(f"{path}/{export['id']}/content").text)))
    assert sum(float(row["self (count)"]) for row in rows) > 0
    refused = client.post(path, json={**asked, "sample_type": "alloc_space"})
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:no-profiles")


@pytest.mark.parametrize(
    ("export_format", "suffix"),
    [
        ("pprof", "pb.gz"),
        ("speedscope", "speedscope.json.gz"),
        ("firefox-profiler", "firefox-profiler.json.gz"),
        ("csv", "csv"),
    ],
)
def test_a_set_is_exported(client: TestClient, bench: Bench, export_format: str, suffix: str) -> None:
    of_it = opened(client, bench, put(client, LABELLED, name="<p>.pb.gz"))
    label = next(each for each in summary_of(client, of_it["id"], of_it["views"][0]["id"])["labels"] if each["values"])
    value = label["values"][0]
    asked = {"format": export_format, "kind": "cpu", "labels": [{"key": label["key"], "value": value["value"]}]}
    export = client.post(f"{SETS}/{of_it['id']}/exports", json=asked).json()
    run_all(bench)

    path = f"{SETS}/{of_it['id']}/exports/{export['id']}"
    current = client.get(path).json()
    assert (current["state"], current["file_name"]) == ("done", f"_p_.pb.gz.cpu.{suffix}"), current["problem"]
    content = client.get(f"{path}/content").content
    assert len(content) == current["size_bytes"]
    if export_format == "csv":
        rows = list(csv.DictReader(io.StringIO(content.decode())))
        assert sum(float(row["self (nanoseconds)"]) for row in rows) == pytest.approx(value["raw"])
    elif export_format == "pprof":
        back = opened(client, bench, put(client, content))
        total = summary_of(client, back["id"], back["views"][0]["id"])["total"]["raw"]
        assert total == pytest.approx(value["raw"])
    else:
        document = json.loads(gzip.decompress(content))
        values = {
            "speedscope": lambda: next(each["endValue"] for each in document["profiles"] if each["name"] == "cpu"),
            "firefox-profiler": lambda: (
                1e6 * sum(next(each["samples"]["weight"] for each in document["threads"] if each["name"] == "cpu"))
            ),
        }
        assert values[export_format]() == pytest.approx(value["raw"])


def test_what_cannot_be_read_is_explained(client: TestClient, bench: Bench) -> None:
    artifact = put(client, b"no profile")
    run_all(bench)
    of_it = opened(client, bench, artifact)
    assert (of_it["state"], of_it["problem"]["type"]) == ("failed", "urn:slowpath:no-profiles")
    assert client.post(SETS, json={"artifact_ids": [artifact["id"]]}).json()["state"] == "waiting"  # tried again


def test_deleting_an_artifact_deletes_the_sets_that_contain_it(
    client: TestClient, bench: Bench, app: AppUnderTest
) -> None:
    artifacts = [put(client, CPU), put(client, LABELLED)]
    both, single = opened(client, bench, *artifacts), opened(client, bench, artifacts[1])
    assert any("profile-sets" in key for key in app.blobs.stored)
    client.delete(f"/api/v1/artifacts/{artifacts[0]['id']}")
    gone = client.get(f"{SETS}/{both['id']}")
    assert (gone.status_code, gone.json()["type"]) == (404, "urn:slowpath:profile-set-not-found")
    assert client.get(f"{SETS}/{both['id']}/views/{both['views'][0]['id']}/chunks/first").status_code == 404
    run_all(bench)
    assert {key.split("/")[2] for key in app.blobs.stored if "profile-sets" in key} == {single["id"]}
    assert again(client, single, "profile-sets")["state"] == "done"


def test_a_set_deleted_while_it_is_opened_leaves_no_blob(client: TestClient, bench: Bench, app: AppUnderTest) -> None:
    artifact = put(client, CPU, batch=str(uuid4()))
    put(client, HEAP, batch=artifact["batch"])
    run_all(bench)
    of_it = client.post(SETS, json={"artifact_ids": [artifact["id"]]}).json()
    client.delete(f"/api/v1/artifacts/{artifact['id']}")
    run_all(bench)
    assert bench.admin.execute("SELECT count(*) FROM profile_set").fetchone() == (0,)
    assert [key for key in app.blobs.stored if of_it["id"] in key] == []


def profile_of(name: str, stacks: int) -> bytes:
    """Return a CPU profile with so many stacks of two functions, one of them different in each."""
    texts = ["", "cpu", "nanoseconds", f"main.{name}", *(f"main.leaf{leaf}" for leaf in range(stacks))]
    cpu = number(1, 1) + number(2, 2)
    written = block(1, cpu) + block(11, cpu) + number(12, 10_000_000) + number(10, 10 * 10**9)
    written += b"".join(block(6, text.encode()) for text in texts)
    for at in range(1, stacks + 2):
        written += block(5, number(1, at) + number(2, at + 2))
        written += block(4, number(1, at) + block(4, number(1, at) + number(2, 1)))
    for leaf in range(2, stacks + 2):
        written += block(2, block(1, varint(leaf) + varint(1)) + block(2, varint(10_000_000 + leaf)))
    return gzip.compress(written, 1, mtime=0)


def test_the_first_chunk_of_a_third_large_profile_comes_before_the_other_chunks_of_two(
    client: TestClient, bench: Bench
) -> None:
    batch = str(uuid4())
    artifacts = [put(client, profile_of(name, 9_000), f"{name}.pb.gz", batch=batch) for name in "abc"]
    run_all(bench)
    sets = [client.post(SETS, json={"artifact_ids": [each["id"]]}).json() for each in artifacts]
    worker = Worker("w", slots=2)

    for _ in sets:
        assert run_next(bench.worker_context, worker, JobId(uuid4()))
    views = [again(client, each, "profile-sets")["views"][0] for each in sets]
    for of_it, view in zip(sets, views, strict=True):
        assert (view["state"], view["has_more_chunks"]) == ("running", False)
        assert len(chunk(client, of_it["id"], view["id"], "first").arrays["candidate_total"]) < 9_000
        assert client.get(f"{SETS}/{of_it['id']}/views/{view['id']}/chunks/rest").status_code == 409

    while run_next(bench.worker_context, worker, JobId(uuid4())):
        pass
    for of_it, view in zip(sets, views, strict=True):
        done = again(client, of_it, "profile-sets")["views"][0]
        assert (done["state"], done["has_more_chunks"], done["problem"]) == ("done", True, None)
        sent = [chunk(client, of_it["id"], view["id"], part).arrays["candidate_total"] for part in ("first", "rest")]
        assert sum(len(ids) for ids in sent) == 9_002


def test_the_other_chunks_give_way_and_go_on_where_they_stopped(client: TestClient, bench: Bench) -> None:
    artifact = put(client, profile_of("a", 9_000))
    decoding = job_of(bench, "artifacts.decode", artifact["id"])
    bench.carry_out(decoding)
    of_it = client.post(SETS, json={"artifact_ids": [artifact["id"]]}).json()
    bench.carry_out(job_of(bench, "profile-sets.open", of_it["id"]))
    remaining = job_of(bench, "profile-sets.store-remaining-chunks", of_it["id"])
    assert bench.row(remaining)["priority"] == Priority.DERIVED

    urgent = bench.write_down()
    row = bench.carry_out(remaining)
    assert (row["state"], row["later"]) == ("waiting", True)
    bench.change(urgent, "state = 'done'")
    bench.change(remaining, "not_before = clock_timestamp()")
    assert bench.carry_out(remaining)["state"] == "done"
    assert again(client, of_it, "profile-sets")["views"][0]["state"] == "done"


def test_an_upload_token_opens_nothing(
    client: TestClient, bench: Bench, app: AppUnderTest, people: AccountsFactory
) -> None:
    artifact = put(client, CPU)
    upload, read = (
        app.asked(token=people.token(bench.team, scope).secret) for scope in (TokenScope.UPLOAD, TokenScope.READ)
    )
    assert upload.post(SETS, json={"artifact_ids": [artifact["id"]]}).status_code == 403
    assert read.post(SETS, json={"artifact_ids": [artifact["id"]]}).status_code == 200
