"""Exports of a profile set that concern its executable: stack sizes of hot paths, and `default.pgo`."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.comparison.pgo_export_check import NOT_BUILT, NOT_CHECKED
from tests.jobs.conftest import Bench
from tests.tasks.conftest import EXAMPLE, GO
from tests.tasks.test_build_comparisons import BASE, post
from tests.tasks.test_decode_handlers import again, run_all
from tests.tasks.test_profile_sets import SETS
from tests.tasks.test_stack_checks import post_program

pytestmark = [pytest.mark.database, pytest.mark.processes]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build(tmp_path_factory.mktemp("program") / "inlined")


def build(out: Path, *arguments: str, source: Path = EXAMPLE / "ingester") -> bytes:
    subprocess.run(
        [GO, "build", "-buildvcs=false", *arguments, "-o", str(out), "."],
        cwd=source,
        env={**os.environ, "GOWORK": "off"},
        check=True,
    )
    return out.read_bytes()


def exported(client: TestClient, bench: Bench, set_id: str, export_format: str) -> tuple[dict[str, Any], bytes]:
    asked = client.post(f"{SETS}/{set_id}/exports", json={"format": export_format, "kind": "cpu"})
    assert asked.status_code == 202, asked.text
    run_all(bench)
    path = f"{SETS}/{set_id}/exports/{asked.json()['id']}"
    current: dict[str, Any] = client.get(path).json()
    return current, client.get(f"{path}/content").content


def open_build(client: TestClient, bench: Bench) -> str:
    """Open the profiles of the build as a set."""
    post(client, BASE, "inlined", range(4))
    run_all(bench)
    artifacts = client.get("/api/v1/artifacts").json()["items"]
    ids = [each["id"] for each in artifacts if each["kind"] == "profile.cpu"]
    opened = client.post(SETS, json={"artifact_ids": ids}).json()
    run_all(bench)
    assert again(client, opened, "profile-sets")["state"] == "done"
    return str(opened["id"])


def test_hot_paths_of_a_build_with_an_executable(client: TestClient, bench: Bench, program: bytes) -> None:
    set_id = open_build(client, bench)
    without, _ = exported(client, bench, set_id, "stack-sizes")
    assert (without["state"], without["problem"]["type"]) == ("failed", "urn:slowpath:no-executable")

    post_program(client, BASE, program)
    run_all(bench)
    done, content = exported(client, bench, set_id, "stack-sizes")
    assert done["state"] == "done", done["problem"]
    assert str(done["file_name"]).endswith(".stack-sizes.json")
    paths = {path["stack"][-1]: path for path in json_of(content)["hot_paths"]}
    hottest = paths["ingester/series.(*Series).Write"]
    assert hottest["base_share"] == pytest.approx(0.075, abs=0.001)
    assert (hottest["base"]["highest_bytes"], hottest["base"]["limit_bytes"]) == (2736, 3168)
    assert hottest["candidate"] is None
    clone = paths["sync/atomic.(*Int64).Add"]["base"]
    assert (clone["highest_bytes"], clone["free_bytes"], clone["runtime_bytes"]) == (3120, 48, 3208)
    assert clone["frames"][-1]["function"] == "ingester/ident.(*Pool).Clone"
    assert any(frame["is_wrapper"] for frame in clone["frames"])


def checked(client: TestClient, bench: Bench, set_id: str) -> dict[str, Any]:
    done, content = exported(client, bench, set_id, "pgo-check")
    assert done["state"] == "done", done["problem"]
    document: dict[str, Any] = json.loads(content)
    assert document["format"] == "slowpath.pgo_check/1"
    assert set_id in document["command"]
    assert document["sentences"][-1] in {NOT_BUILT, NOT_CHECKED}
    return document


def test_an_exported_profile_is_checked_against_the_executable(
    client: TestClient, bench: Bench, program: bytes, tmp_path: Path
) -> None:
    set_id = open_build(client, bench)
    without = checked(client, bench, set_id)
    assert (without["checked"], without["sentences"]) == (None, [NOT_CHECKED])

    post_program(client, BASE, program)
    run_all(bench)
    plain = checked(client, bench, set_id)
    assert (plain["checked"]["is_of_profiles"], plain["checked"]["pgo"], plain["earlier_effect"]) == (True, None, None)
    near = {path["stack"][-1]: path["base"]["free_bytes"] for path in plain["near"]}
    assert near["sync/atomic.(*Int64).Add"] == 48
    assert max(near.values()) <= 64
    assert any("48 B are left before each goroutine on it needs more than 4 KiB" in one for one in plain["sentences"])

    profile = tmp_path / "default.pgo"
    profile.write_bytes(exported(client, bench, set_id, "pgo")[1])
    post_program(client, BASE, build(tmp_path / "optimized", f"-pgo={profile}"))
    run_all(bench)
    both = checked(client, bench, set_id)
    assert both["earlier_effect"].startswith("The builds differ only in PGO: ")
    assert f"An earlier PGO profile of this build: {both['earlier_effect']}" in both["sentences"]


def json_of(content: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(content)
    assert document["format"] == "slowpath.stack_sizes/1"
    return document


def test_a_set_exports_a_profile_that_go_optimizes_by(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    set_id = open_build(client, bench)
    done, content = exported(client, bench, set_id, "pgo")
    assert (done["state"], done["file_name"]) == ("done", "default.pgo"), done["problem"]
    profile = tmp_path / "default.pgo"
    profile.write_bytes(content)
    optimized = build(tmp_path / "optimized", f"-pgo={profile}")
    assert len(optimized) != len(build(tmp_path / "plain", "-pgo=off"))
