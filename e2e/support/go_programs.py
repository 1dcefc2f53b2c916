"""Programs of Go modules for tests and proofs, built once into .slowpath/tools."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bootstrap_parts.install_steps import find_go, go_environment
from support.debian_packages import TOOLS


def built_program(source: Path, *options: str, seconds: float = 240.0) -> Path | None:
    """Return the program of a folder with a main package, named as the folder; None without Go or its modules."""
    program, go = TOOLS / source.name, find_go()
    if program.exists():
        return program
    if go is None:
        return None
    TOOLS.mkdir(parents=True, exist_ok=True)
    command: Sequence[str] = [str(go), "build", "-trimpath", *options, "-o", str(program), "."]
    environment = {**os.environ, **go_environment(), "CGO_ENABLED": "0"}
    built = subprocess.run(command, cwd=source, env=environment, capture_output=True, timeout=seconds, check=False)
    return program if built.returncode == 0 else None
