"""`slowpath pgo --check`: a program is built without and with the profile, and its hot paths are compared."""

import shutil
import subprocess
from pathlib import Path

import pytest

from slowpath_cli.main import main

pytestmark = [pytest.mark.processes, pytest.mark.skipif(shutil.which("go") is None, reason="no go")]
SOURCE = Path(__file__).resolve().parent / "heated_program"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a program that recorded a CPU profile of itself, `cpu.pb.gz`; the current folder."""
    folder = shutil.copytree(SOURCE, tmp_path / "program")
    subprocess.run(["go", "build", "-o", "heated", "."], cwd=folder, check=True)
    subprocess.run([folder / "heated", folder / "cpu.pb.gz"], check=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("INIT_CWD", str(folder))  # relative paths are those of the caller of npm
    return folder


@pytest.mark.usefixtures("program")
def test_a_profile_that_makes_a_hot_path_need_a_larger_stack_is_recognized(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["pgo", "cpu.pb.gz", "--check", "."]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "default.pgo: " in lines[0]
    assert "3 calls on hot paths are inlined beyond the budget" in lines[1]
    assert "16 instead of 8 KiB: the frame of main.work has" in lines[1]
    assert "main.digest (frame 4,1" in lines[2], "the reason is named"


def test_a_profile_of_nothing_hot_changes_nothing(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = program / "main.go"
    source.write_text(source.read_text().replace("func digest(", "//go:noinline\nfunc digest("), encoding="utf-8")
    assert main(["pgo", "cpu.pb.gz", "--check", "."]) == 0
    assert "no hot path needs more stack" in capsys.readouterr().out


def test_a_build_that_fails_is_explained(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pgo", "cpu.pb.gz", "--check", "./missing"]) == 2
    assert "go build failed" in capsys.readouterr().err
    assert (program / "default.pgo").is_file()
