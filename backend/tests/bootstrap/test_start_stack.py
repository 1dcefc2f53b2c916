"""The start as a whole: it serves, restarts killed services, and leaves no process behind."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bootstrap.start_process import Start, answers, wait_until_gone

pytestmark = [pytest.mark.takes_long, pytest.mark.processes]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; whatever a failing test has left running for it is ended."""
    folder = tmp_path / "data"
    yield folder
    for line in wait_until_gone(folder, 0):
        os.kill(int(line.split()[0]), signal.SIGKILL)


def test_killed_services_restart_a_second_start_is_rejected_and_ctrl_c_stops_all(data: Path) -> None:
    start = Start.begin(data)
    start.wait_until_ready()
    assert answers(start.address)

    rival = Start.begin(data)
    assert rival.process.wait(20) == 1
    (output,) = rival.lines
    assert output.startswith(
        f"slowpath: Slowpath is already running on {data} (process {start.process.pid}, {start.address}). "
    )
    assert output.endswith("Stop it first, or choose another folder with DATA_DIR.")

    for name in ("web", "worker", "relay", "Valkey", "PostgreSQL"):
        kill_and_wait(start, name)

    assert start.stop(signal.SIGINT) == 0
    assert wait_until_gone(data, 1) == []
    assert start.lines[-1] == "Slowpath has stopped"


def kill_and_wait(start: Start, name: str) -> None:
    """Kill a child, and wait until another has taken its place and web answers."""
    before = start.child(name)
    assert before is not None
    os.kill(before, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while start.child(name) in {before, None} or not answers(start.address):
        assert start.process.poll() is None, "\n".join(start.lines)
        assert time.monotonic() < deadline, f"{name} has not come back: {start.lines}"
        time.sleep(0.1)
    assert any(line.startswith(f"  {name} died (signal SIGKILL)") for line in start.lines)


def test_after_kill_9_the_next_start_works_and_another_kill_leaves_no_orphan(data: Path) -> None:
    killed = Start.begin(data)
    killed.wait_until_ready()
    killed.stop(signal.SIGKILL)

    following = Start.begin(data)
    following.wait_until_ready()
    following.stop(signal.SIGKILL)
    assert wait_until_gone(data, 12) == []


def test_ctrl_c_during_the_start_leaves_nothing(data: Path) -> None:
    start = Start.begin(data)
    while "PostgreSQL" not in start.output.read_text():
        assert start.process.poll() is None
        time.sleep(0.02)
    start.stop(signal.SIGTERM)
    assert wait_until_gone(data, 1) == []


def test_a_child_that_cannot_live_ends_the_start_with_its_own_words(data: Path) -> None:
    start = Start.begin(data, SLOWPATH_LEASE_SECONDS="soon")
    assert start.process.wait(60) == 1
    assert start.lines[-1].startswith("slowpath: ")
    assert "died (exit code 1)" in start.lines[-1]
    assert " Log: " in start.lines[-1]
    assert wait_until_gone(data, 1) == []


def test_a_taken_port_is_one_clear_line(data: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        start = Start.begin(data, port=port)
        assert start.process.wait(20) == 1
    assert start.lines == [
        f"slowpath: Port {port} cannot be used: Address already in use. Choose another: PORT={port + 1} npm start"
    ]
    assert wait_until_gone(data, 1) == []
