"""The files of an archive become artifacts with its batch, build and sender; the archive itself is not stored."""

import io
import json
import tarfile
import uuid
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.evidence.artifacts.service.artifact_ingest import original_key
from tests.factories.accounts import SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.conftest import PROFILES
from tests.tasks.test_decode_handlers import again, run_all

pytestmark = pytest.mark.database

CPU, HEAP = (next(path for path in sorted(PROFILES.iterdir()) if word in path.name) for word in ("cpu", "heap"))
METADATA = {"requests": 14000, "go_version": "go1.26.8"}


Pack = Callable[[Mapping[str, bytes]], bytes]


def zip_of(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return out.getvalue()


def tar_gz_of(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return out.getvalue()


FILES = {
    "base/cpu.pprof": CPU.read_bytes(),
    "base/cpu.pprof.metadata.json": json.dumps(METADATA).encode(),
    "candidate/heap.pprof": HEAP.read_bytes(),
    "candidate/heap.pprof.metadata.json": b'{"requests": "many"}',
    "candidate/empty": b"",
}


def put(client: TestClient, name: str, content: bytes, **params: str) -> dict[str, Any]:
    response = client.put(f"/api/v1/artifacts/{name}", content=content, params=params)
    assert response.status_code == 201, response.text
    return dict(response.json())


def members(client: TestClient, archive: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = client.get("/api/v1/artifacts", params={"archive_id": archive["id"]}).json()["items"]
    return {f"{each['folder']}/{each['name']}": each for each in found}


@pytest.mark.parametrize(("name", "pack"), [("ci.zip", zip_of), ("ci.tar.gz", tar_gz_of)])
def test_files_of_an_archive_become_artifacts(
    client: TestClient, bench: Bench, app: AppUnderTest, team: SomeTeam, name: str, pack: Pack
) -> None:
    batch = str(uuid.uuid4())
    archive = put(client, name, pack(FILES), batch=batch)
    run_all(bench)

    current, found = again(client, archive), members(client, archive)
    assert (current["state"], current["kind"]) == ("decoded", "archive"), current["error"]
    assert current["archive"]["files"] == 2
    assert current["archive"]["skipped"] == [{"path": "candidate/empty", "reason": "empty"}]
    assert "candidate/heap.pprof.metadata.json" in current["archive"]["warnings"][0]
    assert {path: each["kind"] for path, each in found.items()} == {
        "base/cpu.pprof": "profile.cpu",
        "candidate/heap.pprof": "profile.heap",
    }
    assert found["base/cpu.pprof"]["run_metadata"] == METADATA
    assert {each["batch"] for each in found.values()} == {batch}
    assert {each["created_by"] for each in found.values()} == {current["created_by"]} != {None}
    assert not app.blobs.exists(original_key(team.id, archive["sha256"]))
    assert app.blobs.exists(original_key(team.id, found["base/cpu.pprof"]["sha256"]))


def test_an_archive_of_a_build_adds_each_file_once(client: TestClient, bench: Bench) -> None:
    here = "/api/v1/builds/ingester/4f2c9e1d"
    archive = client.put(f"{here}/artifacts/ci.zip", content=zip_of(FILES)).json()
    run_all(bench)
    other = {**FILES, "more/cpu.pprof": FILES["base/cpu.pprof"], "note": b"hello"}
    client.put(f"{here}/artifacts/ci.zip", content=zip_of(other))
    run_all(bench)

    [build] = client.get("/api/v1/builds").json()["items"]
    of_build = client.get("/api/v1/artifacts", params={"build_id": build["id"]}).json()["items"]
    assert sorted(each["name"] for each in of_build) == ["ci.zip", "ci.zip", "cpu.pprof", "heap.pprof", "note"]
    assert len(members(client, archive)) == 2


def test_deleting_an_archive_leaves_its_files(
    client: TestClient, bench: Bench, app: AppUnderTest, team: SomeTeam
) -> None:
    archive = put(client, "ci.zip", zip_of(FILES))
    run_all(bench)
    found = members(client, archive)
    assert client.delete(f"/api/v1/artifacts/{archive['id']}").status_code == 204
    run_all(bench)

    for each in found.values():
        assert again(client, each)["archive_id"] is None
        assert app.blobs.exists(original_key(team.id, each["sha256"]))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (zip_of({}), "empty-archive"),
        (zip_of({"inner.zip": zip_of(FILES)}), "nothing-unpacked"),
        (zip_of({"cpu.pprof.metadata.json": b"{}"}), "nothing-unpacked"),
        (zip_of(FILES)[:-30], "damaged-zip"),
    ],
)
def test_an_archive_without_usable_files_is_invalid(
    client: TestClient, bench: Bench, content: bytes, problem: str
) -> None:
    archive = put(client, "ci.zip", content)
    run_all(bench)

    current = again(client, archive)
    assert (current["state"], current["error"]["type"]) == ("invalid", f"urn:slowpath:{problem}")
    assert members(client, archive) == {}
