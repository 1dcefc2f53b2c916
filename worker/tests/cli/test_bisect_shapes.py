"""`slowpath bisect` builds repositories of every shape, and names the change that counts."""

import json
import shutil
from pathlib import Path

import pytest

from slowpath_cli.main import main
from tests.support.repository_shapes import SHAPES, RepositoryShape, write_shape

pytestmark = pytest.mark.processes

BUILD_AND_RUN = """#!/bin/sh
go build -buildvcs=false -o "$SLOWPATH_OUT/app" . || exit 125
"$SLOWPATH_OUT/app" 2>&1
"""


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_change_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shape: RepositoryShape
) -> None:
    monkeypatch.setenv("CGO_ENABLED", "1")
    made = write_shape(tmp_path / "app", shape)
    script = tmp_path / "measure.sh"
    script.write_text(BUILD_AND_RUN)
    script.chmod(0o755)
    main(["bisect", "--repo", str(made.repository.folder), "--work-dir", str(tmp_path / "work"), "--json", "--main", ".",
          "--directory", shape.directory, "--good", made.shas[0], "--bad", made.shas[-1], "--", str(script)])  # fmt: skip
    out = capsys.readouterr()
    assert out.out, out.err
    found = json.loads(out.out.splitlines()[-1])
    assert found["outcome"] == "found", out.err
    assert found["levels"][0]["culprit"] == made.shas[2]
    assert found["levels"][0]["classes"] == (3 if shape.counts_all else 1)
    assert made.repository.git("status", "--porcelain") == ""


def test_a_submodule_whose_commit_is_missing_does_not_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = write_shape(tmp_path / "app", SHAPES["submodules"])
    clone = made.repository.folder / ".git" / "modules" / "third" / "lib"
    shutil.rmtree(clone / "objects")
    (clone / "objects").mkdir()
    words = ["--good", made.shas[0], "--bad", made.shas[-1], "--", "true"]
    assert main(["bisect", "--repo", str(made.repository.folder), "--work-dir", str(tmp_path / "work"), *words]) == 2
    assert "the clone of the submodule third/lib has no commit" in capsys.readouterr().err


def test_names_of_submodules_do_not_leave_the_folder_of_clones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write_shape(tmp_path / "app", SHAPES["submodules"])
    modules = made.repository.folder / ".gitmodules"
    shutil.copytree(
        made.repository.folder / ".git" / "modules" / "third" / "lib", tmp_path / "app" / ".git" / "outside"
    )
    hostile = made.repository.commit({".gitmodules": modules.read_text().replace('"third/lib"', '"../outside"')})
    last = made.repository.commit({"main.go": "package main\n"})
    script = tmp_path / "measure.sh"
    script.write_text("#!/bin/sh\ntest ! -e third/lib/lib.go\n")
    script.chmod(0o755)
    words = ["--good", hostile, "--bad", last, "--json", "--", str(script)]
    assert main(["bisect", "--repo", str(made.repository.folder), "--work-dir", str(tmp_path / "work"), *words]) == 3
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["outcome"] == "not-in-range"
