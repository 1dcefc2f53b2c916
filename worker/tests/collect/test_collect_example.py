"""`slowpath collect` against the real example, as a person runs it."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.main import main
from tests.collect.conftest import Running, wait_until

pytestmark = pytest.mark.processes

WORKER = Path(__file__).resolve().parents[2]
Start = Callable[..., Running]


def facts_of(folder: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / f"{name}.metadata.json").read_text())
    RunMetadata.from_json(document)
    return document


def test_a_whole_set_with_its_facts(start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = start_ingester()
    out = tmp_path / "set"
    asked = ["--profiles", "2", "--seconds", "1", "--trace", "1", "--trace-seconds", "0.2", "--out", str(out)]
    assert main(["collect", target.address, *asked, "--fact", "commit=abc1234"]) == 0

    names = {path.name for path in out.iterdir() if not path.name.endswith(".metadata.json")}
    assert names == {
        "cpu.00.pb.gz", "cpu.01.pb.gz", "heap.00.pb.gz", "heap.01.pb.gz", "allocs.00.pb.gz", "allocs.01.pb.gz", "allocs.02.pb.gz",
        "goroutine.00.pb.gz", "trace.00.out",
    }  # fmt: skip
    assert all((out / name).read_bytes().startswith(b"go 1." if "trace" in name else b"\x1f\x8b") for name in names)

    facts = {name: facts_of(out, name) for name in names}
    assert len({fact["run"] for fact in facts.values()}) == 1
    assert all(fact["commit"] == "abc1234" for fact in facts.values())
    cpu = facts["cpu.01.pb.gz"]
    assert re.match(r"go1\.\d+", cpu["go_version"])
    assert (cpu["goos"], cpu["gomaxprocs"]) == (sys.platform, 2)
    assert 1e9 < cpu["wall_ns"] < 4e9
    assert 1_000 < cpu["requests"] < 40_000
    assert 1e7 < cpu["cpu_ns"] < 4e9
    first, last = facts["heap.00.pb.gz"], facts["heap.01.pb.gz"]
    assert last["requests"] - first["requests"] >= cpu["requests"], "a snapshot counts from the start of the process on"
    assert 2e9 < last["wall_ns"] - first["wall_ns"] < 60e9
    assert "requests" not in facts["goroutine.00.pb.gz"], "goroutines are of a moment: nothing is counted"

    output = capfd.readouterr()
    assert "requests are counted by ingester_write_requests_total" in output.err
    assert "9/9" in output.err
    assert output.out.strip() == str(out)


def test_nothing_is_overwritten(start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = start_ingester()
    (tmp_path / "heap.00.pb.gz").write_bytes(b"mine")
    assert main(["collect", target.address, "--profiles", "0", "--out", str(tmp_path)]) == 2
    assert "are not overwritten" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["heap.00.pb.gz"]
    assert (tmp_path / "heap.00.pb.gz").read_bytes() == b"mine"


def test_ctrl_c_keeps_what_is_there(start_ingester: Start, tmp_path: Path) -> None:
    target = start_ingester()
    out = tmp_path / "set"
    command = [
        sys.executable,
        "-m",
        "slowpath_cli.main",
        "collect",
        target.address,
        "--seconds",
        "1",
        "--out",
        str(out),
    ]
    env = {"PYTHONPATH": f"{WORKER}:{WORKER.parent / 'backend'}"}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as child:
        wait_until((out / "cpu.01.pb.gz").exists)
        child.send_signal(signal.SIGINT)
        _, output = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "interrupted" in output
    assert "Traceback" not in output
    profiles = sorted(path.name for path in out.glob("cpu.*.pb.gz"))
    assert 2 <= len(profiles) < 10
    assert all(facts_of(out, name)["requests"] > 0 for name in profiles)
    assert not list(out.glob(".*")), "no half-written file is left"


def test_a_process_that_dies_leaves_a_partial_set(
    start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = start_ingester()
    out = tmp_path / "set"
    ended = subprocess.Popen(["/bin/sh", "-c", f"sleep 2.5; kill -9 {target.process.pid}"])
    asked = ["--profiles", "6", "--seconds", "1", "--snapshots", "heap", "--out", str(out)]
    assert main(["collect", target.address, *asked]) == 3
    ended.wait(10)
    error_output = capfd.readouterr().err
    assert (out / "cpu.00.pb.gz").exists()
    assert not (out / "cpu.05.pb.gz").exists()
    assert "failed: " in error_output
    assert "No connection to" in error_output


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (["--requests-metric", r'requests_total\{outcome="failed"\}'], "requests are counted by"),
        (["--requests-metric", "no_such_series"], "no series matches"),
        (["--metrics", "http://127.0.0.1:9/metrics"], "no metrics, so requests are not counted"),
    ],
)
def test_requests_are_counted_only_when_known(
    start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str], asked: list[str], expected: str
) -> None:
    target = start_ingester()
    out = tmp_path / "set"
    assert (
        main(
            [
                "collect",
                target.address,
                "--profiles",
                "1",
                "--seconds",
                "1",
                "--snapshots",
                "",
                "--out",
                str(out),
                *asked,
            ]
        )
        == 0
    )
    assert expected in capfd.readouterr().err
    facts = facts_of(out, "cpu.00.pb.gz")
    assert "requests" not in facts
    assert facts["cpu_ns"] > 0, "CPU time comes from the kernel when there are no metrics"
    assert facts["go_version"].startswith("go1."), "and Go's version from the binary"


def test_a_restart_is_another_run(start_ingester: Start, tmp_path: Path) -> None:
    first = start_ingester()
    port = int(first.address.rpartition(":")[2])
    asked = ["collect", first.address, "--profiles", "1", "--seconds", "1", "--snapshots", ""]
    assert main([*asked, "--out", str(tmp_path / "a")]) == 0
    first.process.kill()
    first.process.wait(10)
    start_ingester(port)
    assert main([*asked, "--out", str(tmp_path / "b")]) == 0
    runs = [facts_of(tmp_path / side, "cpu.00.pb.gz")["run"] for side in "ab"]
    assert runs[0] != runs[1]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["ftp://host"], "not an address"),
        (["http://"], "not an address"),
        (["host:99999999"], "not an address"),
        (["127.0.0.1:1", "--profiles", "-1"], "--profiles must be between 0 and 1000, not -1"),
        (["127.0.0.1:1", "--seconds", "0"], "--seconds must be between 1 and 600, not 0"),
        (["127.0.0.1:1", "--snapshots", "heap,stack"], "unknown kind 'stack'"),
        (["127.0.0.1:1", "--requests-metric", "("], "not a regular expression"),
        (["127.0.0.1:1", "--fact", "colour=red"], "unknown name 'colour'"),
        (["127.0.0.1:1", "--fact", "gomaxprocs=two"], "facts.gomaxprocs must be a whole number"),
        (["127.0.0.1:1", "--header", "nonsense"], "takes 'Name: value'"),
        (["127.0.0.1:1", "--server", "http://h", "--out", "d", "--token", "t"], "exclude each other"),
        (["127.0.0.1:1", "--server", "http://h"], "No valid token given"),
        (["127.0.0.1:1", "--out", "d"], "No connection to http://127.0.0.1:1/"),
    ],
)
def test_contradicting_arguments_are_rejected(
    arguments: list[str],
    expected: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SLOWPATH_URL", "SLOWPATH_SERVER", "SLOWPATH_TOKEN", "INIT_CWD"):
        monkeypatch.delenv(name, raising=False)
    assert main(["collect", *arguments]) == 2
    assert expected in capfd.readouterr().err
    assert not list(tmp_path.iterdir()), "nothing is made before the process has answered"
