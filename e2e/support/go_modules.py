"""Files of Go modules for tests, from the module cache."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bootstrap_parts.install_steps import find_go, go_environment


def unpacked_module(path: str, version: str) -> Path | None:
    """Return the folder of a module, downloaded once; None without Go or a network."""
    go = find_go()
    if go is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [str(go), "mod", "download", "-json", f"{path}@{version}"],
            cwd=folder,
            env={**os.environ, **go_environment(), "GO111MODULE": "on"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    return Path(json.loads(done.stdout)["Dir"]) if done.returncode == 0 else None
