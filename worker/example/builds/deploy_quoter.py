"""`python -m example.builds.deploy_quoter --dir TREE --out FOLDER --listen ADDRESS`: build the quoter of a work tree, and run it.

Exit code 125 if it does not build, 1 if Go is missing.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

UNBUILDABLE, FAILED = 125, 1


def main() -> int:
    """Build the service and replace this process by it; return the exit code if that fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--listen", required=True)
    options = parser.parse_args()
    go = shutil.which("go")
    if go is None:
        print("Go is not installed on this machine. Start Slowpath again: it installs Go.", file=sys.stderr)
        return FAILED
    program = options.out / "quoter"
    pgo = [word for word in os.environ.get("GOFLAGS", "").split() if word.startswith("-pgo=")]  # of a variant
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": " ".join(pgo)}
    command = [go, "build", "-trimpath", "-buildvcs=false", "-o", str(program), "."]
    if subprocess.run(command, cwd=options.dir, env=environment, check=False).returncode == 0:
        os.execve(program, [str(program), "-listen", options.listen], {"GOMAXPROCS": "2", **os.environ})  # noqa: S606 - just built
    return UNBUILDABLE


if __name__ == "__main__":
    sys.exit(main())
