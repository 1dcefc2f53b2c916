"""The command line is built beside a running stack: what is printed, and what remains of a build that fails or is stopped."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bootstrap_parts.background_package import FileBuild, build_single_file
from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput
from bootstrap_parts.stack import Stack
from bootstrap_parts.stop_signals import StopRequested, stop_signals

ADDRESS = "http://127.0.0.1:1"
CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def restored() -> Iterator[None]:
    """Restore the signal handlers of the test runner."""
    before = {caught: signal.getsignal(caught) for caught in CAUGHT}
    yield
    for caught, handler in before.items():
        signal.signal(caught, handler)


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack on a folder of its own, of which nothing is started."""
    with marked() as mark:
        yield Stack(tmp_path / "data", mark, ConsoleOutput())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    outdated = tmp_path / "slowpath-linux-amd64"
    outdated.write_text("of other code")
    return outdated


def of(file: Path, script: str, *, is_done: bool = False) -> FileBuild:
    return FileBuild(file, lambda: is_done, ("sh", "-c", script, "sh", str(file)))


def test_a_built_file_is_announced_with_its_address(
    stack: Stack, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_single_file(stack, ADDRESS, of(file, 'nice > "$1"'))
    begun, ended = capsys.readouterr().out.splitlines()
    assert "until then, lines on pages use this checkout" in begun
    assert ended.endswith(f"{ADDRESS}/cli/linux-amd64")
    assert file.read_text() == "19\n", "the lowest priority"


def test_a_file_that_is_up_to_date_is_not_built_again(
    stack: Stack, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_single_file(stack, ADDRESS, of(file, 'echo new > "$1"', is_done=True))
    assert (file.read_text(), capsys.readouterr().out) == ("of other code", "")


def test_a_failed_build_states_its_reason_and_leaves_no_outdated_file(
    stack: Stack, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_single_file(stack, ADDRESS, of(file, "echo no space left; exit 1"))
    assert "could not build the command line as one file (no space left)" in capsys.readouterr().out
    assert not file.exists()


@pytest.mark.usefixtures("restored")
def test_a_stop_ends_the_build(stack: Stack, file: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"

    def interrupt() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    with stop_signals():
        waiting = threading.Thread(target=interrupt)
        waiting.start()
        with pytest.raises(StopRequested):
            build_single_file(stack, ADDRESS, of(file, f'echo $$ > "{begun}"; sleep 60; echo new > "$1"'))
        waiting.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)
    assert not file.exists()
