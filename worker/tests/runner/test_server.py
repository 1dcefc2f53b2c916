"""A bisect from its start to its culprit: a whole server of real processes, and the real runner, killed once in between."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import migrated  # noqa: F401 - pytest finds fixtures by name
from tests.support.databases import TestDatabase
from tests.support.git_repositories import SomeRepository, new_repository, proxied
from tests.support.running_stacks import RunningStack, running_stack

pytestmark = [pytest.mark.database, pytest.mark.takes_long, pytest.mark.processes]
CONFIG = """
[runner]
name = "lab"
slots = 2
work = "work"
environment = ["LEDGER"]
[repositories]
"" = "mono"
[allow]
variants = ["GOGC", "GODEBUG", "revert"]
[deploy]
command = {deploy}
[measure]
{measure}
"""
DEPLOY = '["sh", "-c", "echo $SLOWPATH_RUN_ID >> $LEDGER; exec sleep 300"]'
MEASURE = """command = ["sh", "-c", 'test -e slow && echo "took 12.5 ms" || echo "took 10.5 ms"']"""
SERVING = Path(__file__).with_name("test_service.py")


@pytest.fixture(scope="module")
def stack(migrated: TestDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:  # noqa: F811 - as above
    folder = tmp_path_factory.mktemp("stack")
    local = str(tmp_path_factory.getbasetemp())
    with running_stack(migrated, folder, SLOWPATH_LOCAL_REPOSITORIES=local) as one:
        yield one


def _history(folder: Path, commits: int, guilty: int) -> tuple[SomeRepository, list[str]]:
    mono = new_repository(folder / "mono")
    listed = [{"n": f"{one}\n", **({"slow": "1\n"} if one == guilty else {})} for one in range(commits)]
    return mono, [mono.commit(files, f"Step {number}") for number, files in enumerate(listed)]


def _started(person: httpx.Client, mono: SomeRepository, shas: list[str], **fields: Any) -> str:  # noqa: ANN401 - members of a body
    service = person.post("/services", json={"name": "ingester"}).json()["id"]
    asked = {"name": "mono", "url": f"file://{mono.folder}", "services": [{"service_id": service}]}
    repository = person.post("/repositories", json=asked).json()["id"]
    bisect = person.post(
        "/bisects",
        json={
            "service_id": service, "repository_id": repository, "good_sha": shas[0], "bad_sha": shas[-1],
            **fields,
        },
    )  # fmt: skip
    assert bisect.status_code == 201, bisect.text
    return str(bisect.json()["id"])


def _token(person: httpx.Client, scope: str) -> str:
    team = person.get("/session").json()["teams"][0]["id"]
    asked = {"name": scope, "scopes": [scope], "expires_in_days": 1}
    return str(person.post(f"/teams/{team}/tokens", json=asked).json()["secret"])


def _runner(
    stack: RunningStack,
    person: httpx.Client,
    folder: Path,
    deploy: str = DEPLOY,
    measure: str = MEASURE,
    config: str = CONFIG,
) -> "subprocess.Popen[bytes]":
    (folder / "runner.toml").write_text(config.format(deploy=deploy, measure=measure), encoding="utf-8")
    environment = {
        **os.environ, "SLOWPATH_URL": stack.address, "SLOWPATH_TOKEN": _token(person, "runner"), "LEDGER": str(folder / "ledger"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    command = [sys.executable, "-m", "slowpath_cli.main", "runner", "--config", str(folder / "runner.toml")]
    with (folder / "runner.log").open("ab") as log:
        return subprocess.Popen(command, env=environment, stderr=log)


def test_a_runner_killed_once_still_finds_the_culprit(stack: RunningStack, tmp_path: Path) -> None:
    mono, shas = _history(tmp_path, 12, 7)
    with stack.signed_up() as person:
        settings = {"measurement_seconds": 0, "warm_up_seconds": 0, "slots": 2}
        bisect = _started(person, mono, shas, signature={"kind": "custom", "subject": "ms"}, settings=settings)
        runner = _runner(stack, person, tmp_path)
        try:
            _until(stack, person, bisect, lambda detail: any(one["measurements"] for one in detail["probes"]))
            runner.kill()
            runner.wait()
            runner = _runner(stack, person, tmp_path)
            detail = _until(stack, person, bisect, _is_over)
        finally:
            runner.terminate()
            runner.wait(timeout=30)
        [listed] = person.get("/runners").json()
    begun = (tmp_path / "ledger").read_text().split()
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", shas[7]), (tmp_path / "runner.log").read_text()
    assert len(begun) == len(set(begun)) == detail["cost"]["deployments"]
    assert {window["value"] for one in detail["probes"] for window in one["measurements"]} == {10.5, 12.5}
    assert {one["state"] for one in detail["probes"]} == {"done"}
    assert (listed["name"], listed["slots"], listed["running"]) == ("lab", 2, 0)


def test_commits_are_measured_alternately_and_equal_ones_not_at_all(stack: RunningStack, tmp_path: Path) -> None:
    """A branch that is slower than its merge base, and one that takes its change back."""
    mono, shas = _history(tmp_path, 3, 1)
    mono.git("checkout", "-q", "-b", "taken-back", shas[0])
    mono.commit({"n": "7\n"}, "Change")
    head = mono.commit({"n": "0\n"}, "Take it back")
    mono.git("checkout", "-q", "main")
    with stack.signed_up() as person:
        service = person.post("/services", json={"name": "ingester"}).json()["id"]
        asked = {"name": "mono", "url": f"file://{mono.folder}", "services": [{"service_id": service}]}
        assert person.post("/repositories", json=asked).status_code == 201
        runner = _runner(stack, person, tmp_path)
        try:
            equal = _measured(stack, person, service, shas[2], head)
            slower = _measured(stack, person, service, shas[0], shas[2])
        finally:
            runner.terminate()
            runner.wait(timeout=30)
    assert (equal["verdict"], equal["base_sha"], equal["measurements"]) == ("not-slower", shas[0], [])
    assert slower["verdict"] == "slower", (tmp_path / "runner.log").read_text()
    assert slower["ratio"] == pytest.approx(12.5 / 10.5)
    assert {(one["is_candidate"], one["value"]) for one in slower["measurements"]} == {(False, 10.5), (True, 12.5)}
    begun = (tmp_path / "ledger").read_text().split()
    assert len(begun) == len(set(begun)) == len(slower["measurements"]) == 26


def _measured(stack: RunningStack, person: httpx.Client, service: str, base: str, candidate: str) -> dict[str, Any]:
    """Compare two commits, and return the commit comparison once it has ended."""
    body = {
        "service_id": service,
        "base_sha": base,
        "candidate_sha": candidate,
        "measurement_seconds": 1,
        "warm_up_seconds": 0,
    }
    made = person.post("/commit-comparisons", json=body)
    assert made.status_code == 201, made.text
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        stack.keeper.look_after()
        found: dict[str, Any] = person.get(f"/commit-comparisons/{made.json()['id']}").json()
        if found["finished_at"] is not None:
            return found
        time.sleep(0.2)
    raise AssertionError(found)


def test_pushed_latency_of_probes_finds_the_culprit(stack: RunningStack, tmp_path: Path) -> None:
    mono, shas = _history(tmp_path, 3, 2)
    with stack.signed_up() as person:
        lab = person.post("/environments", json={"name": "lab"}).json()["id"]
        times = {"measurement_seconds": 0.6, "warm_up_seconds": 0.3, "max_measurements_per_probe": 1}
        settings = {**times, "slots": 2, "dashboard_selector": {"environment_id": lab}}
        bisect = _started(person, mono, shas, signature={"kind": "latency", "subject": "lab p50"}, settings=settings)
        pushes = [sys.executable, str(SERVING), f"{stack.address}/v1/metrics", _token(person, "upload")]
        runner = _runner(stack, person, tmp_path, json.dumps(pushes), "collect = { board = true }")
        try:
            detail = _until(stack, person, bisect, _is_over)
        finally:
            runner.terminate()
            runner.wait(timeout=30)
    windows = [window for one in detail["probes"] for window in one["measurements"]]
    assert (detail["state"], detail["culprit"] and detail["culprit"]["sha"]) == ("found", shas[2]), windows
    assert {window["problem"] for window in windows} == {None}
    values = {round(window["value"] / 1e6) for window in windows}
    assert values == {15, 35}
    assert all(window["requests"] >= 200 for window in windows)


def test_variants_of_the_bad_commit_are_measured(stack: RunningStack, tmp_path: Path) -> None:
    mono = new_repository(tmp_path / "mono")
    listed = [{f"f{one}": "x\n", **({"slow": "1\n"} if one == 3 else {})} for one in range(6)]
    shas = [mono.commit(files) for files in listed]  # the revert of the culprit does not conflict
    command = """command = ["sh", "-c", 'n=10; test -e slow && n=15; m=100; test "$GOGC" = 400 && n=$((n-4)) m=300; echo "BenchmarkServe 1 $m rss-MB $n ms"']"""
    with stack.signed_up() as person:
        settings = {"measurement_seconds": 0, "warm_up_seconds": 0, "slots": 2}
        bisect = _started(person, mono, shas, signature={"kind": "custom", "subject": "ms"}, settings=settings)
        runner = _runner(stack, person, tmp_path, measure=command)
        try:
            detail = _until(stack, person, bisect, _is_over)
            asked = {"variants": ["revert", "GOGC=400", "GODEBUG=madvdontneed=1", "revert GOGC=400"], "blocks": 3}
            created = person.post(f"/bisects/{bisect}/experiments", json=asked)
            assert created.status_code == 201, created.text
            _until(stack, person, created.json()["id"], _is_over)
        finally:
            runner.terminate()
            runner.wait(timeout=30)
        [experiment] = person.get(f"/bisects/{bisect}/experiments").json()
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", shas[3])
    assert (experiment["state"], experiment["best"]) == ("measured", "revert GOGC=400"), experiment
    effects = {(one["variant"], one["measure"]): one for one in experiment["effects"]}
    assert {name: one["verdict"] for (name, measure), one in effects.items() if measure == "ms"} == {
        "parent": "better", "revert": "better", "GOGC=400": "better", "GODEBUG=madvdontneed=1": "no effect", "revert GOGC=400": "better",
    }  # fmt: skip
    assert effects["GOGC=400", "rss-MB"]["verdict"] == "worse"
    assert effects["revert", "rss-MB"]["verdict"] == "no effect"
    assert round(effects["GOGC=400", "ms"]["removes"]["share"], 6) == 0.8
    assert experiment["has_runner"] is False  # it has ended


PATIENCE_SECONDS = 300.0
"""A search runs 24 programs before both builds are compiled, on a machine that may have other work."""
LIB = """package lib

// Cost is %d.
func Cost(n int) int {
%s	return n + %d
}
"""
LOOPS = "".join(f"	for i := range 3 {{\n		n ^= i * {n}\n	}}\n" for n in range(12)) + "	n = 0\n"
SERVICE = """package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"example.org/lib"
)

func main() {
	file, err := os.Create(os.Args[1] + "/cpu.pb.gz")
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	total := 0
	for until := time.Now().Add(300 * time.Millisecond); time.Now().Before(until); {
		for n := range 1000 {
			total += step(n) + lib.Cost(n)
		}
	}
	pprof.StopCPUProfile()
	file.Close()
	fmt.Printf("took %%d.5 ms\\n", lib.Cost(0)+step(%d)+0*total)
}

func step(n int) int {
%s	return n
}
"""


@pytest.mark.skipif(shutil.which("go") is None, reason="no go")
@pytest.mark.parametrize("is_in_dependency", [False, True])
def test_a_runner_compiles_the_culprit_and_the_build_before_it(
    stack: RunningStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_dependency: bool
) -> None:
    lib, mono, proxy = new_repository(tmp_path / "lib"), new_repository(tmp_path / "mono"), tmp_path / "proxy"
    lib.commit({"go.mod": "module example.org/lib\n\ngo 1.22\n", "lib.go": LIB % (10, "", 10)})
    proxied(proxy, lib, "example.org/lib", "v1.0.0")
    libs = [lib.commit({"lib.go": LIB % (n, LOOPS if n >= 22 else "", 12 if n >= 22 else 10)}) for n in range(20, 24)]
    proxied(proxy, lib, "example.org/lib", "v1.1.0")
    mod = "module example.org/mono\n\ngo 1.22\n\nrequire example.org/lib %s\n"
    shas = []
    for one in range(5):
        grown = LOOPS if one >= 2 and not is_in_dependency else ""
        added = 2 if grown else 0
        body = SERVICE % (one, f"{grown}	n = {added}\n")
        version = "v1.1.0" if one >= 3 and is_in_dependency else "v1.0.0"
        shas.append(mono.commit({"go.mod": mod % version, "cmd/service/main.go": body}))
    for name, value in {"GOPROXY": f"file://{proxy}", "GOSUMDB": "off", "GOFLAGS": "-mod=mod", "GOWORK": "off"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "mod"))
    measure = 'command = ["go", "run", "./cmd/service", "{out}"]\n'
    with stack.signed_up() as person:
        repository = person.post("/repositories", json={"name": "lib", "url": f"file://{lib.folder}"}).json()["id"]
        times = {"measurement_seconds": 0, "warm_up_seconds": 0, "slots": 2, "main_package": "cmd/service"}
        settings = {**times, "module_repositories": {"example.org/lib": repository}}
        bisect = _started(person, mono, shas, signature={"kind": "custom", "subject": "ms"}, settings=settings)
        config = CONFIG.replace('"" = "mono"', '"" = "mono"\n"example.org/lib" = "lib"')
        runner = _runner(stack, person, tmp_path, measure=measure, config=config)
        try:
            detail = _until(stack, person, bisect, lambda one: (one["compiler"] or {}).get("comparison_id") is not None)
            comparison = person.get(f"/comparisons/{detail['compiler']['comparison_id']}").json()
        finally:
            runner.terminate()
            runner.wait(timeout=30)
            subprocess.run(["go", "clean", "-modcache"], check=False)  # it is read-only
    culprit = libs[2] if is_in_dependency else shas[2]
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", culprit), (tmp_path / "runner.log").read_text()
    assert detail["compiler"]["state"] == "done", detail["compiler"]
    function = "example.org/lib.Cost" if is_in_dependency else "main.step"
    sentences = [one["sentence"] for one in detail["compiler"]["reasons"] if one["function"] == function]
    assert sentences, detail["compiler"]
    assert f"{function} is no longer inlined: cost " in sentences[0]
    assert "exceeds budget 80" in sentences[0]
    assert detail["compiler"]["missing"] == ""
    compiler = comparison["result"]["compiler"]
    assert compiler["hot_paths"], compiler
    assert "main.main" in [frame["function"] for frame in compiler["hot_paths"][0]["base"]["frames"]], compiler
    assert "compile" not in {one["purpose"] for one in detail["probes"]}
    assert any("Compiled the culprit" in one["sentence"] for one in detail["events"])


def _is_over(detail: dict[str, Any]) -> bool:
    return detail["state"] not in {"planned", "searching"} and all(one["ended_at"] for one in detail["probes"])


def _until(stack: RunningStack, person: httpx.Client, bisect: str, holds: Any) -> dict[str, Any]:  # noqa: ANN401 - a lambda
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        stack.keeper.look_after()
        body: dict[str, Any] = person.get(f"/bisects/{bisect}").json()
        if holds(body):
            return body
        time.sleep(0.3)
    raise AssertionError(f"{body['state']}: {body['probes']}")
