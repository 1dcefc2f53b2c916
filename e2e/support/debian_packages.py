"""Programs of Debian packages for tests and proofs: downloaded by apt, unpacked into .slowpath/tools without root."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / ".slowpath" / "tools"


def debian_program(package: str, version: str) -> Path | None:
    """Return /usr/bin/PACKAGE of a version, None if it is not available.

    SLOWPATH_PACKAGE, such as SLOWPATH_PROMETHEUS, names another program.
    """
    configured = os.environ.get(f"SLOWPATH_{package.replace('-', '_').upper()}")
    return Path(configured) if configured else unpacked_packages([package], f"usr/bin/{package}", version)


def unpacked_packages(names: Sequence[str], program: str, version: str = "") -> Path | None:
    """Return a program of the first package, downloaded once with the libraries of the others; None without apt or a network.

    With `version` also None if the first package has another one.
    """
    cache = TOOLS / names[0]
    if (cache / program).exists():
        return cache / program
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        command = ["apt-get", "download", *names]
        fetched = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        packages = sorted(Path(folder).glob("*.deb"))
        if fetched.returncode or len(packages) != len(names):
            return None
        if version and not list(Path(folder).glob(f"{names[0]}_{version}.*.deb")):
            return None
        unpacked = Path(folder) / "unpacked"
        for package in packages:
            subprocess.run(["dpkg", "-x", str(package), str(unpacked)], check=True)
        TOOLS.mkdir(parents=True, exist_ok=True)
        if not (cache / program).exists():
            shutil.copytree(unpacked, cache, symlinks=True, dirs_exist_ok=True)
    return cache / program


def library_path(program: Path) -> str:
    """Return the folders of the libraries that were unpacked with a program, for LD_LIBRARY_PATH."""
    cache = TOOLS / program.relative_to(TOOLS).parts[0]
    return ":".join(sorted({str(library.parent) for library in cache.rglob("lib*.so*")}))
