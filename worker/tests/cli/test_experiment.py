"""`slowpath experiment` on real repositories: reverts, patches, variables, failures, and real Go programs."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository

pytestmark = pytest.mark.processes

MEASURE = """#!/bin/sh
set -e
echo run >> {folder}/runs
R=$(($(cksum < {folder}/runs | cut -d' ' -f1) >> 1))
awk -v r=$R -v c="$(cat cost)" -v g="${{GOGC:-100}}" 'BEGIN {{
  srand(r); z = 0; for (i = 0; i < 12; i++) z += rand(); n = 1 + 0.01 * (z - 6)
  print "BenchmarkServe 1", c * n * (g == 400 ? 0.8 : 1), "cpu-ms/req", 50 * n * (g == 400 ? 2 : 1), "rss-MB" }}'
"""


def history(folder: Path) -> tuple[SomeRepository, list[str]]:
    repository = new_repository(folder)
    files = ({"cost": "1\n", "a": "1\n"}, {"cost": "2\n"}, {"a": "2\n"}, {"b": "1\n"})
    return repository, [repository.commit({**one}, f"Step {at}") for at, one in enumerate(files)]


def script(folder: Path, text: str) -> str:
    path = folder / "measure.sh"
    path.write_text(text.format(folder=folder) if text == MEASURE else text)
    path.chmod(0o755)
    return str(path)


def experiment(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, repository: SomeRepository, *words: str, code: int = 0
) -> dict[str, Any]:
    start = ["experiment", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--json"]
    exit_code = main([*start, *words])
    out = capsys.readouterr()
    assert exit_code == code, out.err
    return json.loads(out.out.splitlines()[-1]) if out.out else {"error": out.err}


def verdicts(document: dict[str, Any], measure: str) -> dict[str, str]:
    return {one["variant"]: one["verdict"] for one in document["effects"] if one["measure"] == measure}


def test_a_revert_a_variable_a_patch_and_a_placebo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r")
    patch = tmp_path / "cheaper.patch"
    patch.write_text("--- a/cost\n+++ b/cost\n@@ -1 +1 @@\n-2\n+0.9\n")
    variants = [
        word
        for one in ("revert", "GOGC=400", "pgo=off", f"patch={patch}", "GOGC=400 revert")
        for word in ("--variant", one)
    ]
    measure = ["--", script(tmp_path, MEASURE)]
    found = experiment(capsys, tmp_path, repository, "--culprit", shas[1], *variants, "--blocks", "6", *measure)
    assert verdicts(found, "cpu-ms/req") == {
        "parent": "better", "revert": "better", "GOGC=400": "better", "pgo=off": "no effect", f"patch={patch}": "better", "GOGC=400 revert": "better",
    }  # fmt: skip
    assert verdicts(found, "rss-MB") == {
        "parent": "no effect", "revert": "no effect", "GOGC=400": "worse", "pgo=off": "no effect", f"patch={patch}": "no effect", "GOGC=400 revert": "worse",
    }  # fmt: skip
    assert found["best"]["variant"] == "GOGC=400 revert"
    removes = {one["variant"]: one["removes"] for one in found["effects"] if one["measure"] == "cpu-ms/req"}
    assert abs(removes["revert"]["share"] - 1) < 0.1  # an interval misses the value once in twenty times
    assert abs(removes["GOGC=400"]["share"] - 0.4) < 0.1
    assert found["runs"] == 7 * 6 == len((tmp_path / "runs").read_text().split())
    again = experiment(capsys, tmp_path, repository, "--culprit", shas[1], *variants, "--blocks", "6", *measure)
    assert again["effects"] == found["effects"]
    assert len((tmp_path / "runs").read_text().split()) == 42  # stored runs are not repeated
    assert repository.git("status", "--porcelain") == ""


def test_what_cannot_be_measured_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r")
    repository.commit({"cost": "3\n"}, "Again")
    text = MEASURE.format(folder=tmp_path) + 'test "$GOMEMLIMIT" != 1MiB || { echo "out of memory" >&2; exit 2; }\n'
    words = ["--variant", "revert", "--variant", "GOMEMLIMIT=1MiB", "--variant", "GOGC=200", "--blocks", "4"]
    found = experiment(capsys, tmp_path, repository, "--culprit", shas[1], *words, "--", script(tmp_path, text))
    assert "conflicts in cost" in found["failures"]["revert"]
    assert "out of memory" in found["failures"]["GOMEMLIMIT=1MiB"]
    assert verdicts(found, "cpu-ms/req")["GOGC=200"] == "no effect"
    assert found["sentence"] == "No variant certainly improves cpu-ms/req."
    for options, message in (
        (["--variant", "revert"], "--culprit is missing"),
        (["--culprit", shas[1], "--commit", shas[0]], "is not an ancestor"),
        (["--variant", "LD_PRELOAD=/x.so"], "is not part of a variant"),
        (["--variant", "patch=/etc/passwd"], "no unified diff"),
        (["--blocks", "1"], "--blocks must be between 3 and 100"),
    ):
        report = experiment(capsys, tmp_path, repository, *options, "--", script(tmp_path, MEASURE), code=2)
        assert message in report["error"]
    failing = script(tmp_path, "#!/bin/sh\necho no >&2; exit 125\n")
    report = experiment(capsys, tmp_path, repository, "--restart", "--", failing, code=2)
    assert "The unchanged commit cannot be measured: does not build: no" in report["error"]


@pytest.mark.parametrize("target", ["escape/x", "link/x"])
def test_no_patch_leaves_the_work_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str) -> None:
    repository, _ = history(tmp_path / "r")
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository.folder / "link").symlink_to(outside)
    repository.commit({"z": "1\n"}, "Link")
    patch = tmp_path / "p.patch"
    patch.write_text(f"--- /dev/null\n+++ b/{target.replace('escape', '../outside')}\n@@ -0,0 +1 @@\n+owned\n")
    words = ["--variant", f"patch={patch}", "--blocks", "3", "--", script(tmp_path, MEASURE)]
    if target.startswith("escape"):
        assert "outside the work tree" in experiment(capsys, tmp_path, repository, *words, code=2)["error"]
    else:
        failure = experiment(capsys, tmp_path, repository, *words)["failures"][f"patch={patch}"]
        assert "beyond a symbolic link" in failure
    assert not list(outside.iterdir())


def test_a_bisect_ends_with_the_command_of_its_experiment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r")
    ends = ["--good", shas[0], "--bad", shas[-1], "--work-dir", str(tmp_path / "search")]
    text = MEASURE.format(folder=tmp_path).replace(', 50 * n * (g == 400 ? 2 : 1), "rss-MB"', "")
    assert main(["bisect", "--repo", str(repository.folder), *ends, "--", script(tmp_path, text)]) == 0
    line = re.search(r"^\s*slowpath (experiment .*?)(?:\s{4}#.*)?$", capsys.readouterr().out, re.MULTILINE)
    assert line is not None
    words = shlex.split(line[1])
    assert words[words.index("--culprit") + 1] == shas[1]
    words[1:1] = ["--work-dir", str(tmp_path / "work"), "--blocks", "3", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["variant"] for one in found["effects"]] == [
        "parent",
        "GOGC=50",
        "GOGC=200",
        "GOGC=400",
        "pgo=off",
        "revert",
    ]
    assert "revert improves cpu-ms/req" in found["sentence"]


COLLECTED = """package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func main() {
	live := tree(17) // marked in every cycle
	for range 150 {
		tree(DEPTH)
	}
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil || live == nil {
		os.Exit(1)
	}
	cpu := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
	status, _ := os.ReadFile("/proc/self/status") // ru_maxrss includes that of the program before exec
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Printf("BenchmarkTrees 1 %f cpu-ms/op %s rss-KiB\\n", cpu, strings.Fields(peak)[0])
}
"""
BUILD = '#!/bin/sh\ngo build -o "$SLOWPATH_OUT/x" . || exit 125\n'


def program(folder: Path) -> tuple[SomeRepository, list[str]]:
    repository = new_repository(folder)
    first = repository.commit(
        {"go.mod": "module example.com/trees\n\ngo 1.22\n", "main.go": COLLECTED.replace("DEPTH", "11")}
    )
    slow = repository.commit({"main.go": COLLECTED.replace("DEPTH", "13")}, "Deeper trees")
    return repository, [first, slow, repository.commit({"README": "x\n"})]


def test_a_go_program_that_is_bound_by_the_collector(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, _ = program(tmp_path / "r")
    words = ["--variant", "GOGC=800", "--variant", "GODEBUG=madvdontneed=1", "--blocks", "16"]
    measure = script(tmp_path, f'{BUILD}exec "$SLOWPATH_OUT/x"\n')
    found = experiment(capsys, tmp_path, repository, *words, "--", measure)
    assert found["best"] == {"variant": "GOGC=800", "alike": []}, found
    effects = {one["variant"]: one["effect"] for one in found["effects"] if one["measure"] == "cpu-ms/op"}
    assert abs(effects["GODEBUG=madvdontneed=1"]) < 0.2, found  # one of 20 experiments is wrong about a placebo
    assert verdicts(found, "rss-KiB")["GOGC=800"] == "worse"


def test_a_go_program_at_its_memory_limit_and_with_a_culprit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = program(tmp_path / "r")
    words = [
        "--culprit",
        shas[1],
        "--variant",
        "revert",
        "--variant",
        "GOMEMLIMIT=1GiB",
        "--variant",
        "pgo=off",
        "--blocks",
        "16",
    ]
    measure = script(tmp_path, f'{BUILD}GOMEMLIMIT="${{GOMEMLIMIT:-9MiB}}" exec "$SLOWPATH_OUT/x"\n')
    found = experiment(capsys, tmp_path, repository, *words, "--", measure)
    cpu = {one["variant"]: one for one in found["effects"] if one["measure"] == "cpu-ms/op"}
    assert {cpu[name]["verdict"] for name in ("parent", "revert", "GOMEMLIMIT=1GiB")} == {"better"}, found
    assert abs(cpu["pgo=off"]["effect"]) < 0.2, found
    assert abs(cpu["revert"]["removes"]["share"] - 1) < 0.25
