"""`slowpath bisect` on real repositories: verdicts and numbers, merges, versions, what is killed, what is hostile."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.main import main
from tests.support.git_repositories import SomeRepository, new_repository, proxied

pytestmark = pytest.mark.processes

GO = shutil.which("go") or "/usr/local/go/bin/go"


def script(folder: Path, text: str) -> str:
    path = folder / "measure.sh"
    path.write_text(f"#!/bin/sh\necho $SLOWPATH_COMMIT >> {folder}/asked\n{text}\n")
    path.chmod(0o755)
    return str(path)


SEED = """S=$(($(echo $SLOWPATH_COMMIT $(grep -c $SLOWPATH_COMMIT "${0%/*}/asked") | cksum | cut -d' ' -f1) >> 1))"""
"""Noise by commit and number of its measurement, so that every run of a test measures the same; 31 bits, which awk takes."""


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().split()


def history(folder: Path, count: int, guilty: int, **at: str) -> tuple[SomeRepository, list[str]]:
    repository = new_repository(folder)
    shas = [
        repository.commit({"n": f"{one}\n", **({"slow": "1\n"} if one == guilty else {})}, f"Step {one}")
        for one in range(count)
    ]
    return repository, shas


def bisect(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, repository: SomeRepository, *words: str, code: int = 0
) -> dict[str, Any]:
    exit_code = main(
        ["bisect", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--json", *words]
    )  # fmt: skip
    out = capsys.readouterr()
    assert exit_code == code, out.err
    return json.loads(out.out.splitlines()[-1]) if out.out else {"error": out.err}


def test_a_verdict_script_without_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 33, 20)
    measure = script(tmp_path, "test ! -f slow")
    found = bisect(capsys, tmp_path, repository, "--good", "HEAD~32", "--bad", "main", "--", measure)
    assert found["outcome"] == "found"
    assert found["levels"] == [
        {"repository": str(repository.folder), "culprit": shas[20], "suspects": [shas[20]],
         "probability": found["levels"][0]["probability"], "probabilities": [found["levels"][0]["probability"]], "candidates": 32, "classes": 32}
    ]  # fmt: skip
    assert found["levels"][0]["probability"] >= 0.95
    assert found["deployments"] == len(asked(tmp_path)) <= 5 + 4 + 2 + 3
    assert found["builds"] == len(set(asked(tmp_path)))


def test_the_users_repository_stays_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 8, 5)
    (repository.folder / "mine").write_text("not yet committed\n")
    hook = repository.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)

    def look() -> list[str]:
        listed = [
            repository.git(*words) for words in (["status", "--porcelain"], ["worktree", "list"], ["for-each-ref"])
        ]
        return listed + sorted(str(one) for one in (repository.folder / ".git").rglob("*") if one.name != "index")

    before = look()
    bisect(capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--", script(tmp_path, "test ! -f slow"))
    assert look() == before
    assert not (tmp_path / "hooked").exists()


def test_numbers_with_noise_in_slots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 40, 13)
    noisy = f"{SEED}; L=10; test -f slow && L=9; awk -v s=$S -v l=$L 'BEGIN{{srand(s); print l+rand()}}'"
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--slots", "2", "--better", "larger",
        "--", script(tmp_path, noisy),
    )  # fmt: skip
    assert found["levels"][0]["culprit"] == shas[13]
    assert found["rounds"] < found["deployments"]


def test_files_that_the_script_leaves_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 24, 9)
    leave = (
        "n=100; test -f slow && n=140; "
        "printf 'goos: linux\\nBenchmarkGet-2 \\t 1000 \\t %s ns/op\\n' $n > $SLOWPATH_OUT/bench.txt; echo 7 files"
    )
    ends = ["--good", shas[0], "--bad", shas[-1]]
    measure = script(tmp_path, leave)
    found = bisect(capsys, tmp_path, repository, *ends, "--signature", "bench:Get-2 sec/op", "--", measure)
    assert found["levels"][0]["culprit"] == shas[9]
    for signature, expected in (
        ("profile.category:gc", "has no value of profile.category:gc"),
        ("bench:Put-2 sec/op", "Available: Get-2 sec/op."),
        ("gc", "KIND:SUBJECT"),
        ("latency:p99", "KIND:SUBJECT"),
    ):
        report = bisect(
            capsys, tmp_path, repository, *ends, "--restart", "--signature", signature, "--", measure, code=2
        )  # fmt: skip
        assert expected in report["error"]


def test_unbuildable_candidates_and_retried_probes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 32, 16)
    text = f"case $(cat n) in 15|16) exit 125;; esac; test -f {tmp_path}/tried || {{ touch {tmp_path}/tried; exit 75; }}; test ! -f slow"
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--", script(tmp_path, text), code=3
    )  # fmt: skip
    assert found["outcome"] == "not-separable"
    assert found["levels"][0]["culprit"] is None
    assert sorted(found["levels"][0]["suspects"]) == sorted(shas[15:18])


def test_a_merged_branch_is_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 6, -1)
    repository.git("checkout", "--quiet", "-b", "side")
    side = [repository.commit({f"s{one}": "1\n", **({"slow": "1\n"} if one == 2 else {})}) for one in range(5)]
    repository.git("checkout", "--quiet", "main")
    for one in range(4):
        repository.commit({f"m{one}": "1\n"})
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge side", "side")
    repository.commit({"last": "1\n"})
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", "main", "--", script(tmp_path, "test ! -f slow")
    )
    assert [one["culprit"] for one in found["levels"]] == [side[2]]


def test_nothing_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 16, -1)
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--", script(tmp_path, "echo 5"), code=3
    )
    assert found["outcome"] == "not-in-range"


def test_a_search_without_a_package_names_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 5, 2)
    words = ["bisect", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--good", shas[0]]
    measure = script(tmp_path, "test ! -f slow")
    assert main([*words, "--bad", shas[-1], "--", measure]) == 0
    assert "--main with the measured package leaves out commits" in capsys.readouterr().err
    assert main([*words, "--bad", shas[-1], "--main", ".", "--", measure]) == 0
    assert "--main with" not in capsys.readouterr().err


def test_the_number_of_deployments_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 64, 30)
    found = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--max-deployments", "6",
        "--", script(tmp_path, "test ! -f slow"), code=3,
    )  # fmt: skip
    assert (found["outcome"], found["deployments"]) == ("stopped", 6)
    assert shas[30] in found["levels"][0]["suspects"]
    assert len(found["levels"][0]["probabilities"]) == len(found["levels"][0]["suspects"]) > 1
    more = bisect(
        capsys, tmp_path, repository, "--good", shas[0], "--bad", shas[-1], "--max-deployments", "40",
        "--", script(tmp_path, "test ! -f slow"),
    )  # fmt: skip
    assert (more["outcome"], more["levels"][0]["culprit"]) == ("found", shas[30])
    assert more["deployments"] == len(asked(tmp_path))  # those from before the limit count, none is made twice


def test_an_interrupted_search_prints_the_command_that_continues_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository, shas = history(tmp_path / "r", 64, 30)
    work, measure = str(tmp_path / "the work"), script(tmp_path, "test ! -f slow")
    words = ["--repo", str(repository.folder), "--work-dir", work, "--good", shas[0], "--bad", shas[-1]]
    assert main(["bisect", "--restart", *words, "--max-deploys=9", "--max-deployments", "6", "--", measure]) == 3
    before = len(asked(tmp_path))
    command = shlex.split(capsys.readouterr().out.splitlines()[-1])
    assert command == ["slowpath", "bisect", "--max-deployments", "12", *words, "--", measure]
    main(command[1:])
    assert "continuing with earlier measurements (6 runs)" in capsys.readouterr().err
    assert before == 6 < len(asked(tmp_path)) <= 12


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--good=--upload-pack=x", "--bad", "main"], "no commit, branch or tag"),
        (["--good", "$(id)", "--bad", "main"], "no commit, branch or tag"),
        (["--good", "main", "--bad", "main"], "are the same"),
        (["--good", "main", "--bad", "HEAD~3"], "--bad HEAD~3 is older than --good main"),
        (["--good", "main", "--bad", "HEAD~3"], "Swap them"),
        (["--good", "HEAD~3", "--bad", "main", "--main", "./cmd/nosuch"], "has no folder 'cmd/nosuch'"),
        (["--good", "HEAD~99", "--bad", "main"], "no commit"),
        (["--good", "HEAD~3", "--bad", "main", "--module-repo", "x"], "MODULE=DIR"),
        (["--good", "HEAD~3", "--bad", "main", "--stop-probability", "2"], "--stop-probability"),
    ],
)
def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    repository, _ = history(tmp_path / "r", 8, 5)
    repository.git("update-ref", "refs/heads/$(id)x", "HEAD")
    error = bisect(capsys, tmp_path, repository, *words, "--", "true", code=2)["error"]
    assert expected in error


def test_a_script_that_fails_is_not_a_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 8, 5)
    ends = ("--good", shas[0], "--bad", shas[-1])
    assert (
        "exited with 7"
        in bisect(capsys, tmp_path, repository, *ends, "--", script(tmp_path, "exit 7"), code=2)["error"]
    )
    late = script(tmp_path, "sleep 60")
    assert (
        "within 0.3 seconds"
        in bisect(capsys, tmp_path, repository, *ends, "--script-timeout", "0.3", "--", late, code=2)["error"]
    )
    broken = script(tmp_path, "exit 125")
    assert (
        "good boundary does not build"
        in bisect(capsys, tmp_path, repository, *ends, "--restart", "--", broken, code=2)["error"]
    )


def test_a_script_that_cannot_run_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository, shas = history(tmp_path / "r", 8, 5)
    ends = ("--good", shas[0], "--bad", shas[-1], "--restart")
    nowhere = bisect(capsys, tmp_path, repository, *ends, "--", str(tmp_path / "nosuch.sh"), code=2)["error"]
    assert "could not be run (it, or a program it calls, was not found)" in nowhere
    assert "nosuch.sh" in nowhere.splitlines()[-1]
    complains = script(tmp_path, "echo cannot find main module >&2; exit 125")
    broken = bisect(capsys, tmp_path, repository, *ends, "--", complains, code=2)["error"]
    assert "does not build: cannot find main module. The script's output is in" in broken


def test_folders_are_those_of_the_caller_and_one_search_is_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, shas = history(tmp_path / "r", 8, 5)
    script(tmp_path, "test ! -f slow && echo 10 || echo 20")
    monkeypatch.setenv("INIT_CWD", str(repository.folder))  # as npm sets it: the process itself is in another folder
    words = [
        "bisect",
        "--repo",
        ".",
        "--work-dir",
        "../work",
        "--good",
        shas[0],
        "--bad",
        "main",
        "--",
        "../measure.sh",
    ]
    assert main(words) == 0
    output = capsys.readouterr()
    assert f"{repository.folder}: {shas[5]}" in output.out
    assert f"{shas[5][:10]}: 20\n" in output.err
    assert "the good boundary: 10\n" in output.err
    assert f"top suspect: {shas[5][:10]} Step 5" in output.err

    slow = script(tmp_path, "exec sleep 60")
    command = [sys.executable, "-m", "slowpath_cli.main", *words[:-1], slow]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    (tmp_path / "asked").unlink()
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as child:
        try:
            while child.poll() is None and not (tmp_path / "asked").exists():
                time.sleep(0.02)
            assert main([*words[:-1], slow]) == 2
            assert f"is already running (process {child.pid}" in capsys.readouterr().err
        finally:
            child.kill()


def test_killed_again_and_again_it_goes_on(tmp_path: Path) -> None:
    repository, shas = history(tmp_path / "r", 33, 9)
    # Each second start stays until it is killed: what is started then was written down, and nothing else was.
    hold = f"case $(wc -l < {tmp_path}/asked) in 2|4|6) exec sleep 60;; esac"
    measure = script(tmp_path, f"{hold}; test ! -f slow")
    words = [
        "--repo",
        str(repository.folder),
        "--work-dir",
        str(tmp_path / "work"),
        "--good",
        shas[0],
        "--bad",
        shas[-1],
        "--json",
    ]
    command = [sys.executable, "-m", "slowpath_cli.main", "bisect", *words, "--", measure]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    begun = 0
    for _ in range(3):
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until and len(asked(tmp_path) if (tmp_path / "asked").exists() else []) < begun + 2:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.wait()
        begun = len(asked(tmp_path))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    found = json.loads(done.stdout)
    assert found["levels"][0]["culprit"] == shas[9]
    assert found["deployments"] == len(asked(tmp_path))
    assert found["deployments"] <= 5 + 4 + 2 + 3 + 3  # what was killed was started once more


@pytest.mark.skipif(not Path(GO).exists(), reason="there is no Go toolchain")
def test_down_through_three_repositories_with_real_builds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deep, lib, mono = (new_repository(tmp_path / name) for name in ("deep", "lib", "mono"))
    proxy = tmp_path / "proxy"
    deep_mod, lib_mod = (
        "module example.org/deep\n\ngo 1.21\n",
        "module example.org/lib\n\ngo 1.21\n\nrequire example.org/deep {}\n",
    )
    mono_mod = (
        "module example.org/mono\n\ngo 1.21\n\nrequire example.org/lib {}\n\nrequire example.org/deep {} // indirect\n"
    )

    def cost(many: int, note: int) -> str:
        return f"package deep\n\n// Cost is noted {note} times.\nfunc Cost() int {{ return {many} }}\n"

    deep.commit({"go.mod": deep_mod, "deep.go": cost(100, 0)})
    proxied(proxy, deep, "example.org/deep", "v1.0.0")
    deeps = [
        deep.commit({"deep.go": cost(130 if one >= 5 else 100, one)} if one % 3 else {"README.md": f"{one}\n"})
        for one in range(1, 8)
    ]
    proxied(proxy, deep, "example.org/deep", "v1.1.0")

    source = 'package lib\n\nimport "example.org/deep"\n\nconst n = {}\n\nfunc Cost() int {{ return deep.Cost() }}\n'
    lib.commit({"go.mod": lib_mod.format("v1.0.0"), "lib.go": source.format(0)})
    proxied(proxy, lib, "example.org/lib", "v1.0.0")
    libs = [
        lib.commit({"go.mod": lib_mod.format("v1.1.0")} if one == 4 else {"lib.go": source.format(one)})
        for one in range(1, 7)
    ]
    proxied(proxy, lib, "example.org/lib", "v1.1.0")

    service = 'package main\n\nimport "example.org/lib"\n\nconst n = {}\n\nfunc main() {{ println(lib.Cost()) }}\n'
    first = mono.commit({"go.mod": mono_mod.format("v1.0.0", "v1.0.0"), "cmd/service/main.go": service.format(0)})
    monos = []
    for one in range(1, 13):
        files = {"cmd/service/main.go": service.format(one)} if one % 4 == 0 else {"docs.md": f"{one}\n"}
        monos.append(mono.commit({"go.mod": mono_mod.format("v1.1.0", "v1.1.0")} if one == 7 else files))

    for name, value in {
        "GOPROXY": f"file://{proxy}",
        "GOSUMDB": "off",
        "GOFLAGS": "-mod=mod",
        "GOMODCACHE": str(tmp_path / "mod"),
    }.items():
        monkeypatch.setenv(name, value)
    measure = script(
        tmp_path,
        f"{GO} build -trimpath -buildvcs=false -o $SLOWPATH_OUT/service ./cmd/service >&2 || exit 125\n"
        f"{SEED}; C=$($SLOWPATH_OUT/service 2>&1); echo $C.$((S % 256))",
    )
    try:
        found = bisect(
            capsys, tmp_path, mono, "--good", first, "--bad", "main", "--main", "./cmd/service", "--module-repo", f"example.org/lib={lib.folder}",
            "--module-repo", f"example.org/deep={deep.folder}", "--", measure,
        )  # fmt: skip
    finally:
        subprocess.run([GO, "clean", "-modcache"], check=False)  # it is read-only
    assert found["outcome"] == "found"
    assert [one["culprit"] for one in found["levels"]] == [monos[6], libs[3], deeps[4]]
    assert [one["repository"] for one in found["levels"]] == [str(mono.folder), "example.org/lib", "example.org/deep"]
    assert [(one["candidates"], one["classes"]) for one in found["levels"]] == [(12, 4), (6, 6), (7, 5)]
    assert found["deployments"] <= 20
    assert found["compiler"] == []  # only a constant differs
