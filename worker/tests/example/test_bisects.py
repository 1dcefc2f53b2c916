"""The histories to bisect: the same seed writes the same commits, and the way down leads to the commit that makes stacks grow."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from example.bisects.generated_histories import CULPRIT, Histories, Sizes, written
from example.bisects.split_repositories import LIBDB, LIBX, SERVICE
from slowpath_cli.main import main

pytestmark = pytest.mark.processes

GO = shutil.which("go") or "/usr/local/go/bin/go"
SMALL = Sizes(mono=24, libdb=16, libx=10, outside=4)
SCRIPT = f"""#!/bin/sh
{GO} build -trimpath -buildvcs=false -o "$SLOWPATH_OUT/ingester" ./{SERVICE} || exit 125
if grep -q cloneBytes "$SLOWPATH_OUT/ingester"; then exit 1; fi
"""
"""Asks the binary, not the clock: whether it holds the helper."""


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, encoding="utf-8").stdout.strip()


def on_a_branch(made: Histories, level: int) -> bool:
    one = made.repositories[level]
    return one.guilty not in git(one.folder, "rev-list", "--first-parent", "main").split()


def test_the_same_seed_writes_the_same_commits(tmp_path: Path) -> None:
    first, same, other = (written(tmp_path / name, seed, SMALL) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first.culprits == same.culprits
    assert [one.last for one in first.repositories] == [one.last for one in same.repositories]
    assert set(first.culprits).isdisjoint(other.culprits)


def test_the_culprit_is_found_through_dependency_updates(tmp_path: Path) -> None:
    made = written(tmp_path, 3)
    counts = [int(git(one.folder, "rev-list", "--count", "--no-merges", "main")) for one in made.repositories]
    assert 300 <= counts[0] <= 320
    assert 174 <= counts[1] <= 190
    assert 84 <= counts[2] <= 100
    for one in made.repositories[:2]:
        assert git(one.folder, "diff", "--name-only", one.parent, one.guilty).split() == ["go.mod", "go.sum"]
    last = made.repositories[2]
    assert git(last.folder, "diff", "--name-only", last.parent, last.guilty) == "ident/clone.go"
    assert git(last.folder, "show", "--no-patch", "--format=%s", last.guilty) == CULPRIT


def test_the_way_down_leads_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = written(tmp_path / "h", 25, SMALL)
    assert on_a_branch(made, 0)  # a merge brings the bump: it hides in one more place
    assert on_a_branch(made, 1)
    monkeypatch.setenv("GOPROXY", f"file://{made.proxy}")
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "modules"))
    for name, value in (("GOSUMDB", "off"), ("GOFLAGS", "-modcacherw"), ("CGO_ENABLED", "0"), ("GOTOOLCHAIN", "local")):
        monkeypatch.setenv(name, value)
    script = tmp_path / "measure.sh"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    folders = {one.module: one.folder for one in made.repositories}
    modules = [word for name in (LIBDB, LIBX) for word in ("--module-repo", f"{name}={folders[name]}")]
    exit_code = main(
        ["bisect", "--repo", str(made.repositories[0].folder), "--good", made.good, "--bad", made.bad, *modules,
         "--main", f"./{SERVICE}", "--cgo", "off", "--work-dir", str(tmp_path / "work"), "--json", "--", str(script)]
    )  # fmt: skip
    out = capsys.readouterr()
    assert exit_code == os.EX_OK, out.err
    found = json.loads(out.out.splitlines()[-1])
    assert [one["culprit"] for one in found["levels"]] == made.culprits
    assert found["levels"][0]["classes"] < found["levels"][0]["candidates"]
