"""`python -m example.bisects.measure_ingester --address HOST:PORT --out FOLDER`: generate load on an ingester and profile it for a window.

Concurrent measurements take turns by a lock, so that a probe and its control never share the cores. The profile and its run
metadata are written to the folder; the server evaluates them.
"""

import argparse
import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from example.capture_processes import running, wait_for
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import CollectPlan
from slowpath_cli.collect.output_sinks import FolderSink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import FailedRecording, check_mounted, record
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.collect.run_observer import make_observer
from slowpath_cli.core.collect_errors import CollectError

FEEDER = Path(__file__).resolve().parents[1] / "ingester"
FAILED = 70
"""Exit code without a measurement: neither good nor bad."""
WRITTEN = RequestCounter(re.compile(r'^ingester_write_requests_total\{outcome="written"\}$'))
RATE, WARM_SECONDS, SECONDS = 50_000, 1.0, 4.0


def feeder(folder: Path) -> Path:
    """Build the load generator, once per folder."""
    program = folder / "feeder"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"feeder.{os.getpid()}"
        environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
        command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(fresh), "./cmd/feeder"]
        subprocess.run(command, cwd=FEEDER, env=environment, check=True)
        fresh.rename(program)
    return program


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait for the lock of other measurements."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def window(address: str, out: Path, shared: Path, seconds: float = SECONDS) -> None:
    """Generate load on an ingester and profile it into `out`. Raises `CollectError`."""
    feed = [str(feeder(shared)), "-url", f"http://{address}/write", "-rate", str(RATE)]
    sink = FolderSink(out)
    recordings = CollectPlan(profiles=1, seconds=seconds, snapshots=()).recordings()
    sink.prepare([each.name for each in recordings])
    with PprofClient() as client, alone(shared), running(feed, {"GOMAXPROCS": "1"}, 0):
        time.sleep(WARM_SECONDS)
        asked = PprofTarget.parse(address)
        known = RunMetadata(run=f"{out.parent.name}/{out.name}", commit=os.environ.get("SLOWPATH_COMMIT"))
        for result in record(
            client, asked, make_observer(client, asked, WRITTEN, known, check_mounted(client, asked)), recordings
        ):
            if isinstance(result, FailedRecording):
                raise CollectError(str(result.error))
            sink.put(result.recording.name, result.body, result.facts)


def main() -> int:
    """Measure and print the result; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True, help="folder of the load generator and the lock")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    try:
        wait_for(f"http://{options.address}/healthz")
        window(options.address, options.out, options.shared, options.seconds)
    except CollectError as error:
        print(error, file=sys.stderr)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
