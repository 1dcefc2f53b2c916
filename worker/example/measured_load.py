"""Generate load on a process of an example and profile it for a measurement window.

Concurrent measurements take turns by a lock, so that a probe and its control never share the cores. The profile and its run
metadata are written to a folder; the server evaluates them.
"""

import fcntl
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from example.capture_processes import running
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.core.collect_errors import CollectError

WARM_SECONDS = 1.0


@dataclass(frozen=True)
class LoadGenerator:
    """A program that sends requests: its module, the folder below `cmd`, the path it requests, and what counts requests."""

    module: Path
    name: str
    path: str
    rate: int
    """Requests per second."""
    counter: RequestCounter

    def build(self, folder: Path) -> Path:
        """Build the program, once per folder. Raises `CalledProcessError`."""
        program = folder / self.name
        if not program.exists():
            folder.mkdir(parents=True, exist_ok=True)
            fresh = folder / f"{self.name}.{os.getpid()}"
            environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
            command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(fresh), f"./cmd/{self.name}"]
            subprocess.run(command, cwd=self.module, env=environment, check=True)
            fresh.rename(program)
        return program


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait for the lock of other measurements."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def measure_window(generator: LoadGenerator, address: str, out: Path, shared: Path, seconds: float) -> None:
    """Generate load on a process and profile it into `out`. Raises `CollectError`."""
    command = [str(generator.build(shared)), "-url", f"http://{address}{generator.path}", "-rate", str(generator.rate)]
    sink = FolderSink(out)
    recordings = CollectPlan(profiles=1, seconds=seconds, snapshots=()).recordings()
    sink.prepare([each.name for each in recordings])
    with PprofClient() as client, alone(shared), running(command, {"GOMAXPROCS": "1"}, 0):
        time.sleep(WARM_SECONDS)
        asked = PprofTarget.parse(address)
        known = RunMetadata(run=f"{out.parent.name}/{out.name}", commit=os.environ.get("SLOWPATH_COMMIT"))
        observer = make_observer(client, asked, generator.counter, known, check_mounted(client, asked))
        for result in record(client, asked, observer, recordings):
            if isinstance(result, FailedRecording):
                raise CollectError(str(result.error))
            if isinstance(result, CompletedRecording):
                sink.put(result.recording.name, result.body, result.facts)
