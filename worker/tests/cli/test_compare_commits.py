"""`slowpath compare-commits` on real repositories: scripts, Go benchmarks, equal builds, and what cannot be measured."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository

pytestmark = pytest.mark.processes

GO = shutil.which("go") or "/usr/local/go/bin/go"
MODULE = "module shop.example/sums\n\ngo 1.22\n"
BENCH = """package sums

import "testing"

func BenchmarkSum(b *testing.B) {
	for range b.N {
		sink = Sum(1000)
	}
}

var sink int
"""


def sums(times: int) -> str:
    """Return a package whose function does its work so many times."""
    return f"package sums\n\nfunc Sum(n int) (total int) {{\n\tfor i := range n * {times} {{\n\t\ttotal += i ^ total\n\t}}\n\treturn total\n}}\n"


def script(folder: Path, text: str) -> str:
    path = folder / "measure.sh"
    path.write_text(f"#!/bin/sh\necho $SLOWPATH_COMMIT >> {folder}/asked\n{text}\n")
    path.chmod(0o755)
    return str(path)


def compare(capsys: pytest.CaptureFixture[str], repository: SomeRepository, *words: str, code: int) -> dict[str, Any]:
    exit_code = main(["compare-commits", "--repo", str(repository.folder), "--json", *words])
    out = capsys.readouterr()
    assert exit_code == code, out.err
    return json.loads(out.out.splitlines()[-1]) if out.out else {"error": out.err}


def test_a_slower_branch_against_its_merge_base(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = new_repository(tmp_path / "r")
    base = repository.commit({"cost": "100\n"}, "Base")
    repository.git("checkout", "-q", "-b", "feature")
    head = repository.commit({"cost": "130\n"}, "Slower")
    repository.git("checkout", "-q", "main")
    repository.commit({"cost": "900\n"}, "Main went on")
    measure = script(tmp_path, "cat cost")
    found = compare(capsys, repository, "--base", "main", "--candidate", "feature", "--", measure, code=1)
    assert (found["base"], found["candidate"], found["verdict"]) == (base, head, "slower")
    assert found["subjects"][""]["ratio"] == pytest.approx(1.3)
    asked = (tmp_path / "asked").read_text().split()
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    assert all(set(one) == {base, head} for one in pairs)
    assert len(set(pairs)) == 2, "the order within the pairs is random"
    assert len(pairs) == 13
    exact = compare(
        capsys, repository, "--base", "main", "--exact-base", "--candidate", "feature", "--", measure, code=0
    )
    assert exact["verdict"] == "not-slower"


def test_equal_builds_are_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = new_repository(tmp_path / "r")
    repository.commit({"go.mod": MODULE, "sum.go": sums(1), "sum_test.go": BENCH}, "Base")
    repository.commit({"README.md": "words\n"}, "Words")
    found = compare(capsys, repository, "--base", "HEAD~1", "--bench", "Sum", code=0)
    assert found["sentence"] == "Not measured: both commits build from the same inputs."
    assert found["pairs"] == []


def test_a_slower_go_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = new_repository(tmp_path / "r")
    repository.commit({"go.mod": MODULE, "sum.go": sums(1), "sum_test.go": BENCH}, "Base")
    repository.commit({"sum.go": sums(4)}, "Four times the work")
    found = compare(capsys, repository, "--base", "HEAD~1", "--bench", "^BenchmarkSum$", "--benchtime", "10ms", code=1)
    assert found["verdict"] == "slower"
    assert 2.5 < found["subjects"]["BenchmarkSum"]["ratio"] < 6


def test_the_time_is_limited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = new_repository(tmp_path / "r")
    repository.commit({"cost": "100\n"}, "Base")
    repository.commit({"cost": "130\n"}, "Slower")
    measure = script(tmp_path, "sleep 0.1; cat cost")
    found = compare(capsys, repository, "--base", "HEAD~1", "--minutes", "0.005", "--", measure, code=3)
    assert found["stopped_early"] is True
    assert "more pairs would settle it." in found["sentence"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("exit 125", "cannot be measured"),
        ("echo broken >&2; exit 1", "broken"),
        ("echo 0", "must be positive"),
        ("true", "printed no number"),
    ],
)
def test_what_cannot_be_measured_is_stated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    repository = new_repository(tmp_path / "r")
    repository.commit({"a": "1\n"}, "Base")
    repository.commit({"a": "2\n"}, "Other")
    found = compare(capsys, repository, "--base", "HEAD~1", "--", script(tmp_path, text), code=2)
    assert words in found["error"]


@pytest.mark.parametrize(
    "words", [(), ("--bench", "X", "--", "true"), ("--pairs", "0", "--", "true"), ("--bench", "X", "--package=-x")]
)
def test_bad_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    repository = new_repository(tmp_path / "r")
    repository.commit({"a": "1\n"}, "Base")
    assert "slowpath:" in compare(capsys, repository, "--base", "HEAD", *words, code=2)["error"]
