"""The commit that `slowpath bisect` names: tests of a library, inputs that no closure knows, forks, failed builds, two culprits."""

import json
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository

pytestmark = pytest.mark.processes

GO_MOD = "module example.org/lib\n\ngo 1.21\n"


def script(folder: Path, text: str) -> str:
    path = folder / "measure.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def bisect(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, repository: SomeRepository, *words: str, code: int = 0
) -> tuple[dict[str, Any], str]:
    """Return the JSON document of a search, and its progress."""
    command = ["bisect", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--json", *words]
    exit_code = main(command)
    out = capsys.readouterr()
    assert exit_code == code, out.err
    return (json.loads(out.out.splitlines()[-1]) if out.out else {}), out.err


def library(folder: Path, guilty: int, change: dict[str, str], count: int = 16) -> tuple[SomeRepository, list[str]]:
    """Return a library whose sources change in every fourth commit; commit `guilty` also changes other files."""
    repository = new_repository(folder)
    first = {"go.mod": GO_MOD, "money/money.go": "package money\n", "money/money_test.go": "package money\n// 1\n"}
    shas = [repository.commit({**first, "inputs/data": "1\n"}, "Start")]
    for one in range(1, count):
        source = (
            {"money/money.go": f"package money\n\n// Edited {one} times.\n"} if one % 4 == 0 else {"README": f"{one}\n"}
        )
        shas.append(repository.commit({**source, **(change if one == guilty else {})}, f"Step {one}"))
    return repository, shas


@pytest.mark.parametrize("guilty", [2, 6, 7, 9, 11, 14])
def test_a_changed_benchmark_of_a_library_is_the_culprit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], guilty: int
) -> None:
    repository, shas = library(tmp_path / "r", guilty, {"money/money_test.go": "package money\n// 2\n"})
    measure = script(tmp_path, "sed -n 's|^// ||p' money/money_test.go")
    found, _ = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--main", "./money", "--", measure
    )
    assert [one["culprit"] for one in found["levels"]] == [shas[guilty]]
    assert found["levels"][0]["classes"] == 4


def test_the_test_files_of_a_main_package_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository = new_repository(tmp_path / "r")
    shas = [repository.commit({"go.mod": GO_MOD, "cmd/x/main.go": "package main\n\nfunc main() {}\n"})]
    for one in range(1, 13):
        changed = "main.go" if one % 4 == 0 else "main_test.go"
        shas.append(repository.commit({f"cmd/x/{changed}": f"package main\n\nfunc main() {{}}\n\nconst n = {one}\n"}))
    measure = script(tmp_path, "grep -q 'n = [89]' cmd/x/main.go || grep -q 'n = 12' cmd/x/main.go && echo 2 || echo 1")
    found, _ = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--main", "./cmd/x", "--", measure
    )
    assert [one["culprit"] for one in found["levels"]] == [shas[8]]
    assert found["levels"][0]["classes"] == 3


@pytest.mark.parametrize("guilty", [2, 6, 7, 10, 14])
def test_an_input_outside_the_closure_is_found_by_the_parent_of_the_suspect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], guilty: int
) -> None:
    repository, shas = library(tmp_path / "r", guilty, {"inputs/data": "2\n"})
    measure = script(tmp_path, "cat inputs/data")
    found, _ = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--main", "./money", "--", measure
    )
    assert [one["culprit"] for one in found["levels"]] == [shas[guilty]]


def merged(
    folder: Path, main_at: dict[int, str], side_at: dict[int, str], merge: str = ""
) -> tuple[SomeRepository, list[str], list[str]]:
    """Return main (m0 to m4, the merge, m6) and a side branch from m2; the files `cost-*` at the given commits change."""
    repository = new_repository(folder)

    def files(name: str, at: dict[int, str], one: int) -> dict[str, str]:
        return {f"{name}{one}": "1\n", **({f"cost-{name}": f"{at[one]}\n"} if one in at else {})}

    mains = [repository.commit({"cost-m": "10\n", "cost-s": "0\n", **files("m", main_at, 0)})]
    mains += [repository.commit(files("m", main_at, one)) for one in (1, 2)]
    repository.git("checkout", "--quiet", "-b", "side")
    sides = [repository.commit(files("s", side_at, one)) for one in range(4)]
    repository.git("checkout", "--quiet", "main")
    mains += [repository.commit(files("m", main_at, one)) for one in (3, 4)]
    repository.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    mains.append(repository.commit({"cost-x": f"{merge}\n"} if merge else {}, "Merge side"))
    mains.append(repository.commit(files("m", main_at, 6)))
    return repository, mains, sides


SUM = "cat cost-* | awk '{ s += $1 } END { print s }'"


def test_a_merge_is_the_culprit_if_both_parents_are_good(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, mains, _ = merged(tmp_path / "r", {}, {}, merge="5")
    found, _ = bisect(capsys, tmp_path, repository, "--good", mains[0], "--bad", "main", "--", script(tmp_path, SUM))
    assert [one["culprit"] for one in found["levels"]] == [mains[5]]


def test_the_first_commit_of_a_branch_is_the_culprit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, mains, sides = merged(tmp_path / "r", {}, {0: "5"})
    found, _ = bisect(capsys, tmp_path, repository, "--good", mains[0], "--bad", "main", "--", script(tmp_path, SUM))
    assert [one["culprit"] for one in found["levels"]] == [sides[0]]


def test_commits_of_a_branch_that_started_slow_are_not_separated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Main is slow at the fork and fixed after it; the branch brings a cost of the same size."""
    repository, mains, sides = merged(tmp_path / "r", {1: "15", 3: "10"}, {2: "5"})
    words = ["--good", mains[4], "--bad", "main", "--", script(tmp_path, SUM)]
    found, _ = bisect(capsys, tmp_path, repository, *words, code=3)
    assert found["outcome"] == "not-separable"
    assert sides[2] in found["levels"][0]["suspects"]
    assert mains[2] not in found["levels"][0]["suspects"]


def steps(folder: Path, count: int, guilty: int) -> tuple[SomeRepository, list[str]]:
    repository = new_repository(folder)
    slow = {"slow": "1\n"}
    return repository, [repository.commit({"n": f"{one}\n", **(slow if one == guilty else {})}) for one in range(count)]


def test_exit_code_1_beside_numbers_is_a_failed_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = steps(tmp_path / "r", 24, 18)
    measure = script(
        tmp_path,
        'case $(cat n) in 1[0-5]) echo "main.go:$(cat n): undefined: x" >&2; exit 1;; esac; test -f slow && echo 7 || echo 5',
    )
    found, progress = bisect(capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--", measure)
    assert [one["culprit"] for one in found["levels"]] == [shas[18]]
    failures = [line for line in progress.splitlines() if "does not build" in line]
    assert "undefined: x (the script exited with 1, but printed numbers for other builds) (log: " in failures[0]
    assert not any("undefined" in line for line in failures[1:])
    assert all("/stderr)" in line for line in failures)


def test_a_boundary_that_exits_with_1_beside_numbers_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = steps(tmp_path / "r", 8, 5)
    measure = script(tmp_path, "test -f slow && exit 1; echo 5")
    _, progress = bisect(capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--", measure, code=2)
    assert "The bad boundary does not build: the script exited with 1, but printed numbers" in progress


def test_a_candidate_that_cannot_be_checked_out_is_unbuildable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = steps(tmp_path / "r", 12, 9)
    blob = repository.git("rev-parse", f"{shas[6]}:n").strip()
    lost = repository.folder / ".git" / "objects" / blob[:2] / blob[2:]
    lost.unlink()
    measure = script(tmp_path, "test ! -f slow")
    found, progress = bisect(capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--", measure)
    assert [one["culprit"] for one in found["levels"]] == [shas[9]]
    assert f"{shas[6]} cannot be checked out" in progress


NOISE = """A="${0%/*}/asked"; echo $SLOWPATH_COMMIT >> $A
R=$(($(echo $SLOWPATH_COMMIT $(grep -c $SLOWPATH_COMMIT $A) | cksum | cut -d' ' -f1) % 65536))"""
"""By commit and number of its measurement, so that every run of a test measures the same."""


def numbered(folder: Path, at: dict[int, int], count: int) -> tuple[SomeRepository, list[str]]:
    """Return a history whose file `cost` has the given values from these commits on."""
    repository = new_repository(folder)
    shas = []
    for one in range(count):
        cost = {"cost": f"{at[one]}\n"} if one in at else {}
        shas.append(repository.commit({"n": f"{one}\n", **cost}, f"Step {one}"))
    return repository, shas


NUMBER = f"{NOISE}; echo $(cat cost) $R | awk '{{ print $1 * (1 + ($2 - 32768) / 8000000) }}'"


def test_a_culprit_that_explains_a_part_leaves_a_rest_that_is_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = numbered(tmp_path / "r", {0: 1000, 5: 1600, 14: 1900}, 24)
    words = ["--good", shas[0], "--bad", "main", "--", script(tmp_path, NUMBER)]
    found, _ = bisect(capsys, tmp_path, repository, *words)
    assert found["levels"][0]["culprit"] == shas[5]
    assert found["explained"]["culprit"]["share"] == pytest.approx(2 / 3, abs=0.05)
    assert f"{shas[5][:10]} explains only 6" in found["sentences"][1]
    assert "run again with --rest" in found["sentences"][2]
    both, _ = bisect(capsys, tmp_path, repository, "--rest", *words)
    assert both["deployments"] == found["deployments"]
    assert [one["levels"][0]["culprit"] for one in (both, *both["rest"])] == [shas[5], shas[14]]
    assert len(both["rest"][0]["sentences"]) == 2


def test_a_build_slower_than_both_boundaries_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = numbered(tmp_path / "r", {0: 1000, 5: 1600, 20: 1001}, 24)
    words = ["--good", shas[0], "--bad", "main", "--", script(tmp_path, NUMBER)]
    found, _ = bisect(capsys, tmp_path, repository, *words, code=3)
    assert found["slower_build"]["commit"] in shas[5:20]
    assert f"Fixed since? Try --bad {found['slower_build']['commit'][:10]}." in found["sentences"][-1]


def test_the_report_ends_with_the_next_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = numbered(tmp_path / "r", {0: 1000, 9: 1600}, 16)
    measure = script(tmp_path, f"touch $SLOWPATH_OUT/cpu.pprof; {NUMBER}")
    words = [
        "bisect",
        "--repo",
        str(repository.folder),
        "--work-dir",
        str(tmp_path / "work"),
        "--good",
        shas[0],
        "--bad",
        "main",
        "--",
        measure,
    ]
    assert main(words) == 0
    out = capsys.readouterr()
    assert f"git -C {repository.folder} show {shas[9]}" in out.out
    assert f"slowpath compare --base {tmp_path}/work/out/" in out.out
    assert f"{shas[9][:10]} explains" in out.out
    assert "15 commits in 15 classes (commits of one class build from the same inputs" in out.out
    assert "measurements expected, at most" in out.err
    assert "more measurements, less than a minute" in out.err
    report = json.loads((tmp_path / "work" / "report.json").read_text())
    assert report["levels"][0]["culprit"] == shas[9]


def test_help_explains_the_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bisect", "--help"])
    text = capsys.readouterr().out
    for expected in (
        '{"example.com/lib": {"commit":',
        "-mod=mod",
        "a class is a set of commits",
        "WORK-DIR/out/NUMBER-RUN",
    ):
        assert expected in text


def test_what_is_missing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bisect", "--good", "x"]) == 2
    assert "--bad and the script, after -- missing" in capsys.readouterr().err


def test_the_cache_is_bounded_and_cleaned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    searches = tmp_path / "cache" / "slowpath" / "bisect"
    for one in range(14):
        (searches / f"{one}").mkdir(parents=True)
        (searches / f"{one}" / "lock").write_text("")
        (searches / f"{one}" / "session.json").write_text("x" * 1000)
    repository, shas = steps(tmp_path / "r", 8, 5)
    measure = script(tmp_path, "test ! -f slow")
    assert main(["bisect", "--repo", str(repository.folder), "--good", shas[0], "--bad", "main", "--", measure]) == 0
    assert len(list(searches.iterdir())) == 10
    assert main(["bisect", "--clean"]) == 0
    assert "10 searches removed" in capsys.readouterr().out
    assert not list(searches.iterdir())
