"""`python -m example.builds.measure_quoter --address HOST:PORT --out FOLDER`: generate load on a quoter and profile it."""

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
SECONDS = 3.0
"""As the captures of the example's builds."""
SHOPPER = LoadGenerator(
    Path(__file__).resolve().parent / "quoter",
    "shopper",
    "/quote",
    3_000,
    RequestCounter(re.compile(r'^quoter_requests_total\{outcome="quoted"\}$')),
)


def main() -> int:
    """Measure, and write the profile; return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--address", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shared", type=Path, required=True, help="folder of the load generator and the lock")
    options = parser.parse_args()
    try:
        wait_for(f"http://{options.address}/healthz")
        measure_window(SHOPPER, options.address, options.out, options.shared, SECONDS)
    except CollectError as error:
        print(error, file=sys.stderr)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
