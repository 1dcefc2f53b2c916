"""`slowpath collect URL --against URL2`: two real processes, captured in turns."""

import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.collect.sides import Side, take_turns
from slowpath_cli.main import main
from tests.collect.conftest import Running, wait_until
from tests.collect.pprof_servers import Answering, Asked, Handler, Reply

pytestmark = pytest.mark.processes

WORKER = Path(__file__).resolve().parents[2]
Start = Callable[..., Running]
Serve = Callable[[Handler], Answering]
PROFILE = b"\x1f\x8b and more"


def facts_of(folder: Path) -> list[RunMetadata]:
    return [
        RunMetadata.from_json(json.loads(path.with_name(path.name + ".metadata.json").read_text()))
        for path in sorted(folder.glob("cpu.*.pb.gz"))
    ]


def test_both_sides_are_captured_in_turns(
    start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base, candidate = start_ingester(), start_ingester()
    out = tmp_path / "both"
    asked = ["--profiles", "4", "--seconds", "1", "--snapshots", "heap", "--out", str(out)]
    asked += ["--fact", "commit=aaaaaaa", "--against-fact", "commit=bbbbbbb"]
    assert main(["collect", base.address, "--against", candidate.address, *asked]) == 0

    sides = {name: facts_of(out / name) for name in ("base", "candidate")}
    assert all(len(facts) == 4 for facts in sides.values())
    assert {name: {fact.commit for fact in facts} for name, facts in sides.items()} == {
        "base": {"aaaaaaa"},
        "candidate": {"bbbbbbb"},
    }
    runs = [{fact.run for fact in facts} for facts in sides.values()]
    assert all(len(run) == 1 for run in runs)
    assert runs[0] != runs[1]
    assert all(
        fact.requests and fact.cpu_ns and fact.build_id and fact.started_at_ms and fact.ended_at_ms
        for facts in sides.values()
        for fact in facts
    )
    order = sorted((fact.started_at_ms or 0, name) for name, facts in sides.items() for fact in facts)
    names = [name for _, name in order]
    for block in (names[:4], names[4:]):
        assert block[:2] == block[:1:-1], "each block of four is ABBA or BAAB: a linear drift cancels"
        assert sorted(block[:2]) == ["base", "candidate"]
    assert all((out / name / "heap.01.pb.gz").exists() for name in sides)

    output = capfd.readouterr()
    assert "12/12" in output.err
    assert output.out.split() == [str(out / "base"), str(out / "candidate")]


def test_each_side_may_have_a_folder_of_its_own(start_ingester: Start, tmp_path: Path) -> None:
    one = start_ingester()
    first, second = tmp_path / "a", tmp_path / "b"
    given = tmp_path / "given"
    given.write_bytes(b"an executable")
    asked = ["--profiles", "1", "--seconds", "1", "--snapshots", "", "--out", str(first), "--against-out", str(second)]
    asked += ["--binary", "auto", "--against-binary", str(given)]
    assert main(["collect", one.address, "--against", one.address, *asked]) == 0
    assert (first / "executable").read_bytes().startswith(b"\x7fELF")
    assert (second / "executable").read_bytes() == b"an executable"
    assert [len(facts_of(folder)) for folder in (first, second)] == [1, 1]


def test_a_side_that_dies_does_not_cost_the_other(
    start_ingester: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base, candidate = start_ingester(), start_ingester()
    killing = subprocess.Popen(["/bin/sh", "-c", f"sleep 4; kill -9 {candidate.process.pid}"])
    asked = ["--profiles", "5", "--seconds", "1", "--snapshots", "", "--out", str(tmp_path)]
    assert main(["collect", base.address, "--against", candidate.address, *asked]) == 3
    killing.wait(10)
    assert len(facts_of(tmp_path / "base")) == 5
    assert 1 <= len(facts_of(tmp_path / "candidate")) < 5
    assert "candidate" in next(line for line in capfd.readouterr().err.splitlines() if "failed" in line)


def test_a_folder_taken_concurrently_leaves_the_other_side(serve: Serve, tmp_path: Path) -> None:
    def handler(asked: Asked) -> Reply:
        return Reply(status=404) if asked.path == "/metrics" else Reply(body=PROFILE)

    server = serve(handler)
    address = PprofTarget.parse(server.address)
    recordings = CollectPlan(profiles=3, seconds=1, snapshots=()).recordings()
    with PprofClient() as client:
        sides = [
            Side(
                name, client, address, make_observer(client, address, None, RunMetadata()), FolderSink(tmp_path / name)
            )
            for name in ("base", "candidate")
        ]
        for side in sides:
            side.sink.prepare([])
        (tmp_path / "base" / "cpu.01.pb.gz").write_bytes(b"mine")
        failures = 0
        for side, result in take_turns(sides, recordings, random.Random(1)):
            assert isinstance(result, CompletedRecording)
            failures += not side.keep(result)
    assert failures == 1
    assert [side.saved_count for side in sides] == [1, 3]
    assert (tmp_path / "base" / "cpu.01.pb.gz").read_bytes() == b"mine"
    assert not list(tmp_path.glob("*/.*"))


def test_ctrl_c_leaves_whole_files_on_both_sides(start_ingester: Start, tmp_path: Path) -> None:
    base, candidate = start_ingester(), start_ingester()
    command = [sys.executable, "-m", "slowpath_cli.main", "collect", base.address, "--against", candidate.address]
    command += ["--seconds", "1", "--snapshots", "", "--out", str(tmp_path)]
    environment = {"PYTHONPATH": f"{WORKER}:{WORKER.parent / 'backend'}"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        wait_until(lambda: all((tmp_path / side / "cpu.00.pb.gz").exists() for side in ("base", "candidate")))
        child.send_signal(signal.SIGINT)
        _, output = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "interrupted" in output
    for side in ("base", "candidate"):
        assert len(facts_of(tmp_path / side)) >= 1, "every file has its facts"
        assert not list((tmp_path / side).glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--against-out", "d"], "--against-out needs --against URL2"),
        (["--against", "ftp://h"], "not an address"),
        (["--against", "127.0.0.1:1", "--out", "d", "--against-out", "d"], "are the same folder"),
        (["--against", "127.0.0.1:1", "--against-out", "d"], "needs --out"),
        (["--against", "127.0.0.1:1", "--against-fact", "x"], "--against-fact takes NAME=VALUE"),
        (["--against", "127.0.0.1:1"], "No connection to http://127.0.0.1:1/"),
    ],
)
def test_contradicting_arguments_are_rejected(
    start_ingester: Start,
    arguments: list[str],
    expected: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SLOWPATH_URL", "SLOWPATH_SERVER", "SLOWPATH_TOKEN", "INIT_CWD"):
        monkeypatch.delenv(name, raising=False)
    assert main(["collect", start_ingester().address, *arguments]) == 2
    assert expected in capfd.readouterr().err
    assert not list(tmp_path.iterdir()), "nothing is made before both processes have answered"
