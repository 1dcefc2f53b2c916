"""A process of the pool ends with the worker, also if the worker ended before the process could ask for it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from slowpath_worker.parent_death import end_with_parent

GRANDCHILD = """
import os, sys, time
from pathlib import Path
from slowpath_worker.parent_death import end_with_parent

folder, order = Path(sys.argv[1]), sys.argv[2]
parent_pid = os.getpid()
if os.fork() == 0:
    if order == "parent first":
        while os.getppid() == parent_pid:
            time.sleep(0.01)
    end_with_parent(parent_pid)
    (folder / "asked").touch()
    time.sleep(2)
    (folder / "survived").touch()
    os._exit(0)
while order == "child first" and not (folder / "asked").exists():
    time.sleep(0.01)
os._exit(0)
"""


@pytest.mark.parametrize(("order", "asked"), [("parent first", False), ("child first", True)])
def test_no_process_survives_its_parent(tmp_path: Path, order: str, asked: bool) -> None:
    # The pipe is open as long as a process that inherited it is alive.
    subprocess.run([sys.executable, "-c", GRANDCHILD, tmp_path, order], check=True, stdout=subprocess.PIPE, timeout=30)

    assert (tmp_path / "asked").exists() is asked
    assert not (tmp_path / "survived").exists()


def test_a_process_whose_parent_is_alive_goes_on() -> None:
    parent_pid = os.getpid()
    child = os.fork()
    if child == 0:
        end_with_parent(parent_pid)
        os._exit(0)
    deadline = time.monotonic() + 10
    while (status := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    if status[0] == 0:
        os.kill(child, signal.SIGKILL)
    assert status == (child, 0)
