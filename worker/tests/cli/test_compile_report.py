"""`slowpath compile-report` on a repository whose second commit makes a helper too large to be inlined."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from slowpath_cli.main import main

pytestmark = [pytest.mark.processes, pytest.mark.skipif(shutil.which("go") is None, reason="no go")]
EXAMPLE = Path(__file__).resolve().parents[2] / "example"
MAIN = """package main

import "os"

func main() { os.Stdout.Write(clone([]byte("a"))) }

func clone(b []byte) []byte {
%s	return append([]byte(nil), b...)
}
"""
LOOPS = "".join(f"	for i := range b {{\n		b[i] ^= b[(i+{n})%len(b)]\n	}}\n" for n in range(12))


def commit(folder: Path, text: str, message: str) -> None:
    (folder / "main.go").write_text(text, encoding="utf-8")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["add", "."], [*identity, "commit", "--quiet", "-m", message]):
        subprocess.run(
            ["git", "-C", str(folder), *words], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
        )


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", "-b", "main", str(folder)], check=True)
    (folder / "go.mod").write_text("module example.com/cloner\n\ngo 1.22\n", encoding="utf-8")
    commit(folder, MAIN % "", "small")
    commit(folder, MAIN % LOOPS, "large")
    return folder


def test_the_report_has_cost_and_budget(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "")
    monkeypatch.setenv("GOWORK", "off")
    sides = ["--repo", str(repository), "--base", "main~1", "--candidate", "main"]
    assert main(["compile-report", *sides, "."]) == 0
    assert "main.clone is no longer inlined: cost " in capsys.readouterr().out
    out = tmp_path / "report.json"
    assert main(["compile-report", *sides, "--out", str(out), "."]) == 0
    report = json.loads(out.read_text("utf-8"))
    assert report["format"] == "slowpath.compile-report/1"
    assert len(report["base_commit"]) == 40
    reason = next(each for each in report["reasons"] if each["kind"] == "inline" and each["function"] == "main.clone")
    assert (reason["base"], reason["file"], reason["line"]) == ("", "main.go", 7)
    assert "exceeds budget 80" in reason["candidate"]


def test_a_bisect_reports_the_decisions_on_the_culprit_and_its_parent(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "")
    monkeypatch.setenv("GOWORK", "off")
    sides = ["--repo", str(repository), "--good", "main~1", "--bad", "main", "--work-dir", str(tmp_path)]
    measure = ["sh", "-c", "! grep -q '\\^=' main.go"]
    assert main(["bisect", *sides, "--main", ".", "--json", "--", *measure]) == 0
    sentences = json.loads(capsys.readouterr().out)["compiler"]
    assert sentences[0].startswith("main.clone is no longer inlined: cost ")
    assert "budget left " in sentences[0]
    assert main(["bisect", *sides, "--main", ".", "--restart", "--", *measure]) == 0
    assert f"What the compiler decided differently in the culprit:\n  {sentences[0]}" in capsys.readouterr().out
    assert main(["bisect", *sides, "--restart", "--json", "--", *measure]) == 0
    assert json.loads(capsys.readouterr().out)["compiler"] == []


def test_bad_input_is_refused(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = ["--repo", str(repository), "--base", "main~1"]
    assert main(["compile-report", *sides, "--candidate", "absent", "."]) == 2
    assert "no commit, branch or tag 'absent'" in capsys.readouterr().err
    assert main(["compile-report", *sides, "--candidate", "main", "./absent"]) == 2
    assert "go list failed" in capsys.readouterr().err


def test_other_pgo_profiles_are_a_reason_for_everything(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOFLAGS", "")
    monkeypatch.setenv("GOWORK", "off")
    folder = tmp_path / "profiled"
    shutil.copytree(repository, folder)
    for profile in sorted((EXAMPLE / "artifacts" / "inlined").glob("cpu.0[01].pb.gz")):
        shutil.copy(profile, folder / "default.pgo")
        commit(folder, MAIN % "", f"profile {profile.name}")
    digests = [
        hashlib.sha256(each.read_bytes()).hexdigest()[:12]
        for each in sorted((EXAMPLE / "artifacts" / "inlined").glob("cpu.0[01].pb.gz"))
    ]
    sides = ["--repo", str(folder), "--base", "main~1", "--candidate", "main"]
    assert main(["compile-report", *sides, "."]) == 0
    expected = f"different PGO profiles: SHA-256 {digests[0]} in base, SHA-256 {digests[1]} in candidate."
    assert expected in capsys.readouterr().out
    monkeypatch.setenv("GOFLAGS", "-pgo=off")
    assert main(["compile-report", *sides, "."]) == 0
    assert capsys.readouterr().out == "The compiler decided the same in both commits.\n"


def test_go_120_reads_a_profile_only_if_asked(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOWORK", "off")
    monkeypatch.setenv("GOPROXY", "off")
    monkeypatch.setenv("GOTOOLCHAIN", "go1.20.14")
    if subprocess.run(["go", "version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no Go 1.20.14")
    folder = tmp_path / "profiled"
    shutil.copytree(repository, folder)
    (folder / "go.mod").write_text("module example.org/service\n\ngo 1.20\n")
    commit(folder, MAIN % "", "Go 1.20")
    shutil.copy(EXAMPLE / "artifacts" / "inlined" / "cpu.00.pb.gz", folder / "default.pgo")
    commit(folder, MAIN % "", "profile")
    sides = ["--repo", str(folder), "--base", "main~1", "--candidate", "main"]
    monkeypatch.setenv("GOFLAGS", "")
    assert main(["compile-report", *sides, "."]) == 0
    assert "different PGO profiles" not in capsys.readouterr().out
    monkeypatch.setenv("GOFLAGS", "-pgo=auto")
    assert main(["compile-report", *sides, "."]) == 0
    assert "different PGO profiles" in capsys.readouterr().out
