"""The compiler's part of a comparison, from uploaded executables and profiles of the example to its document."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.jobs.conftest import Bench
from tests.tasks.test_decode_handlers import again, put, run_all
from tests.tasks.test_stack_checks import post_program
from tests.tasks.test_stack_sizes import build

EXAMPLE = Path(__file__).resolve().parents[2] / "example"
DECODE = EXAMPLE.parent / "decode"
PROFILES = 4
SIDES = {"base": "inlined", "candidate": "helper"}
CLONE = "ingester/ident.(*Pool).Clone"
SENTENCE = (
    "ident.(*Pool).Clone now calls ident.cloneBytes (frame 40 B); the path of 31 frames grew from 3,120 to 3,192 B and "
    "crosses 3,168: each goroutine grows its stack once more."
)
pytestmark = [pytest.mark.database, pytest.mark.processes]


def profiles(client: TestClient, variant: str, build_id: str | None = None, build: str = "") -> list[str]:
    """Upload profiles of a variant with their run metadata, and a build ID, for a build."""
    uploaded, of_build = [], {"build_id": build} if build else {}
    for path in sorted((EXAMPLE / "artifacts" / variant).glob("cpu.*.pb.gz"))[:PROFILES]:
        facts = json.loads(path.with_name(f"{path.name}.facts.json").read_text("utf-8"))
        facts |= {"build_id": build_id} if build_id else {}
        name = f"{variant}-{path.name}"
        uploaded.append(str(put(client, path.read_bytes(), name, run_metadata=json.dumps(facts), **of_build)["id"]))
    return uploaded


def compared(client: TestClient, bench: Bench, base: list[str], candidate: list[str]) -> dict[str, Any]:
    sides = {"base": {"artifact_ids": base}, "candidate": {"artifact_ids": candidate}}
    asked = client.post("/api/v1/comparisons", json=sides)
    assert asked.status_code == 201, asked.text
    run_all(bench)
    current: dict[str, Any] = again(client, asked.json(), "comparisons")
    assert current["state"] == "done", current["problem"]
    result: dict[str, Any] = current["result"]
    return result


def is_edge_the_cause(result: dict[str, Any]) -> bool:
    first = result["compiler"]["findings"][0]
    assert first["sentence"] == SENTENCE
    return bool(first["is_cause"]) and result["findings"][first["explains"]]["subject"] == "stack-growth"


def test_executables_among_the_artifacts_are_compared(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    binaries = {name: put(client, content, name)["id"] for name, content in programs.items()}
    sides = {name: [*profiles(client, name), binaries[name]] for name in programs}
    assert is_edge_the_cause(compared(client, bench, sides["inlined"], sides["helper"]))


def test_executables_are_matched_by_build_id(client: TestClient, bench: Bench, programs: dict[str, bytes]) -> None:
    ids = {}
    for name, content in programs.items():
        uploaded = put(client, content, name)
        run_all(bench)
        ids[name] = again(client, uploaded)["binary"]["gnu_build_id"]
    sides = {name: profiles(client, name, build_id=ids[name]) for name in programs}
    assert is_edge_the_cause(compared(client, bench, sides["inlined"], sides["helper"]))


def absence(client: TestClient, comparison_id: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/comparisons/{comparison_id}/compiler-absence")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_without_both_executables_the_reason_is_stated_until_they_are_uploaded(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    ids = {}
    for name, content in programs.items():
        uploaded = put(client, content, name)
        run_all(bench)
        ids[name] = again(client, uploaded)["binary"]["gnu_build_id"]
        assert client.delete(f"/api/v1/artifacts/{uploaded['id']}").status_code == 204
    sides = {side: {"artifact_ids": profiles(client, name, ids[name])} for side, name in SIDES.items()}
    comparison = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    assert again(client, comparison, "comparisons")["result"]["compiler"] is None
    found = absence(client, comparison["id"])
    assert found["reasons"] == ["No executable of either side is stored."]
    assert found["remedy"].startswith("Upload the programs that the profiles were recorded from")
    put(client, programs["inlined"], "inlined")
    run_all(bench)
    assert absence(client, comparison["id"])["reasons"] == ["No executable of the candidate is stored."]
    put(client, programs["helper"], "helper")
    run_all(bench)
    found = absence(client, comparison["id"])
    assert found["can_compute_again"]
    assert found["reasons"] == ["Executables of both sides are stored now. The comparison was computed without them."]
    asked = client.post(f"/api/v1/comparisons/{comparison['id']}/retry")
    assert (asked.status_code, asked.json()["state"]) == (200, "waiting")
    run_all(bench)
    assert is_edge_the_cause(again(client, comparison, "comparisons")["result"])
    assert absence(client, comparison["id"])["reasons"] == []


def test_an_executable_of_another_build_id_or_not_decoded_yet_is_named(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    build = post_program(client, "9" * 40, programs["inlined"])
    base = profiles(client, "inlined", "a" * 40, build)
    sides = {"base": {"artifact_ids": base}, "candidate": {"artifact_ids": profiles(client, "helper", "b" * 40)}}
    comparison = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    reasons = absence(client, comparison["id"])["reasons"]
    assert reasons[0].startswith("The executable of the base has the build ID ")
    assert "its profiles have" in reasons[0]
    assert "aaaaaaaaaaaa" in reasons[0]
    assert reasons[1] == "No executable of the candidate is stored."
    post_program(client, "9" * 40, programs["helper"])
    found = absence(client, comparison["id"])
    assert (found["reasons"][0], found["is_changing"]) == ("The executable of the base is still being decoded.", True)


def disassembled(client: TestClient, bench: Bench, path: str, function: str) -> dict[str, Any]:
    asked = client.post(f"/api/v1/{path}/assemblies", json={"function": function})
    assert asked.status_code == 202, asked.text
    run_all(bench)
    assert client.post(f"/api/v1/{path}/assemblies", json={"function": function}).json()["id"] == asked.json()["id"]
    current: dict[str, Any] = again(client, asked.json(), "assemblies")
    assert current["state"] == "done", current["problem"]
    document: dict[str, Any] = current["document"]
    return document


def test_a_function_of_both_sides_is_disassembled(client: TestClient, bench: Bench, programs: dict[str, bytes]) -> None:
    binaries = {name: put(client, content, name)["id"] for name, content in programs.items()}
    sides = {side: {"artifact_ids": [*profiles(client, name), binaries[name]]} for side, name in SIDES.items()}
    comparison = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    document = disassembled(client, bench, f"comparisons/{comparison['id']}", CLONE)
    calls = [[each["call"] for each in document[side]["instructions"] if each["call"]] for side in SIDES]
    assert "ingester/ident.cloneBytes" not in calls[0]
    assert "ingester/ident.cloneBytes" in calls[1]
    assert sum(row["same"] for row in document["rows"]) > 50
    assert document["base"]["samples"]["profiles"] == PROFILES
    assert document["base"]["samples"]["reason"] == "other-build"  # the profiles were recorded of another build
    alone = disassembled(client, bench, f"executables/{binaries['helper']}", CLONE)
    assert alone["base"] is None
    assert alone["candidate"]["instructions"] == document["candidate"]["instructions"]


def record(folder: Path) -> tuple[bytes, bytes]:
    """Return a program with a build ID and a profile that it recorded of itself."""
    program, profile = folder / "recorded", folder / "cpu.pb.gz"
    build(program, "-ldflags=-B gobuildid", source=DECODE / "internal/compilerdiff/testdata/recorded")
    subprocess.run([str(program), str(profile)], check=True)
    return program.read_bytes(), profile.read_bytes()


def test_addresses_of_profiles_of_a_build_are_used(
    client: TestClient, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, profile = record(tmp_path)
    binary = put(client, program, "recorded")["id"]
    run_all(bench)
    asked = f"executables/{binary}"
    alone = disassembled(client, bench, asked, "main.(*worker).run")["candidate"]["samples"]
    assert (alone["profiles"], alone["reason"]) == (0, "no-profiles")
    uploaded = [put(client, content, f"{number}.pb.gz")["id"] for number, content in enumerate([profile] * 2)]
    run_all(bench)
    sampled = disassembled(client, bench, asked, "main.(*worker).run")["candidate"]
    assert (sampled["samples"]["used"], sampled["samples"]["reason"]) == (2, None)
    value = sum(each["total"] for each in sampled["instructions"])  # the runtime interrupts the function
    assert value > sampled["samples"]["total"] / 2 > 0
    monkeypatch.setattr(
        "slowpath.evidence.profiles.service.profiles.MOST_RECORDED", 2
    )  # of which 2 are in the assembly
    before = client.post(f"/api/v1/{asked}/assemblies", json={"function": "main.(*worker).run"}).json()
    assert before["state"] == "done"
    put(client, profile, "newer.pb.gz")
    run_all(bench)
    renewed = client.post(f"/api/v1/{asked}/assemblies", json={"function": "main.(*worker).run"}).json()
    assert (renewed["id"], renewed["state"]) == (before["id"], "waiting")
    run_all(bench)
    assert again(client, renewed, "assemblies")["state"] == "done"
    assert client.post(f"/api/v1/{asked}/assemblies", json={"function": "main.(*worker).run"}).json()["state"] == "done"
    result = compared(client, bench, uploaded[:1], uploaded[1:])
    assert result["compiler"]["addressed"] == ["base", "candidate"]
    assert result["compiler"]["findings"] == []


def test_without_an_executable_there_is_no_assembly(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    base = [*profiles(client, "inlined"), put(client, programs["inlined"], "inlined")["id"]]
    sides = {"base": {"artifact_ids": base}, "candidate": {"artifact_ids": profiles(client, "helper")}}
    comparison = client.post("/api/v1/comparisons", json=sides).json()
    run_all(bench)
    refused = client.post(f"/api/v1/comparisons/{comparison['id']}/assemblies", json={"function": CLONE})
    assert refused.status_code == 404
    assert refused.json()["detail"] == "No executable of the candidate is stored."


def test_the_compilers_reasons_are_found_by_the_commits_of_both_sides(
    client: TestClient, bench: Bench, programs: dict[str, bytes]
) -> None:
    comparison = client.post(
        "/api/v1/comparisons",
        json={side: {"artifact_ids": profiles(client, name)} for side, name in SIDES.items()},
    ).json()
    path = f"/api/v1/comparisons/{comparison['id']}"
    commits = client.get(f"{path}/commits").json()
    reason = {
        "function": "ingester/ident.cloneBytes", "kind": "inline", "base": "", "file": "clone.go", "line": 24,
        "candidate": "function too complex: cost 117 exceeds budget 80",
    }  # fmt: skip
    report: dict[str, Any] = {"format": "slowpath.compile-report/1", "package": ".", "reasons": [reason]}
    of_sides = {f"{side}_commit": commits[side] or "0" * 40 for side in SIDES}
    for sent in (report | of_sides | {"reasons": []}, report | of_sides):  # the second replaces the first
        assert client.post("/api/v1/compile-reports", json=sent).status_code == 201
    listed = client.get(f"{path}/compiler-reasons").json()
    assert commits["base"] is not None
    assert [each["sentence"] for each in listed] == [
        "ingester/ident.cloneBytes is no longer inlined: cost 117 exceeds budget 80."
    ]
    assert client.post("/api/v1/compile-reports", json=report | {"base_commit": "main"}).status_code == 422


@pytest.mark.parametrize(
    ("digests", "difference", "sentence"),
    [
        (("a" * 64, "b" * 64), ("/tmp/pgo (SHA-256 aaaaaaaaaaaa)", "/tmp/pgo (SHA-256 bbbbbbbbbbbb)"), None),
        (("a" * 64, None), None, "-pgo: only the path is compared, /tmp/pgo: the content of the PGO profile of the candidate "),
    ],
)  # fmt: skip
def test_pgo_profiles_under_one_path_are_compared_by_content(
    client: TestClient,
    bench: Bench,
    programs: dict[str, bytes],
    digests: tuple[str | None, str | None],
    difference: tuple[str, str] | None,
    sentence: str | None,
) -> None:
    sides = []
    for (name, content), digest in zip(programs.items(), digests, strict=True):
        built, replaced = re.subn(rb"build\tCGO_ENABLED=[01]\n", b"build\t-pgo=/tmp/pgo\n", content)
        assert replaced, "the build information has the setting that is replaced, of equal length"
        metadata = json.dumps({"pgo_sha256": digest} if digest else {})
        sides.append([*profiles(client, name), str(put(client, built, name, run_metadata=metadata)["id"])])
    compiler = compared(client, bench, *sides)["compiler"]
    found = [(each["base"], each["candidate"]) for each in compiler["differences"] if each["setting"] == "-pgo"]
    assert found == ([difference] if difference else [])
    assert str(compiler["pgo_comparison"]).startswith(sentence or "None")
    assert compiler["base"]["pgo_sha256"] == digests[0]
