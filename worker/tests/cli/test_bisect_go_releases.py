"""`slowpath bisect` through Go releases and their settings: simulated costs over the real releases, and real toolchains."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository

pytestmark = pytest.mark.processes

SIMULATED = r"""#!{python}
import os, random, re
line = re.search(r"^go 1\.(\d+)(?:\.(\d+))?", open("go.mod").read(), re.M)
chosen = re.fullmatch(r"go1\.(\d+)(?:\.(\d+))?", os.environ.get("GOTOOLCHAIN", ""))
named = re.search(r"^toolchain go1\.(\d+)(?:\.(\d+))?", open("go.mod").read(), re.M)
parse = lambda found: (int(found[1]), int(found[2] or 0))
go = parse(line)
tool = parse(chosen) if chosen else max(go, parse(named)) if named else go
godebug, experiment = os.environ.get("GODEBUG", "").split(","), os.environ.get("GOEXPERIMENT", "").split(",")
slow = {slow}
print((100 + 30 * slow) * random.gauss(1, 0.01))
"""
"""Costs of a build by the toolchain that the environment selects, the `go` line and the settings."""


def raised(folder: Path, old: str, new: str, *, commits: int = 6) -> tuple[SomeRepository, list[str]]:
    """Write a history in which one commit changes the Go lines of go.mod."""
    repository = new_repository(folder)
    shas = []
    for one in range(commits):
        lines = old if one < commits // 2 else new
        files = {"go.mod": f"module example.org/app\n\n{lines}\n"} | {
            "main.go": f"package main\n// {one}\nfunc main() {{}}\n"
        }
        shas.append(repository.commit(files if one != commits // 2 else {"go.mod": files["go.mod"]}, f"Step {one}"))
    return repository, shas


def search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, repository: SomeRepository, script: Path, *words: str
) -> dict[str, Any]:
    main(["bisect", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--json", *words, "--", str(script)])  # fmt: skip
    out = capsys.readouterr()
    assert out.out, out.err
    found: dict[str, Any] = json.loads(out.out.splitlines()[-1])
    return found


SEEDED = {
    "a GODEBUG default": ("go 1.22.3", "go 1.24.2", "go >= (23, 0) and 'asynctimerchan=1' not in godebug",
                          ["go1.23.0", "GODEBUG=asynctimerchan=1"]),
    "an experiment": ("go 1.21", "go 1.25.1", "tool >= (24, 0) and 'noswissmap' not in experiment",
                      ["go1.24.0", "GOEXPERIMENT=noswissmap"]),
    "a compiler": ("go 1.20", "go 1.26.3", "tool >= (22, 0)", ["go1.22.0", "go1.22.0"]),
    "a patch release": ("go 1.24.0\n\ntoolchain go1.24.1", "go 1.24.0\n\ntoolchain go1.24.9", "tool >= (24, 6)", ["go1.24.6"]),
    "a default of the go line": ("go 1.24.0\n\ntoolchain go1.26.3", "go 1.26.0\n\ntoolchain go1.26.3",
                                 "go >= (25, 0) and 'containermaxprocs=0' not in godebug", ["go 1.25.0", "GODEBUG=containermaxprocs=0"]),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "slow", "expected"), SEEDED.values(), ids=SEEDED)
def test_the_release_and_the_setting_are_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
    slow: str,
    expected: list[str],
) -> None:
    monkeypatch.setenv("GOPROXY", "off")
    repository, shas = raised(tmp_path / "r", old, new)
    script = tmp_path / "measure.py"
    script.write_text(SIMULATED.format(python=sys.executable, slow=slow))
    script.chmod(0o755)
    found = search(capsys, tmp_path, repository, script, "--good", shas[2], "--bad", shas[3])
    assert found["outcome"] == "found"
    assert [one["culprit"] for one in found["levels"]] == [shas[3], *expected]
    assert found["deployments"] <= 14


def test_a_dependency_that_raises_the_go_line_leads_to_the_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The go command refuses a main module whose `go` line is older, so the update of the dependency raises both."""
    monkeypatch.setenv("GOPROXY", "off")
    library = new_repository(tmp_path / "lib")
    for number, line in enumerate(("1.22.3", "1.22.3", "1.24.2", "1.24.2")):
        files = {"go.mod": f"module example.org/lib\n\ngo {line}\n", "lib.go": f"package lib\n// {number}\n"}
        library.commit(files, f"Library {number}")
        library.git("tag", f"v1.{number}.0")
    repository, shas = new_repository(tmp_path / "r"), []
    for number, line, version in ((0, "1.22.3", "v1.0.0"), (1, "1.24.2", "v1.3.0"), (2, "1.24.2", "v1.3.0")):
        module = f"module example.org/app\n\ngo {line}\n\nrequire example.org/lib {version}\n"
        source = f'package main\n\nimport _ "example.org/lib"\n\n// {number // 2}\nfunc main() {{}}\n'
        shas.append(repository.commit({"go.mod": module, "main.go": source}, f"Step {number}"))
    script = tmp_path / "measure.py"
    script.write_text(
        SIMULATED.format(python=sys.executable, slow="go >= (23, 0) and 'asynctimerchan=1' not in godebug")
    )
    script.chmod(0o755)
    words = ("--good", shas[0], "--bad", shas[2], "--module-repo", f"example.org/lib={library.folder}")
    found = search(capsys, tmp_path, repository, script, *words)
    assert [one["culprit"] for one in found["levels"]] == [shas[1], "go1.23.0", "GODEBUG=asynctimerchan=1"]
