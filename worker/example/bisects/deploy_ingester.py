"""`python -m example.bisects.deploy_ingester --dir TREE --out FOLDER --listen ADDRESS`: builds the ingester of a work tree, and becomes it.

Exit code 125 where it does not build. Versions come from the proxy that the histories were written with (GOPROXY).
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from example.bisects.split_repositories import SERVICE

UNBUILDABLE = 125


def built(out: Path, tree: Path) -> Path | None:
    """Build the service of a work tree; None where that fails."""
    program = out / "ingester"
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(program), f"./{SERVICE}"]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOSUMDB": "off"}
    environment["GOFLAGS"] = f"{os.environ.get('GOFLAGS', '')} -modcacherw".strip()
    done = subprocess.run(command, cwd=tree, env=environment, check=False)
    return program if done.returncode == 0 else None


def main() -> int:
    """Build, and become the service; returns the exit code where there is nothing to become."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--listen", required=True)
    options = parser.parse_args()
    program = built(options.out, options.dir)
    if program is not None:
        os.execve(program, [str(program), "-listen", options.listen], {**os.environ, "GOMAXPROCS": "2"})  # noqa: S606 - just built
    return UNBUILDABLE


if __name__ == "__main__":
    sys.exit(main())
