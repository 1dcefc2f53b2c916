"""The example as it is shipped: complete, small, without facts of the machine it was made on, and with its regression."""

import gzip
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.main import main
from slowpath_worker.example.ingester_repository import write_repository

EXAMPLE = Path(__file__).resolve().parents[2] / "example"
PLAN: dict[str, Any] = json.loads((EXAMPLE / "investigation.json").read_text())
FOLDERS = [EXAMPLE / each["folder"] for each in PLAN["sets"] if each["folder"].startswith("artifacts/")]
FILES = [file for folder in FOLDERS for file in sorted(folder.glob("*.pb.gz"))]
A_PATH = re.compile(rb"/(home|root|tmp|work|Users|usr|var|opt)/[\w./-]*")


def facts_of(file: Path) -> RunMetadata:
    return RunMetadata.from_json(json.loads(file.with_name(file.name + ".facts.json").read_text()))


def test_the_plan_hangs_together() -> None:
    builds, sets = {each["id"] for each in PLAN["builds"]}, {each["id"]: each for each in PLAN["sets"]}
    assert {each["build"] for each in sets.values()} == builds
    for comparison in PLAN["comparisons"]:
        assert {comparison["base"], comparison["candidate"]} <= set(sets)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_a_set_is_complete(folder: Path) -> None:
    assert len(list(folder.glob("cpu.*.pb.gz"))) == 10
    assert len(list(folder.glob("heap.*.pb.gz"))) == len(list(folder.glob("allocs.*.pb.gz"))) == 2
    commits = {each["id"]: each["commit"] for each in PLAN["builds"]}
    for file in folder.glob("*.pb.gz"):
        facts = facts_of(file)
        assert facts.commit == commits[folder.name]
        assert re.fullmatch(r"[0-9a-f]{40}", facts.commit or "")
        assert facts.requests
        assert facts.cpu_ns
        assert facts.wall_ns
        assert (facts.go_version, facts.gomaxprocs) == ("go1.26.8", 2)
    assert len({facts_of(file).run for file in folder.glob("cpu.*.pb.gz")}) == 10, "a fresh process each"
    first, last = (facts_of(folder / f"heap.0{n}.pb.gz") for n in (0, 1))
    assert first.run == last.run
    assert (first.requests or 0) < (last.requests or 0)


def test_it_is_small_and_names_no_machine() -> None:
    assert sum(file.stat().st_size for folder in FOLDERS for file in folder.iterdir()) < 1_500_000
    for file in FILES:
        assert not A_PATH.search(gzip.decompress(file.read_bytes())), file


@pytest.mark.parametrize(
    ("base", "candidate", "verdict", "code"),
    [("inlined", "helper", "regressed", 1), ("helper", "inlined", "improved", None)],
)
def test_it_shows_the_documented_cause(
    base: str, candidate: str, verdict: str, code: int | None, capfd: pytest.CaptureFixture[str]
) -> None:
    sides = {
        name: [str(file) for file in sorted((EXAMPLE / "artifacts" / name).glob("cpu.*.pb.gz"))]
        for name in (base, candidate)
    }
    got = main(["compare", "--base", *sides[base], "--candidate", *sides[candidate], "--json"])
    document = json.loads(capfd.readouterr().out)
    assert code is None or got == code
    assert document["verdict"] == verdict
    first = document["findings"][0]
    assert first["subject"] == "stack-growth"
    assert first["attributed_callers"][0]["function"].endswith("ident.cloneBytes")
    assert first["attributed_callers"][0]["entry"] == "runtime.newstack"
    assert first["normalization"] == "per_request"


@pytest.mark.parametrize(
    ("base", "candidate", "verdict", "code"),
    [
        ("inlined", "helper", "regressed", 1),
        ("helper", "inlined", "improved", 0),
        ("inlined", "pool", "improved", 0),
        ("pool", "inlined", "regressed", 1),
        ("helper", "pool", "improved", 0),
        ("pool", "helper", "regressed", 1),
    ],
)
def test_all_six_directions_of_the_variants(
    base: str, candidate: str, verdict: str, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """With all kinds of profile: `helper` costs more than `inlined`, and `pool` less than both."""
    sides = [str(EXAMPLE / "artifacts" / name) for name in (base, candidate)]
    got = main(["compare", "--base", sides[0], "--candidate", sides[1], "--json"])
    document = json.loads(capfd.readouterr().out)
    assert (document["verdict"], got) == (verdict, code)
    assert document["headline"]["sentence"].startswith(verdict.capitalize())
    assert (document["headline"]["total"]["ratio"] > 1) is (verdict == "regressed")


def test_the_fix_needs_no_stack_growth(capfd: pytest.CaptureFixture[str]) -> None:
    for base in ("helper", "inlined"):
        sides = [str(EXAMPLE / "artifacts" / name) for name in (base, "pool")]
        main(["compare", "--base", sides[0], "--candidate", sides[1], "--json"])
        document = json.loads(capfd.readouterr().out)
        assert document["verdict"] == "improved"
        (growth,) = [finding for finding in document["findings"] if finding["subject"] == "stack-growth"]
        assert growth["change"]["ratio"] < 0.05


def test_the_repository_has_the_change_of_each_build_at_the_lines_of_the_profiles(tmp_path: Path) -> None:
    shas = write_repository(
        tmp_path / "ingester.git", EXAMPLE / "ingester", PLAN, datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
    )
    assert list(shas) == [each["id"] for each in PLAN["builds"]]
    changed = git(tmp_path, "diff", "--name-status", "--no-renames", shas["inlined"], shas["helper"]).split()
    assert changed == ["A", "ident/clone_helper.go", "D", "ident/clone_inlined.go"]
    assert git(tmp_path, "show", "-s", "--format=%an: %s", shas["helper"]) == (
        "Bo Lund: Take the copying of Clone out into cloneBytes"
    )
    written = git(tmp_path, "show", f"{shas['helper']}:ident/clone_helper.go").splitlines()
    source = (EXAMPLE / "ingester" / "ident" / "clone_helper.go").read_text(encoding="utf-8").splitlines()
    assert (written[0], written[1:]) == ("//go:build go1.26", source[1:])
    assert git(tmp_path, "ls-tree", "--name-only", shas["pool"], "ingest/").split() == [
        "ingest/handler.go",
        "ingest/spawn_pool.go",
    ]


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
@pytest.mark.parametrize("number", range(len(PLAN["builds"])))
def test_each_commit_of_the_repository_builds(number: int, tmp_path: Path) -> None:
    shas = write_repository(tmp_path / "ingester.git", EXAMPLE / "ingester", PLAN, datetime(2026, 11, 21, tzinfo=UTC))
    subprocess.run(["git", "clone", "--quiet", str(tmp_path / "ingester.git"), str(tmp_path / "tree")], check=True)
    subprocess.run(["git", "checkout", "--quiet", list(shas.values())[number]], cwd=tmp_path / "tree", check=True)
    done = subprocess.run(["go", "vet", "./..."], cwd=tmp_path / "tree", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder / "ingester.git", check=True, capture_output=True, text=True)
    return done.stdout.strip()
