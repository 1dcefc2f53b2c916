"""The measure script of `slowpath bisect` on the example's histories: builds, starts, loads, profiles, and prints a number."""

import os
import socket
import sys
from pathlib import Path

from example.bisects.deploying import UNBUILDABLE, built
from example.bisects.measuring import share, window
from example.capturing import running, wait_for


def main() -> int:
    """Answer for one build; returns the exit code."""
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


if __name__ == "__main__":
    sys.exit(main())
