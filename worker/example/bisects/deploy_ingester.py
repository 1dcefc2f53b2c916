"""`python -m example.bisects.deploy_ingester --dir TREE --out FOLDER --listen ADDRESS`: build the ingester of a work tree, and run it.

Exit code 125 if it does not build. Module versions come from the proxy of the generated histories (GOPROXY).
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from example.bisects.split_repositories import SERVICE

UNBUILDABLE = 125


def built(out: Path, tree: Path) -> Path | None:
    """Build the service of a work tree; None if it fails."""
    program = out / "ingester"
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(program), f"./{SERVICE}"]
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOSUMDB": "off"}
    environment["GOFLAGS"] = f"{os.environ.get('GOFLAGS', '')} -modcacherw".strip()
    done = subprocess.run(command, cwd=tree, env=environment, check=False)
    return program if done.returncode == 0 else None


def main() -> int:
    """Build the service and replace this process by it; return the exit code if that fails."""
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
