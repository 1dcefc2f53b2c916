"""A long proof: kills web, worker, relay, Valkey (its data wiped) and PostgreSQL at random moments, for a while.

Run beside a stack (`bootstrap.py stack --`). After each death all of it must answer again within 30 seconds.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

RECOVERY_SECONDS = 30.0
LIVED_SECONDS = 6.0
"""Earlier failures of a process that ran this long do not count; one that fails again at once is abandoned by design."""


def main() -> int:
    """Kill until the time is over; returns the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    deadline, passed, failed, slowest = time.monotonic() + options.seconds, 0, 0, 0.0
    while time.monotonic() < deadline and not failed:
        name = rng.choice(("web", "worker", "relay", "Valkey", "PostgreSQL"))
        seconds = _kill(name)
        slowest = max(slowest, seconds)
        passed, failed = passed + (seconds < RECOVERY_SECONDS), failed + (seconds >= RECOVERY_SECONDS)
        print(f"{name}: back after {seconds:.1f} s", flush=True)
        time.sleep(LIVED_SECONDS + rng.random())
    print(f"slowest recovery: {slowest:.1f} s, seed {options.seed}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


def _kill(name: str) -> float:
    """Kill one; returns the seconds until another runs in its place and the server reports readiness."""
    before = _processes()[name]
    if name == "Valkey":
        shutil.rmtree(Path(os.environ["SLOWPATH_DATA_DIR"]) / "valkey")
    os.kill(before, signal.SIGKILL)
    begun = time.monotonic()
    while time.monotonic() - begun < RECOVERY_SECONDS:
        time.sleep(0.05)
        if _processes().get(name, before) != before and _is_ready():
            break
    return time.monotonic() - begun


def _processes() -> dict[str, int]:
    found: dict[str, int] = json.loads(Path(os.environ["SLOWPATH_STATE_FILE"]).read_text())
    return found


def _is_ready() -> bool:
    try:
        with urllib.request.urlopen(f"{os.environ['SLOWPATH_URL']}/readyz", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(main())
