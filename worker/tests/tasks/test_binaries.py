"""A Go program completes its build and its functions are stored; other files add their metadata."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from slowpath.evidence.executables import service as executables
from tests.factories.accounts import SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import BINARY, PROFILES
from tests.tasks.test_decode_handlers import again, run_all

pytestmark = pytest.mark.database

HERE = "/api/v1/builds/ingester/4f2c9e1d"
PROFILE = next(path for path in sorted(PROFILES.iterdir()) if path.suffix in {".gz", ".pprof", ".prof"})


def put(client: TestClient, name: str, content: bytes, **expected: str) -> dict[str, Any]:
    body: dict[str, Any] = client.put(f"{HERE}/artifacts/{name}", content=content, params=expected).json()
    return body


def build(client: TestClient) -> dict[str, Any]:
    [listed] = client.get("/api/v1/builds").json()["items"]
    found: dict[str, Any] = client.get(f"/api/v1/builds/{listed['id']}").json()  # the list has no dependencies
    return found


def test_a_program_completes_its_build_and_its_functions_are_stored(
    client: TestClient, bench: Bench, app: AppUnderTest, team: SomeTeam
) -> None:
    artifact = put(client, "decode", BINARY.read_bytes())
    run_all(bench)

    current = again(client, artifact)
    known = build(client)
    assert (current["state"], current["kind"]) == ("decoded", "binary"), current["error"]
    assert current["binary"]["module"] == "slowpath.dev/decode"
    assert known["go_version"] == current["binary"]["go_version"]
    assert (known["goos"], known["goarch"]) == ("linux", current["binary"]["settings"]["GOARCH"])
    assert "github.com/google/pprof" in known["dependencies"]
    assert app.blobs.exists(original_key(team.id, artifact["sha256"]))
    assert current["binary"]["warnings"] == []
    with bench.worker_context.database.reading(TeamScope(team.id)) as session:
        [stored] = executables.list_by_build_ids(session, [current["binary"]["gnu_build_id"]])
        assert (str(stored.id), stored.damaged, stored.columns_bytes > 0) == (artifact["id"], 0, True)
        assert 0 < stored.functions < stored.inlined < stored.calls
        columns = executables.columns_key(team.id, artifact["sha256"])
        assert stored.columns_key == columns
    assert app.blobs.exists(columns)

    found = client.get(
        f"/api/v1/executables/{artifact['id']}/functions", params={"name": "MAIN.Main", "limit": 1}
    ).json()
    [main] = found["functions"]
    assert (main["name"], main["has_stack_check"], main["is_wrapper"]) == ("main.main", True, False)
    assert main["frame_bytes"] > 0
    assert main["file"].endswith("main.go")
    assert found["total"] == stored.functions == current["binary"]["functions"]

    client.delete(f"/api/v1/artifacts/{artifact['id']}")
    run_all(bench)
    assert not app.blobs.exists(columns)
    assert not app.blobs.exists(original_key(team.id, artifact["sha256"]))


@pytest.mark.processes
def test_of_a_program_for_another_system_only_the_build_is_stored(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "go.mod").write_text("module example.com/other\n\ngo 1.24\n")
    (tmp_path / "main.go").write_text("package main\n\nfunc main() {}\n")
    go = shutil.which("go")
    if go is None:
        pytest.skip("no go to build with")
    built = tmp_path / "other.exe"
    asked = {**os.environ, "GOOS": "windows", "GOARCH": "amd64", "CGO_ENABLED": "0", "GOFLAGS": "", "GOWORK": "off"}
    subprocess.run([go, "build", "-o", built, "."], cwd=tmp_path, env=asked, check=True)
    artifact = put(client, "other", built.read_bytes())
    run_all(bench)

    current = again(client, artifact)
    assert (current["state"], current["binary"]["module"]) == ("decoded", "example.com/other"), current["error"]
    [warning] = current["binary"]["warnings"]
    assert "ELF executables (Linux) only" in warning


def test_values_set_by_a_person_are_not_overwritten(client: TestClient, bench: Bench) -> None:
    client.post(HERE, json={"go_version": "go1.20", "dependencies": {"a": "v1"}})
    put(client, "decode", BINARY.read_bytes())
    run_all(bench)

    known = build(client)
    assert (known["go_version"], known["dependencies"], known["goos"]) == ("go1.20", {"a": "v1"}, "linux")


def test_a_program_that_is_not_go_is_rejected_and_stored(
    client: TestClient, bench: Bench, app: AppUnderTest, team: SomeTeam
) -> None:
    artifact = put(client, "sh", Path(shutil.which("true") or "/bin/true").read_bytes())
    run_all(bench)

    current = again(client, artifact)
    assert (current["state"], current["error"]["type"]) == ("invalid", "urn:slowpath:not-go-binary")
    assert app.blobs.exists(original_key(team.id, artifact["sha256"]))
    assert build(client)["go_version"] == ""


def test_facts_of_a_file_complete_its_build(client: TestClient, bench: Bench) -> None:
    put(client, "cpu", PROFILE.read_bytes(), run_metadata=json.dumps({"go_version": "go1.26.8", "goos": "linux"}))
    run_all(bench)

    known = build(client)
    assert (known["go_version"], known["goos"], known["goarch"]) == ("go1.26.8", "linux", "")
