"""The command line as one file, where there is no Python and no Node."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from slowpath_cli.main import COMMANDS
from tests.support.git_repositories import new_repository

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("sh", "git", "tail", "tar", "gzip", "mkdir", "mv", "rm", "find", "id", "cat", "test")
PROFILES = ROOT / "backend" / "tests" / "analysis" / "kinds" / "profiles" / "testdata"
SUPERVISE = "supervise-command"

pytestmark = [pytest.mark.processes, pytest.mark.skipif(sys.platform != "linux", reason="it is built for Linux")]


@pytest.fixture(scope="module")
def single_file() -> Path:
    subprocess.run([sys.executable, ROOT / "backend" / "bootstrap.py", "package"], check=True, timeout=900)
    return next((ROOT / ".slowpath" / "packages").glob("slowpath-linux-*"))


def ran(file: Path, tmp_path: Path, *words: str, code: int = 0) -> str:
    """Run the file with a PATH of a few programs and an empty home; return its output."""
    programs = tmp_path / "programs"
    programs.mkdir(exist_ok=True)
    for name in PROGRAMS:
        if not (programs / name).exists():
            (programs / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    environment = {"PATH": str(programs), "HOME": str(tmp_path / "home"), "SLOWPATH_DEBUG": "1"}
    done = subprocess.run([file, *words], env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stdout


def test_the_file_is_small_and_has_the_commands_that_need_no_server(single_file: Path, tmp_path: Path) -> None:
    assert single_file.stat().st_size <= 60_000_000
    text = ran(single_file, tmp_path, "--help")
    for name in COMMANDS.keys() - {"admin", "mcp"}:
        assert re.search(rf"^    {name}\s", text, re.MULTILINE)
        assert "usage: slowpath" in ran(single_file, tmp_path, name, "--help")
    assert "admin" not in text
    unpacked = tmp_path / "home" / ".cache" / "slowpath" / "cli"
    assert len(list(unpacked.iterdir())) == 1


def test_it_compares_with_the_decoder_inside(single_file: Path, tmp_path: Path) -> None:
    base, candidate = (str(PROFILES / f"go{version}-block.pb.gz") for version in ("1.21.13", "1.26.8"))
    assert ran(single_file, tmp_path, "compare", "--base", base, "--candidate", candidate, "--json", code=3).startswith(
        "{"
    )


def test_it_bisects_by_tags_and_its_libraries_are_not_those_of_the_script(single_file: Path, tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "r")
    shas = []
    for one in range(10):
        shas.append(repository.commit({"n": f"{one}\n", **({"slow": "1\n"} if one == 6 else {})}))
        if one in {0, 9}:
            repository.git("tag", f"v{one}")
    measure = tmp_path / "measure.sh"
    measure.write_text('#!/bin/sh\ntest -z "$LD_LIBRARY_PATH" || exit 9\ntest -f slow && echo 7 || echo 5\n')
    measure.chmod(0o755)
    words = ("bisect", "--repo", str(repository.folder), "--good", "v0", "--bad", "v9", "--", str(measure))
    answer = ran(single_file, tmp_path, *words)
    assert f"show {shas[6]}" in answer
    assert f"  {single_file} experiment " in answer, "the file that was started, not where it is unpacked"


def test_it_supervises_the_command_of_a_runner(single_file: Path, tmp_path: Path) -> None:
    ran(single_file, tmp_path, "--version")
    folder = tmp_path / "deployment"
    folder.mkdir()
    (folder / "alive").touch()
    ran(single_file, tmp_path, SUPERVISE, str(folder), "1", "60", "--", "sh", "-c", f": > {tmp_path}/deployed")
    assert (tmp_path / "deployed").exists()
    assert os.listdir(folder)  # noqa: PTH208 - only whether anything is there
