"""Probes one after the other, by the real command in its own process, which continues after a kill."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest

from slowpath_cli.runner.core import run_processes
from tests.collect.conftest import Running
from tests.runner.probe_server_double import ProbeServerDouble, lease, lending

pytestmark = pytest.mark.processes

CONFIG = """
[runner]
name = "here"
slots = {slots}
work = "work"
environment = ["LEDGER"]
lease_timeout_seconds = {lost}
[repositories]
checkout = false
{repository}
[deploy]
{deploy}
[measure]
command = {measure}
"""
SERVE = 'command = ["sh", "-c", "echo start $SLOWPATH_RUN_ID >> $LEDGER; exec sleep 300"]'
NUMBER = '["sh", "-c", "echo 42 ; cat $LEDGER >&2"]'


class Here:
    """A runner that can be started, killed and stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ledger = folder, folder / "ledger"
        self.child: subprocess.Popen[bytes] | None = None
        self.log = folder / "runner.log"

    def start(
        self,
        lender: ProbeServerDouble,
        *,
        deploy: str = SERVE,
        measure: str = NUMBER,
        slots: int = 1,
        lost: int = 60,
        repository: Path | None = None,
    ) -> None:
        config = self.folder / "runner.toml"
        place = f'"" = "{repository}"' if repository else ""
        written = CONFIG.format(slots=slots, lost=lost, deploy=deploy, measure=measure, repository=place)
        config.write_text(written, encoding="utf-8")
        environment = {
            **os.environ, "SLOWPATH_URL": lender.url, "SLOWPATH_TOKEN": "slp_x", "LEDGER": str(self.ledger),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }  # fmt: skip
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "slowpath_cli.main", "runner", "--config", str(config)], env=environment, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def kill(self) -> None:
        assert self.child is not None
        self.child.kill()
        self.child.wait()
        self.child = None

    def stop(self) -> int:
        if self.child is None:
            return 0
        self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(timeout=30)
        self.child = None
        return code

    def wait(self) -> int:
        """Wait until it has ended of itself."""
        assert self.child is not None
        code = self.child.wait(timeout=30)
        self.child = None
        return code

    def clear(self) -> None:
        """End what a test that failed has left."""
        if self.child is not None:
            self.kill()
        for path in (self.folder / "work" / "driver").glob("*-*-*"):
            run_processes.terminate_run(UUID(path.name), 0.0)

    def starts(self) -> list[str]:
        return self.ledger.read_text(encoding="utf-8").split("\n")[:-1] if self.ledger.exists() else []


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    one = Here(tmp_path)
    try:
        yield one
        one.stop()
    finally:
        one.clear()


def test_a_folder_has_one_runner(here: Here) -> None:
    with lending() as lender:
        here.start(lender)
        lender.until(lambda: bool(lender.introduced))
        first, here.child = here.child, None
        assert first is not None
        try:
            here.start(lender)
            assert here.wait() == 2
        finally:
            here.child = first
    assert f"Another runner (process {first.pid}) uses" in here.log.read_text()
    assert len(lender.introduced) == 1


def test_a_name_that_another_process_has_is_asked_for_once_more(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        lender.taken = 1
        here.start(lender)
        lender.until_ended(one["run_id"])
        assert "Another runner is called here: it runs on elsewhere." in here.log.read_text()
        assert here.stop() == 0
        lender.taken = 4
        here.start(lender)
        assert here.wait() == 2
    assert "Name one anew." in here.log.read_text().splitlines()[-1]
    assert len({one["instance"] for one in lender.introduced}) == 1, "in one folder it is the same one again"
    assert len(lender.introduced) == 4


def test_a_server_that_knows_no_compilations_accepts_the_runner(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        lender.knows_compilations = False
        here.start(lender, repository=here.folder)
        assert lender.until_ended(one["run_id"])["outcome"] == "done"
    assert [one.get("can_compile") for one in lender.introduced] == [True, None]
    assert "does not know compilations" in here.log.read_text()


def test_the_executable_is_uploaded_once_per_probe(here: Here) -> None:
    one = lease(measurements_requested=2)
    (here.folder / "server").write_bytes(b"\x7fELF")
    with lending(one) as lender:
        here.start(lender, measure=f'{NUMBER}\nexecutable = "{here.folder}/server"')
        lender.until_ended(one["run_id"])
        assert lender.uploaded == ["001-00-executable"]
        assert [len(lender.windows[one["run_id"]][index]["artifact_ids"]) for index in (0, 1)] == [1, 0]
        assert here.stop() == 0


def test_a_probe_without_the_executable_states_why(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        here.start(lender, measure=f'{NUMBER}\nexecutable = "absent"')
        lender.until(lambda: bool(lender.windows.get(one["run_id"])))
        assert "[measure] executable: " in lender.windows[one["run_id"]][0]["problem"]
        here.stop()


def _runs(run_id: str) -> bool:
    return bool(run_processes.find_run_processes(UUID(run_id)))


def test_a_probe_is_deployed_measured_and_taken_down(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        here.start(lender)
        end = lender.until_ended(one["run_id"])
        assert here.stop() == 0
    assert end["outcome"] == "done", here.log.read_text()
    [window] = lender.windows[one["run_id"]].values()
    assert (window["value"], window["verdict"], window["problem"]) == (42.0, None, None)
    assert here.starts() == [f"start {one['run_id']}"]
    assert not _runs(one["run_id"])
    assert lender.beats[0] == (one["run_id"], "deploying")


@pytest.mark.parametrize(
    ("deploy", "how"),
    [
        ('command = ["sh", "-c", "exit 125"]', "unbuildable"),
        ('command = ["sh", "-c", "exit 3"]', "unhealthy"),
        ('command = ["sh", "-c", "kill -9 $$"]', "failed"),
        ('command = ["./not-there"]', "failed"),
        ('command = ["sh", "-c", "exit 75"]\nattempts = 2', "failed"),
        ('command = ["sh", "-c", "exit 4"]\nstays = false\nteardown = ["true"]', "failed"),
        ('command = ["sleep", "60"]\nhealth = { command = ["false"], within = 1 }', "unhealthy"),
    ],
)
def test_the_outcome_of_a_deployment_is_reported(here: Here, deploy: str, how: str) -> None:
    one = lease()
    with lending(one) as lender:
        here.start(lender, deploy=deploy, measure='["sh", "-c", "sleep 0.5; echo 1"]')
        assert lender.until_ended(one["run_id"])["outcome"] == how, here.log.read_text()
    assert one["run_id"] not in lender.windows
    assert not _runs(one["run_id"])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ('["sh", "-c", "exit 1"]', ("slower", None)),
        ('["sh", "-c", "exit 0"]', ("not-slower", None)),
        ('["sh", "-c", "exit 9"]', (None, "the script exited with 9; only 0, 1, 75 and 125 are defined.")),
        ('["sh", "-c", "exit 75"]', (None, "The command requested a retry 3 times.")),
        ('["sh", "-c", "echo {nothing}"]', (None, "Unknown placeholder {nothing};")),
    ],
)
def test_the_result_of_a_measurement_command_is_reported(
    here: Here, measure: str, expected: tuple[str | None, str | None]
) -> None:
    one = lease()
    with lending(one) as lender:
        here.start(lender, measure=measure)
        lender.until_ended(one["run_id"])
    [window] = lender.windows[one["run_id"]].values()
    assert window["verdict"] == expected[0]
    assert (window["problem"] or "").startswith(expected[1] or "")
    assert (window["problem"] is None) == (expected[1] is None)


def test_files_that_a_command_leaves_are_sent(here: Here) -> None:
    one = lease(signature={"kind": "profile.cpu", "subject": "x"})
    with lending(one) as lender:
        here.start(lender, measure='["sh", "-c", "echo 7; echo a > {out}/a.pb.gz; echo b > $SLOWPATH_OUT/b.pb.gz"]')
        lender.until_ended(one["run_id"])
    [window] = lender.windows[one["run_id"]].values()
    assert window["value"] is None
    assert len(window["artifact_ids"]) == 2
    assert lender.uploaded == ["001-00-a.pb.gz", "001-00-b.pb.gz"]


@pytest.mark.parametrize(
    ("measure", "files"),
    [
        ('["sh", "-c", "echo 7"]', 0),
        ('["sh", "-c", "echo a > {out}/a.pb.gz"]', 1),
        ("[]\ncollect = { board = true }", 0),
    ],
    ids=["load", "load and evidence", "waited out"],
)
def test_latency_is_measured_by_the_dashboard(here: Here, measure: str, files: int) -> None:
    one = lease(signature={"kind": "latency", "subject": "lab p99"}, measurement_seconds=0.1)
    with lending(one) as lender:
        lender.heartbeat_fields = {"measurement_seconds": 0.3}  # changed since it was leased
        here.start(lender, measure=measure)
        lender.until_ended(one["run_id"])
    [window] = lender.windows[one["run_id"]].values()
    assert (window["value"], window["problem"], window["is_on_dashboard"], len(window["artifact_ids"])) == (
        None,
        None,
        True,
        files,
    )
    began, ended = (datetime.fromisoformat(window[name]) for name in ("started_at", "ended_at"))
    assert "board" not in measure or (ended - began).total_seconds() >= 0.3


@pytest.mark.parametrize("measure", ['["sh", "-c", "echo a > {out}/a.pb.gz; exit 1"]', '["true"]'])
def test_a_failing_command_is_no_verdict_where_artifacts_are_measured(here: Here, measure: str) -> None:
    one = lease(signature={"kind": "profile.category", "subject": "gc"})
    with lending(one) as lender:
        here.start(lender, measure=measure)
        lender.until_ended(one["run_id"])
    [window] = lender.windows[one["run_id"]].values()
    assert window["verdict"] is None
    assert window["problem"].startswith("The command")


@pytest.mark.parametrize("moment", ["deploying", "ready", "measuring"])
def test_killed_it_goes_on_without_deploying_again(here: Here, moment: str) -> None:
    one = lease(measurements_requested=2)
    slow = 'command = ["sh", "-c", "echo start $SLOWPATH_RUN_ID >> $LEDGER; sleep 1; touch {out}/up; exec sleep 300"]'
    health = '\nhealth = { command = ["test", "-e", "{out}/up"], within = 20 }'
    with lending(one, stays=moment == "ready") as lender:
        here.start(lender, deploy=slow + health, measure='["sh", "-c", "sleep 1; echo 5"]')
        lender.until(lambda: bool(here.starts()))
        if moment == "ready":
            lender.until(lambda: len(lender.windows.get(one["run_id"], {})) == 2)
        if moment == "measuring":
            lender.until(lambda: bool(run_processes.find_run_processes(UUID(one["run_id"]), "measure")))
        here.kill()
        time.sleep(0.3)
        assert run_processes.find_run_processes(UUID(one["run_id"]), "deploy")
        lender.stays = False
        here.start(lender, deploy=slow + health, measure='["sh", "-c", "sleep 1; echo 5"]')
        assert lender.until_ended(one["run_id"])["outcome"] == "done", here.log.read_text()
    assert here.starts() == [f"start {one['run_id']}"]
    assert {index: window["value"] for index, window in lender.windows[one["run_id"]].items()} == {0: 5.0, 1: 5.0}
    assert not _runs(one["run_id"])


def test_a_server_that_does_not_answer_is_waited_for(here: Here) -> None:
    one = lease(measurements_requested=2)
    with lending(one) as lender:
        here.start(lender, measure='["sh", "-c", "sleep 0.5; echo 5"]')
        lender.until(lambda: bool(run_processes.find_run_processes(UUID(one["run_id"]), "measure")))
        lender.broken = True
        time.sleep(2.0)
        assert not lender.ends
        lender.broken = False
        assert lender.until_ended(one["run_id"])["outcome"] == "done"
    assert len(lender.windows[one["run_id"]]) == 2


def test_a_server_that_sends_nothing_times_out(here: Here) -> None:
    one = lease(lease_seconds=1.5)
    with lending(one, stays=True) as lender:
        here.start(lender, lost=2)
        lender.until(lambda: bool(lender.windows))
        lender.broken = True
        lender.until(lambda: not _runs(one["run_id"]))
        assert not lender.ends
        lender.broken = False
        assert lender.until_ended(one["run_id"])["outcome"] == "failed"
        assert "has not responded" in lender.ends[one["run_id"]]["log_tail"]


def test_processes_of_a_lost_folder_are_stopped(here: Here) -> None:
    one = lease()
    with lending(one, stays=True) as lender:
        here.start(lender)
        lender.until(lambda: bool(lender.windows))
        here.kill()
        assert _runs(one["run_id"])
        shutil.rmtree(here.folder / "work")
        here.start(lender)
        assert lender.until_ended(one["run_id"])["outcome"] == "failed"
    assert not _runs(one["run_id"])
    assert here.starts() == [f"start {one['run_id']}"]


def test_stopped_it_takes_down_what_runs(here: Here) -> None:
    one = lease()
    with lending(one, stays=True) as lender:
        here.start(lender)
        lender.until(lambda: bool(lender.windows))
        assert here.stop() == 0
        assert lender.ends[one["run_id"]]["outcome"] == "failed"
        assert lender.left == [{"instance": lender.introduced[0]["instance"]}], "its name is free"
    assert not _runs(one["run_id"])


def test_a_probe_stopped_during_a_measurement_ends_at_once(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        here.start(lender, measure='["sleep", "200"]')
        lender.until(lambda: bool(run_processes.find_run_processes(UUID(one["run_id"]), "measure")))
        lender.commands[one["run_id"]] = "stop"
        assert lender.until_ended(one["run_id"], 10)["outcome"] == "done"
    assert not _runs(one["run_id"])


def test_a_run_that_the_runner_does_not_know_is_ended(here: Here) -> None:
    one = lease()
    with lending(one) as lender:
        lender.beats.append((one["run_id"], "soaking"))
        here.start(lender)
        assert lender.until_ended(one["run_id"])["outcome"] == "failed"
    assert here.starts() == []


def test_two_slots_work_at_the_same_time(here: Here) -> None:
    some = [lease(slot=number, number=number + 1) for number in range(2)]
    with lending(*some) as lender:
        here.start(lender, slots=2, measure='["sh", "-c", "sleep 1; echo {slot}"]')
        for one in some:
            lender.until_ended(one["run_id"])
    assert [lender.windows[one["run_id"]][0]["value"] for one in some] == [0.0, 1.0]
    began = [lender.windows[one["run_id"]][0]["started_at"] for one in some]
    ended = [lender.windows[one["run_id"]][0]["ended_at"] for one in some]
    assert max(began) < min(ended)


def test_a_process_is_collected_from(here: Here, start_ingester: Callable[..., Running]) -> None:
    ingester = start_ingester()
    one = lease(signature={"kind": "profile.category", "subject": "gc"}, measurement_seconds=2.0)
    with lending(one) as lender:
        collect = f'{{ pprof = "{ingester.address}", seconds = 1, snapshots = ["heap"] }}'
        here.start(lender, deploy='driver = "none"', measure=f"[]\ncollect = {collect}")
        lender.until_ended(one["run_id"], 40)
    [window] = lender.windows[one["run_id"]].values()
    assert window["problem"] is None, here.log.read_text()
    assert sorted(lender.uploaded) == [
        "001-00-cpu.00.pb.gz", "001-00-cpu.01.pb.gz", "001-00-heap.00.pb.gz", "001-00-heap.01.pb.gz",
    ]  # fmt: skip
    assert len(window["artifact_ids"]) == 4
