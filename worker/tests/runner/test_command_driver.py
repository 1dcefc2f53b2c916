"""The command driver with real processes: started once, found again, stopped with any parent."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from slowpath_cli.runner.core import command_supervisor, run_processes
from slowpath_cli.runner.core.driver_interface import DeploymentFailed, DeploymentTarget, DriverEnvironment
from slowpath_cli.runner.drivers import command_driver
from slowpath_cli.runner.drivers.command_driver import CommandDriver

pytestmark = pytest.mark.processes

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
def run_id() -> Iterator[UUID]:
    one = uuid4()
    yield one
    run_processes.terminate_run(one, 0.0)
    for child in command_driver._CHILDREN:
        child.wait()


def driver(folder: Path, text: str, teardown: tuple[str, ...] = (), **more: float) -> CommandDriver:
    place = DriverEnvironment("here", folder / "driver", {**PATH, "FOLDER": str(folder)})
    return CommandDriver(
        place, ("sh", "-c", text), stays=not teardown, teardown=teardown, **{"grace_seconds": 2.0, **more}
    )


def target(folder: Path, run_id: UUID, attempt: int = 1) -> DeploymentTarget:
    out = folder / "out"
    out.mkdir(exist_ok=True)
    return DeploymentTarget(run_id, 0, "ingester", "a" * 40, None, out, attempt=attempt)


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_is_deployed_names_itself_by_its_run(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, 'echo "$OTEL_RESOURCE_ATTRIBUTES $SLOWPATH_RUN_ID" > "$FOLDER/named"; exec sleep 100')
    one.deploy(target(tmp_path, run_id))
    until(lambda: (tmp_path / "named").exists() and (tmp_path / "named").read_text() != "")
    assert (tmp_path / "named").read_text() == f"service.instance.id={run_id} {run_id}\n"
    one.restore(run_id)


def test_asked_twice_it_begins_once(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, 'echo x >> "$FOLDER/begun"; exec sleep 100')
    first, second = one.deploy(target(tmp_path, run_id)), one.deploy(target(tmp_path, run_id))
    assert first == second
    until((tmp_path / "begun").exists)
    time.sleep(0.2)
    assert (tmp_path / "begun").read_text() == "x\n"
    assert one.status(first, None).state == "ready"
    one.restore(run_id)
    assert run_processes.find_run_processes(run_id) == []
    one.restore(run_id)


def test_a_late_keeper_begins_nothing(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, "true")
    folder = tmp_path / "driver" / str(run_id)
    folder.mkdir(parents=True)
    assert command_supervisor.claim_attempt(folder, "1", "nobody")
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            command_supervisor.__file__,
            str(folder),
            "1",
            "5",
            "--",
            "touch",
            str(tmp_path / "begun"),
        ],
        check=False,
    )
    assert done.returncode == command_supervisor.ALREADY_CLAIMED
    assert not (tmp_path / "begun").exists()
    with pytest.raises(DeploymentFailed, match="stopped before it started"):
        one.deploy(target(tmp_path, run_id))


def test_processes_that_leave_their_group_are_stopped_too(tmp_path: Path, run_id: UUID) -> None:
    one = driver(
        tmp_path,
        "setsid sh -c \"trap '' TERM; echo $$ > $FOLDER/far; exec sleep 100\" & exec sleep 100",
        grace_seconds=0.5,
    )
    one.deploy(target(tmp_path, run_id))
    until((tmp_path / "far").exists)
    assert len(run_processes.find_run_processes(run_id)) >= 3
    one.restore(run_id)
    assert run_processes.find_run_processes(run_id) == []


def test_an_unattended_deployment_removes_itself(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, "exec sleep 100", abandon_seconds=0.5)
    one.deploy(target(tmp_path, run_id))
    until(lambda: run_processes.find_run_processes(run_id) == [])
    assert "the runner is gone" in one.log(run_id)


def test_a_command_that_ends_is_taken_down_by_another(tmp_path: Path, run_id: UUID) -> None:
    text = 'echo "rolled out"; touch "$FOLDER/up-$SLOWPATH_RUN_ID"'
    one = driver(tmp_path, text, ("sh", "-c", 'rm "$FOLDER/up-{run_id}"; echo {commit} > "$FOLDER/down"'))
    handle = one.deploy(target(tmp_path, run_id))
    until(lambda: one.status(handle, None).state == "ready")
    assert one.status(handle, None).detail == "rolled out"
    one.restore(run_id)
    assert (tmp_path / "down").read_text() == "a" * 40 + "\n"
    assert not (tmp_path / f"up-{run_id}").exists()


def test_a_failed_teardown_is_reported_and_retried(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, "true", ("sh", "-c", 'test -e "$FOLDER/now" || { echo no; exit 3; }'))
    one.deploy(target(tmp_path, run_id))
    with pytest.raises(DeploymentFailed, match="exited with 3: no"):
        one.restore(run_id)
    (tmp_path / "now").touch()
    one.restore(run_id)


def test_tried_again_it_begins_anew(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, 'test -e "$FOLDER/once" && exec sleep 100; touch "$FOLDER/once"; exit 75')
    handle = one.deploy(target(tmp_path, run_id))

    def was_requested_again() -> bool:
        try:
            one.status(handle, None)
        except DeploymentFailed as error:
            return error.is_transient
        return False

    until(was_requested_again)
    one.restore(run_id)
    again = one.deploy(target(tmp_path, run_id, attempt=2))
    time.sleep(0.2)
    assert one.status(again, None).state == "ready"


def test_killed_from_outside_it_has_failed(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, "exec sleep 100")
    handle = one.deploy(target(tmp_path, run_id))
    run_processes.terminate_run(run_id, 0.0)
    until(lambda: one.status(handle, None).state == "failed")
    assert one.status(handle, None).detail == "The command was killed by another process."


def test_looked_after_it_stays(tmp_path: Path, run_id: UUID) -> None:
    one = driver(tmp_path, "exec sleep 100", abandon_seconds=1.0)
    one.deploy(target(tmp_path, run_id))
    for _ in range(15):
        time.sleep(0.2)
        one.keep_alive(run_id)
    assert run_processes.find_run_processes(run_id)
    until(lambda: not run_processes.find_run_processes(run_id))
