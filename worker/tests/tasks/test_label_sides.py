"""Sides limited to samples with a label: from uploaded profiles to the result, the views and the exports."""

import gzip
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.formats.column_file import read_columns
from slowpath.core.errors import Unavailable
from slowpath.core.ids import BlobKey, JobId
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import again, put, run_all

pytestmark = pytest.mark.database

PARCA = PROFILES / "parca-labels-cpu.pb.gz"
"""173 samples of Parca's server: 14 with the label api=query, 159 without labels."""


def side(artifact: dict[str, Any], **labels: str | None) -> dict[str, Any]:
    return {"artifact_ids": [artifact["id"]], "labels": [{"key": key, "value": value} for key, value in labels.items()]}


def compared(client: TestClient, bench: Bench, base: dict[str, Any], candidate: dict[str, Any]) -> dict[str, Any]:
    asked = client.post("/api/v1/comparisons", json={"base": base, "candidate": candidate})
    assert asked.status_code == 201, asked.text
    run_all(bench)
    current: dict[str, Any] = again(client, asked.json(), "comparisons")
    return current


def samples(client: TestClient, comparison: dict[str, Any], view: dict[str, Any]) -> tuple[float, float]:
    """The sums of both sides at the root of a view."""
    content = client.get(f"/api/v1/comparisons/{comparison['id']}/views/{view['id']}/chunks/first").content
    columns = read_columns(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content, "slowpath.diff")
    return tuple(float(columns.column(f"{each}_total", "f64")[0]) for each in ("base", "candidate"))  # type: ignore[return-value]


def test_two_labels_of_one_profile_are_compared(client: TestClient, bench: Bench) -> None:
    profile = put(client, PARCA.read_bytes())
    comparison = compared(client, bench, side(profile, api=None), side(profile, api="query"))

    assert comparison["state"] == "done", comparison["problem"]
    assert "same-build" not in {caveat["id"] for caveat in comparison["result"]["caveats"]}
    [view] = [each for each in comparison["views"] if each["state"] == "done"]
    of_base, of_candidate = samples(client, comparison, view)
    assert of_base / of_candidate == pytest.approx(159 / 14)

    other = next(each for each in comparison["views"] if each["state"] == "not-built")
    asked = {name: other[name] for name in ("kind", "sample_type", "granularity")}
    client.post(f"/api/v1/comparisons/{comparison['id']}/views", json=asked)
    run_all(bench)
    built = next(each for each in again(client, comparison, "comparisons")["views"] if each["id"] == other["id"])
    of_base, of_candidate = samples(client, comparison, built)
    assert of_base / of_candidate == pytest.approx(159 / 14)


def test_an_export_has_only_the_samples_of_its_side(client: TestClient, bench: Bench) -> None:
    profile = put(client, PARCA.read_bytes())
    comparison = compared(client, bench, side(profile, api=None), side(profile, api="query"))

    address = f"/api/v1/comparisons/{comparison['id']}/exports"
    export = client.post(address, json={"format": "pprof-candidate"}).json()
    run_all(bench)
    exported = client.get(f"/api/v1/exports/{export['id']}/content")
    assert exported.status_code == 200, exported.text

    again_uploaded = put(client, exported.content)
    run_all(bench)
    assert again(client, again_uploaded, "artifacts")["profile"]["samples"] <= 14
    failed = compared(client, bench, side(again_uploaded), side(again_uploaded, api=None))
    assert failed["problem"]["detail"] == "Every sample in candidate has the label api."


def test_a_value_that_no_sample_has_is_a_problem_with_the_values(client: TestClient, bench: Bench) -> None:
    profile = put(client, PARCA.read_bytes())
    comparison = compared(client, bench, side(profile, api="push"), side(profile))

    assert comparison["state"] == "failed"
    assert comparison["problem"]["type"] == "urn:slowpath:labels-not-found"
    assert comparison["problem"]["detail"] == "Label api has no value push in base: it has query."


def test_the_first_chunk_of_a_view_can_be_read_before_the_others_are_stored(
    client: TestClient, bench: Bench, app: AppUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = put(client, PARCA.read_bytes())
    run_all(bench)
    sides = {"base": side(profile, api=None), "candidate": side(profile, api="query")}
    asked = client.post("/api/v1/comparisons", json=sides).json()
    store = app.blobs.put

    def refuse_whole_trees(key: BlobKey, content: bytes) -> None:
        if key.endswith("/all"):
            raise Unavailable("The blob store takes no more.")
        store(key, content)

    with monkeypatch.context() as patch:
        patch.setattr(app.blobs, "put", refuse_whole_trees)
        row = bench.carry_out(JobId(UUID(asked["job_id"])))
        assert (row["state"], row["attempts"]) == ("waiting", 1)
        comparison = again(client, asked, "comparisons")
        [view] = [each for each in comparison["views"] if each["state"] == "running"]
        assert view["nodes"] > 0
        of_base, of_candidate = samples(client, comparison, view)
        assert of_base / of_candidate == pytest.approx(159 / 14)
        path = f"/api/v1/comparisons/{comparison['id']}/views/{view['id']}"
        assert client.get(f"{path}/chunks/functions").status_code == 200
        assert client.get(f"{path}/nodes/0").status_code == 409
    run_all(bench)
    states = {each["id"]: each["state"] for each in again(client, asked, "comparisons")["views"]}
    assert states[view["id"]] == "done"
