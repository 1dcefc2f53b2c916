"""Programs of Debian packages, unpacked without root, that tests run as references."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".slowpath" / "tools"


def debian_program(package: str, version: str) -> Path | None:
    """Return /usr/bin/PACKAGE of a version, downloaded once by apt; None if it is not available.

    SLOWPATH_PACKAGE, such as SLOWPATH_PROMETHEUS, names another program.
    """
    configured = os.environ.get(f"SLOWPATH_{package.replace('-', '_').upper()}")
    if configured:
        return Path(configured)
    cache = TOOLS / package
    program = cache / "usr" / "bin" / package
    if program.exists():
        return program
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        fetched = subprocess.run(
            ["apt-get", "download", package], cwd=folder, capture_output=True, timeout=120, check=False
        )
        packages = sorted(Path(folder).glob(f"{package}_*.deb"))
        if fetched.returncode or not packages or f"_{version}." not in packages[0].name:
            return None
        unpacked = Path(folder) / "unpacked"
        subprocess.run(["dpkg", "-x", str(packages[0]), str(unpacked)], check=True)
        cache.parent.mkdir(parents=True, exist_ok=True)
        if not program.exists():
            shutil.copytree(unpacked, cache, symlinks=True, dirs_exist_ok=True)
    return program
