"""The measure script of `slowpath bisect` for the example's histories: builds, runs, loads, profiles, and prints a number."""

import os
import socket
import sys
import tempfile
from pathlib import Path

from example.bisects.deploy_ingester import UNBUILDABLE, built
from example.bisects.measure_ingester import window
from example.capture_processes import running, wait_for
from slowpath.analysis.kinds.profiles.sets.profile_measurements import measure_profiles
from slowpath_cli.core.input_files import DECODE_BINARY, read_side

CATEGORY = "stack-growth"


def main() -> int:
    """Measure one build; return the exit code."""
    out, shared = Path(os.environ["SLOWPATH_OUT"]), Path(os.environ["SLOWPATH_EXAMPLE_SHARED"])
    program = built(out, Path(os.environ["SLOWPATH_DIR"]))
    if program is None:
        return UNBUILDABLE
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with running([str(program), "-listen", address], {"GOMAXPROCS": "2"}, 0):
        wait_for(f"http://{address}/healthz")
        window(address, out / "evidence", shared)
    program.unlink()
    print(share(out / "evidence"))
    return 0


def share(out: Path) -> float:
    """Return the share of stack growth in the CPU, in percent, from the profiles of a folder."""
    with tempfile.TemporaryDirectory() as folder:
        side = read_side([str(out)], None, Path(folder), DECODE_BINARY).side
        measure = measure_profiles(side.profiles, 100)[0]
    values = measure.bases["share"]
    return float(values.value[measure.subjects.index(CATEGORY)]) if CATEGORY in measure.subjects else 0.0


if __name__ == "__main__":
    sys.exit(main())
