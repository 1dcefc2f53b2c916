"""`slowpath bisect`: ends by date and in the wrong order, scripts that hide a failed build, and a range without a culprit."""

from pathlib import Path

import pytest

from slowpath_cli.main import main
from tests.cli.test_bisect import bisect, history, script

pytestmark = pytest.mark.processes


def test_an_end_is_given_by_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 8, 4)  # the clock goes a minute a commit, from 10:01
    measure = script(tmp_path, "test ! -f slow")
    ends = ["--good", "2026-11-01 10:02", "--bad", "2026-11-01 10:07"]
    found = bisect(capsys, tmp_path, repository, *ends, "--", measure)
    assert found["levels"][0]["culprit"] == shas[4]
    assert found["levels"][0]["candidates"] == 5
    before = bisect(capsys, tmp_path, repository, "--good", "2026-10-31", "--bad", "2026-11-01", "--", measure, code=2)
    assert "has no commit before 2026-10-31" in before["error"]


def test_swapped_ends_name_what_was_given_and_how_an_improvement_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, _ = history(tmp_path / "r", 8, 5)
    error = bisect(capsys, tmp_path, repository, "--good", "main", "--bad", "HEAD~3", "--", "true", code=2)["error"]
    assert "--bad HEAD~3 is older than --good main. Swap them." in error
    assert "swap them and add --better larger" in error
    other = ["--good", "main", "--bad", "HEAD~3", "--better", "larger", "--", "true"]
    assert "add --better smaller" in bisect(capsys, tmp_path, repository, *other, code=2)["error"]


def test_an_improvement_explains_a_decrease(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 12, 5)
    measure = script(tmp_path, "test -f slow && echo 16 || echo 20")
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--better", "larger", "--", measure
    )
    assert found["levels"][0]["culprit"] == shas[5]
    assert "of the decrease between good and bad" in " ".join(found["sentences"])


def test_a_build_that_fails_before_a_pipe_shows_what_it_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = history(tmp_path / "r", 16, 9)
    text = "{ test $(cat n) = 8 && echo 'x.go:7: missing go.sum entry' >&2 || { test -f slow && echo 9 || echo 5; }; } | awk '/./ { print $1 }'"
    words = [
        "--repo",
        str(repository.folder),
        "--work-dir",
        str(tmp_path / "work"),
        "--good",
        shas[0],
        "--bad",
        shas[-1],
    ]
    assert main(["bisect", *words, "--", script(tmp_path, text)]) == 3
    progress = capsys.readouterr().err
    assert "does not build: x.go:7: missing go.sum entry (the script exited with 0 and without a number" in progress
    assert f"the bad boundary ({shas[-1][:10]}): 9" in progress


def test_a_good_end_without_the_benchmark_is_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 8, 5)
    bench = "printf 'BenchmarkGet-2 \\t 100 \\t 9 ns/op\\nPASS\\nok  \\texample.com/x\\t0.4s\\n'"
    text = f"test -f slow && {bench} || printf 'PASS\\nok  \\texample.com/x\\t0.004s [no tests to run]\\n'"
    ends = ["--good", shas[0], "--bad", shas[-1], "--restart"]
    error = bisect(capsys, tmp_path, repository, *ends, "--", script(tmp_path, text), code=2)["error"]
    assert "The good boundary does not build: ok" in error
    assert "[no tests to run]" in error
    several = "printf 'BenchmarkA-2 1 5 ns/op\\nBenchmarkB-2 1 7 ns/op\\nPASS\\n'"
    error = bisect(capsys, tmp_path, repository, *ends, "--", script(tmp_path, several), code=2)["error"]
    assert (
        "the script printed 2 benchmarks (BenchmarkA-2, BenchmarkB-2). Run one of them (-bench '^BenchmarkA$')" in error
    )


def test_a_range_without_a_culprit_states_what_both_ends_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = history(tmp_path / "r", 16, -1)
    words = [
        "--repo",
        str(repository.folder),
        "--work-dir",
        str(tmp_path / "work"),
        "--good",
        shas[0],
        "--bad",
        shas[-1],
    ]
    assert main(["bisect", *words, "--", script(tmp_path, "echo 5")]) == 3
    report = capsys.readouterr().out
    assert "  good: 5" in report
    assert "  bad:  5" in report
    assert "0 suspects" not in report
