"""Services are restarted, and abandoned after repeated failures."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootstrap_parts import supervisor as supervising
from bootstrap_parts.child_processes import ChildProcess, ProcessMark, marked, spawn
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.orphan_guard import marked_processes
from bootstrap_parts.supervisor import Service, Supervisor, trim

pytestmark = pytest.mark.processes


@pytest.fixture
def mark() -> Iterator[ProcessMark]:
    with marked() as taken:
        yield taken


def service(name: str, script: str, mark: ProcessMark, folder: Path) -> Service:
    def launch() -> ChildProcess:
        return spawn(
            name,
            ["sh", "-c", script],
            mark=mark,
            environment={"PATH": "/usr/bin:/bin"},
            log=folder / f"{name}.log",
            folder=folder,
        )

    return Service(name, launch)


def supervisor(folder: Path) -> Supervisor:
    return Supervisor(ConsoleOutput(quiet=True), folder / "processes.json")


def test_one_that_dies_before_it_is_ready_ends_the_start(mark: ProcessMark, tmp_path: Path) -> None:
    doomed = service("doomed", "echo the reason; exit 7", mark, tmp_path)
    doomed.is_ready = lambda _: False
    with pytest.raises(StartupError, match=r"doomed died \(exit code 7\): the reason\."):
        supervisor(tmp_path).start(doomed)


def test_one_that_never_gets_ready(mark: ProcessMark, tmp_path: Path) -> None:
    slow = service("slow", "exec sleep 60", mark, tmp_path)
    slow.is_ready, slow.ready_seconds = (lambda _: False), 0.2
    watching = supervisor(tmp_path)
    with pytest.raises(StartupError, match="slow did not become ready within 0 s"):
        watching.start(slow)
    watching.stop()
    assert marked_processes(mark.text) == []


def test_a_repeatedly_failing_service_is_abandoned(
    mark: ProcessMark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "_FIRST_PAUSE_SECONDS", 0.01)
    watching = supervisor(tmp_path)
    watching.launch(service("moody", "echo again >> count; exit 1", mark, tmp_path))
    with pytest.raises(StartupError, match="It died 6 times in a row and is not restarted"):
        watching.watch(until=lambda: False)
    assert (tmp_path / "count").read_text().count("again") == 6


def test_one_that_is_not_required_is_abandoned_while_the_others_go_on(
    mark: ProcessMark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "_FIRST_PAUSE_SECONDS", 0.01)
    watching = supervisor(tmp_path)
    optional = service("moody", "echo again >> count; exit 1", mark, tmp_path)
    optional.is_required = False
    watching.launch(optional)
    watching.launch(service("steady", "exec sleep 60", mark, tmp_path))
    watching.watch(until=lambda: optional.deaths_in_a_row == 6)
    watching.watch(until=Repeated(20))
    assert (tmp_path / "count").read_text().count("again") == 6
    assert (optional.child, watching.services[1].child is not None) == (None, True)
    watching.stop()


class Repeated:
    """True after a number of calls."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_one_that_lived_is_forgiven(mark: ProcessMark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervising, "_FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(supervising, "_LIVED_SECONDS", 0.1)
    watching = supervisor(tmp_path)
    mortal = service("mortal", "echo again >> count; sleep 0.3; exit 1", mark, tmp_path)
    watching.launch(mortal)
    deadline = time.monotonic() + 3.5
    watching.watch(until=lambda: time.monotonic() > deadline)
    watching.stop()
    assert (tmp_path / "count").read_text().count("again") > 6


def test_one_that_ignores_the_request_is_killed_with_its_children(mark: ProcessMark, tmp_path: Path) -> None:
    stubborn = service("stubborn", "trap '' TERM; sleep 60 & sleep 60", mark, tmp_path)
    watching = supervisor(tmp_path)
    watching.start(stubborn)
    assert stubborn.child is not None
    stubborn.child.stop_seconds = 0.2
    time.sleep(0.2)
    watching.stop()
    assert stubborn.child.process.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 2  # the kernel takes a moment to end those that are not waited for
    while marked_processes(mark.text):
        assert time.monotonic() < deadline


def test_a_mark_leaves_nothing_behind(tmp_path: Path) -> None:
    with marked() as taken:
        child = spawn(
            "escaped",
            ["setsid", "sleep", "60"],
            mark=taken,
            environment={"PATH": "/usr/bin:/bin"},
            log=None,
            folder=tmp_path,
        )
        time.sleep(0.1)
        assert len(marked_processes(taken.text)) == 1
    assert marked_processes(taken.text) == []
    child.process.wait(1)


def test_a_long_log_keeps_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervising, "_LOG_LIMIT_BYTES", 100)
    monkeypatch.setattr(supervising, "_TRIMMED_LOG_BYTES", 10)
    log = tmp_path / "long.log"
    log.write_text("x" * 100 + "the end...")
    trim(log)
    assert log.read_text() == "the end..."
