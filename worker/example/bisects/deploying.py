"""`python -m example.bisects.deploying --listen ADDRESS`: builds the ingester of the work tree that SLOWPATH_DIR names, and becomes it.

Exit code 125 where it does not build. Versions come from the proxy that the histories were written with (GOPROXY).
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from example.bisects.sources import SERVICE

UNBUILDABLE = 125


def built(out: Path) -> Path | None:
    """Build the service; None where that fails."""
    program = out / "ingester"
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(program), f"./{SERVICE}"]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOSUMDB": "off"}
    environment["GOFLAGS"] = f"{os.environ.get('GOFLAGS', '')} -modcacherw".strip()
    done = subprocess.run(command, cwd=os.environ["SLOWPATH_DIR"], env=environment, check=False)
    return program if done.returncode == 0 else None


def main() -> int:
    """Build, and become the service; returns the exit code where there is nothing to become."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen", required=True)
    options = parser.parse_args()
    program = built(Path(os.environ["SLOWPATH_OUT"]))
    if program is not None:
        os.execve(program, [str(program), "-listen", options.listen], {"GOMAXPROCS": "2"})  # noqa: S606 - just built
    return UNBUILDABLE


if __name__ == "__main__":
    sys.exit(main())
