"""False changes of latency on newly generated days: `--seconds N --seed S`, exit code 1 if they are too many.

As many service-days are drawn as fit the time (some 20 a second). Each run has new seeds, so the proof fails only if the rate is
above one in 1,000 at a level that one of 1,000 runs at that rate exceeds by chance. Its last line counts days.
"""

import argparse
import sys
import time
from typing import Final

from bench.change_detection_accuracy import false_changes, poisson_interval

GOAL: Final = 1.0
"""False changes in 1,000 service-days."""
FAILS_AT: Final = 0.998
"""Two-sided level of the interval whose lower end must not be above the goal."""
DAYS_A_SEED: Final = 1_000_000


def main() -> int:
    """Draw days until the time is over; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    deadline, days, false = time.monotonic() + options.seconds, 0, 0
    while not days or time.monotonic() < deadline:
        number = options.seed * DAYS_A_SEED + days
        for change in false_changes(number):
            false += 1
            print(f"day {number}: {change.signal} by {change.ratio:.2f} at {change.at_ms}", flush=True)
        days += 1
    low, high = (1000 * bound / days for bound in poisson_interval(false))
    print(f"{false} false changes in {days} service-days: {low:.2g} to {high:.2g} in 1,000", flush=True)
    failed = 1000 * poisson_interval(false, FAILS_AT)[0] / days > GOAL
    print(f"{days - failed * false} passed, {failed * false} failed")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
