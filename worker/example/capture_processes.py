"""What captures of an example's programs have in common: their processes, and what can be asked for."""

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
    """A child process for the length of a block, in a session of its own. `nice`: of its autogroup, 0 as it is."""
    child = subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        if nice:
            Path(f"/proc/{child.pid}/autogroup").write_text(str(nice), encoding="ascii")
        yield
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(10)


def wait_for(url: str) -> None:
    """Wait until a process answers, at most five seconds. Raises `CollectError`."""
    for _ in range(200):
        try:
            httpx.get(url, timeout=1.0)
        except httpx.TransportError:
            time.sleep(0.025)
        else:
            return
    raise CollectError(f"{url} does not come up")


def read_options(
    what: str, install: Path, *, rounds: int, rate: int, rate_of: str, seconds: float
) -> argparse.Namespace:
    """Read the command line; the named values stand where nothing is said."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--out", type=Path, required=True, help="folder to fill; nothing in it is overwritten")
    parser.add_argument("--install", type=Path, default=install, help="where the binaries go: profiles name this path")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--first", type=int, default=0, help="number of the first round, to go on after a break")
    parser.add_argument("--rate", type=int, default=rate, help=f"{rate_of} a second")
    parser.add_argument("--seconds", type=float, default=seconds, help="length of a CPU profile")
    parser.add_argument(
        "--nice", type=int, default=0, help="autogroup niceness: -10 keeps other work from starving the example"
    )
    parser.add_argument("--go", help="the Go command")
    return parser.parse_args()
