"""Shared by the captures of the examples: processes and command line options."""

import argparse
import contextlib
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx

from slowpath_cli.core.collect_errors import CollectError


@contextlib.contextmanager
def running(command: list[str], environment: Mapping[str, str], nice: int) -> Iterator[None]:
    """Run a child process in a separate session during the block. `nice`: that of its autogroup, 0 for the default."""
    child = subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        if nice:
            Path(f"/proc/{child.pid}/autogroup").write_text(str(nice), encoding="ascii")
        yield
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(10)


def wait_for(url: str) -> None:
    """Wait at most five seconds until a process responds. Raises `CollectError`."""
    for _ in range(200):
        try:
            httpx.get(url, timeout=1.0)
        except httpx.TransportError:
            time.sleep(0.025)
        else:
            return
    raise CollectError(f"{url} does not respond")


def read_options(
    what: str, install: Path, *, rounds: int, rate: int, rate_of: str, seconds: float
) -> argparse.Namespace:
    """Parse the command line; the arguments are the defaults."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--out", type=Path, required=True, help="output folder; existing files are not overwritten")
    parser.add_argument("--install", type=Path, default=install, help="folder of the binaries, which profiles contain")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first round, to continue an interrupted run"
    )
    parser.add_argument("--rate", type=int, default=rate, help=f"{rate_of} per second")
    parser.add_argument("--seconds", type=float, default=seconds, help="seconds of a CPU profile")
    parser.add_argument(
        "--nice", type=int, default=0, help="autogroup niceness; -10 prevents other load from starving the example"
    )
    parser.add_argument("--go", help="the Go command")
    return parser.parse_args()
