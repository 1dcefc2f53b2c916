"""`python -m example.bisects.measure_ingester --address HOST:PORT --out FOLDER`: generate load on an ingester and profile it."""

import argparse
import re
import sys
from pathlib import Path

from example.capture_processes import wait_for
from example.measured_load import LoadGenerator, measure_window
from slowpath_cli.collect.request_counters import RequestCounter
from slowpath_cli.core.collect_errors import CollectError

FAILED = 70
"""Exit code without a measurement: neither good nor bad."""
SECONDS = 4.0
FEEDER = LoadGenerator(
    Path(__file__).resolve().parents[1] / "ingester",
    "feeder",
    "/write",
    50_000,
    RequestCounter(re.compile(r'^ingester_write_requests_total\{outcome="written"\}$')),
)


def window(address: str, out: Path, shared: Path, seconds: float = SECONDS) -> None:
    """Generate load on an ingester and profile it into `out`. Raises `CollectError`."""
    measure_window(FEEDER, address, out, shared, seconds)


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
