"""The captures of builds as shipped, and the example that is made of them."""

import gzip
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_worker.example.build_plan import builds_of, commit_of
from slowpath_worker.example.quoter_repository import write_repository

BUILDS = Path(__file__).resolve().parents[2] / "example" / "builds"
PLAN: dict[str, Any] = json.loads((BUILDS / "investigation.json").read_text(encoding="utf-8"))
VARIANTS = ("base", "moved", "slower", "smaller")
A_PATH = re.compile(rb"/(home|root|tmp|work|Users|usr|var|opt)/[\w./-]*")
NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


def facts_of(file: Path) -> RunMetadata:
    return RunMetadata.from_json(json.loads(file.with_name(f"{file.name}.facts.json").read_text(encoding="utf-8")))


def captures(variant: str) -> list[Path]:
    return sorted((BUILDS / "artifacts" / variant).glob("*.pb.gz"))


def cost_us(variant: str) -> float:
    facts = [facts_of(file) for file in captures(variant)]
    return median((each.cpu_ns or 0) / (each.requests or 1) / 1000 for each in facts)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_pool_is_complete_small_and_of_fresh_processes(variant: str) -> None:
    files = captures(variant)
    assert len(files) == 64
    assert sum(file.stat().st_size for file in files) / len(files) < 11_000
    facts = [facts_of(file) for file in files]
    assert len({each.run for each in facts}) == 64
    assert {each.gomaxprocs for each in facts} == {1 if variant == "smaller" else 2}
    for file in files:
        assert not A_PATH.search(gzip.decompress(file.read_bytes())), file


def test_the_move_costs_nothing_and_the_change_for_the_worse_fifteen_percent() -> None:
    assert cost_us("moved") / cost_us("base") == pytest.approx(1.0, abs=0.04)
    assert cost_us("slower") / cost_us("moved") == pytest.approx(1.15, abs=0.04)


def test_the_plan_is_the_same_line_of_commits_every_time() -> None:
    builds = list(builds_of(PLAN, NOW))
    assert [each.sha for each in builds] == [each.sha for each in builds_of(PLAN, NOW.replace(year=2027))]
    assert [after.parent for after in builds[1:]] == [before.sha for before in builds[:-1]]
    assert len({each.sha for each in builds}) == len(builds) == 42
    assert all(before.at < after.at < NOW for before, after in pairwise(builds))


def test_the_commit_of_the_change_touches_the_file_of_the_change() -> None:
    (slower,) = [each for each in builds_of(PLAN, NOW) if each.commit is PLAN["changes"]["slower"]]
    assert slower.variant == "slower"
    (touched,) = commit_of(slower)["files"]
    assert (BUILDS / "changes" / "slower" / touched["path"]).is_file()


def test_the_repository_is_the_same_every_time_and_hides_the_change_among_commits_without_a_build(
    tmp_path: Path,
) -> None:
    builds = list(builds_of(PLAN, NOW))
    written = write_repository(tmp_path / "one.git", BUILDS, PLAN, builds)
    assert written == write_repository(tmp_path / "two.git", BUILDS, PLAN, builds)
    assert written == write_repository(tmp_path / "two.git", BUILDS, PLAN, builds), "in place of the former"
    assert [each.at for each in written] == [each.at for each in builds]

    line = git(tmp_path, "log", "--reverse", "--format=%H %cI %s", "main").splitlines()
    assert len(line) == len(builds) + PLAN["unbuilt"]["commits"]
    assert [each.sha for each in written] == [one[:40] for one in line if one[:40] in {each.sha for each in written}]
    [change] = [one[:40] for one in line if one.endswith(PLAN["changes"]["slower"]["title"])]
    assert change not in {each.sha for each in written}
    assert git(tmp_path, "show", "--format=", "--name-only", change).split() == ["discount/discount.go"]
    slower = (BUILDS / "changes" / "slower" / "discount" / "discount.go").read_text(encoding="utf-8")
    assert git(tmp_path, "show", f"{change}:discount/discount.go").startswith(slower.strip())
    first = next(each for each in written if each.variant == "slower")
    git(tmp_path, "merge-base", "--is-ancestor", change, str(first.parent))


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_the_last_commit_of_the_repository_builds(tmp_path: Path) -> None:
    write_repository(tmp_path / "one.git", BUILDS, PLAN, list(builds_of(PLAN, NOW)))
    subprocess.run(["git", "clone", "--quiet", str(tmp_path / "one.git"), str(tmp_path / "tree")], check=True)
    done = subprocess.run(["go", "vet", "./..."], cwd=tmp_path / "tree", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder / "one.git", check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
@pytest.mark.parametrize("changes", [(), ("moved",), ("moved", "slower")])
def test_every_state_of_the_program_passes_its_own_tests(changes: tuple[str, ...], tmp_path: Path) -> None:
    shutil.copytree(BUILDS / "quoter", tmp_path, dirs_exist_ok=True)
    for change in changes:
        shutil.copytree(BUILDS / "changes" / change, tmp_path, dirs_exist_ok=True)
    done = subprocess.run(
        ["go", "test", "-vet=off", "./quote"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
