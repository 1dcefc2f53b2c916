"""Freeze the command line into one file: `python -m bootstrap_parts.freeze_cli --decode HELPER --out FOLDER`.

It runs in a Python that has PyInstaller and the packages of the project, with `backend` and `worker` on its path: that of
`package_cli`, or a stage of `backend/Dockerfile`. PyInstaller freezes the commands that need no server into a folder with its
Python. A file of a shell script and that folder, packed, unpacks itself once into the user's cache: it starts as fast as the
folder, unlike PyInstaller's own single file, which unpacks at every start.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from bootstrap_parts.licenses import LICENSE
from bootstrap_parts.project_paths import ROOT, WORKER

COMMANDS = (
    "bisect", "collect", "compare", "compare_commits", "compile_report", "experiment", "pgo", "runner", "upload",
)  # fmt: skip
OMITTED = (
    "scipy", "sqlalchemy", "celery", "redis", "fastapi", "starlette", "uvicorn", "uvloop", "cryptography", "_cffi_backend",
    "slowpath_cli.commands.admin", "slowpath_cli.commands.mcp", "hypothesis", "mypy", "mypyc", "ast_serialize", "librt", "pytest",
    "_pytest", "rich", "pygments", "click", "numpy.f2py", "numpy.testing", "zstandard._cffi", "zstandard.backend_cffi",
    "pydantic.mypy", "email_validator", "attr", "httpx2", "httpcore2", "setuptools", "PIL", "tkinter", "readline",
)  # fmt: skip
"""What none of the commands imports, or only offers more of: PyInstaller follows every import it finds."""
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
MAX_BYTES = 60_000_000
STUB = """#!/bin/sh
# slowpath {version}: unpacks itself once into a cache folder, and runs from there.
set -eu
base="${{XDG_CACHE_HOME:-${{HOME:-/nonexistent}}/.cache}}/slowpath/cli"
if ! (umask 077; mkdir -p "$base") 2>/dev/null || ! [ -w "$base" ]; then
  base="${{TMPDIR:-/tmp}}/slowpath-cli-$(id -u)"
  (umask 077; mkdir -p "$base")
  if [ -L "$base" ] || ! [ -O "$base" ]; then
    echo "slowpath: $base belongs to another user. Set XDG_CACHE_HOME to a folder of yours." >&2
    exit 70
  fi
fi
home="$base/{digest}"
if ! [ -x "$home/slowpath" ]; then
  new="$base/.new-$$"
  rm -rf "$new"
  (umask 077; mkdir "$new")
  trap 'rm -rf "$new"' EXIT
  tail -n +{lines} "$0" | tar -xzf - -C "$new"
  [ -e "$home" ] || mv "$new" "$home"
  trap - EXIT
  rm -rf "$new"
  find "$base" -mindepth 1 -maxdepth 1 ! -name "{digest}" -mtime +30 -exec rm -rf {{}} +
fi
export SLOWPATH_PROGRAM="$0"
exec "$home/slowpath" "$@"
"""


def freezing(work: Path, source: Path, decode: Path) -> list[str | Path]:
    """Return the arguments of Python that freeze the commands of `source` into `work`/dist/slowpath."""
    arguments: list[str | Path] = ["-m", "PyInstaller", "--noconfirm", "--onedir", "--name", "slowpath"]
    arguments += ["--log-level", "ERROR"]
    arguments += ["--distpath", work / "dist", "--workpath", work / "build", "--specpath", work]
    modules = [f"slowpath_cli.commands.{name}{part}" for name in COMMANDS for part in ("", "_arguments")]
    arguments += [word for module in modules for word in ("--hidden-import", module)]
    arguments += ["--hidden-import", "slowpath_cli.runner.core.command_supervisor"]
    arguments += ["--collect-submodules", "slowpath_cli.runner.drivers"]
    arguments += ["--collect-data", "slowpath_cli", "--collect-data", "slowpath"]
    arguments += [word for name in OMITTED for word in ("--exclude-module", name)]
    return [*arguments, "--add-binary", f"{decode}:slowpath_cli/bin", source / "slowpath_cli" / "main.py"]


def write_single_file(folder: Path, file: Path, version: str) -> int:
    """Write a shell script followed by the packed folder; return its size. The same folder gives the same file."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=9) as archive:
        for path in sorted(folder.rglob("*")):
            entry = archive.gettarinfo(str(path), path.relative_to(folder).as_posix())
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = ""
            if entry.isreg():
                with path.open("rb") as content:
                    archive.addfile(entry, content)
            else:
                archive.addfile(entry)
    digest = hashlib.sha256(packed.getbuffer()[10:]).hexdigest()[:16]  # the head of gzip has the time
    stub = STUB.format(version=version, digest=digest, lines=STUB.count("\n") + 1)
    new = file.with_name(f"{file.name}.new")
    new.write_bytes(stub.encode() + packed.getvalue())
    new.chmod(0o755)
    new.replace(file)
    return file.stat().st_size


def main() -> int:
    """Write `slowpath-linux-ARCH` for the architecture of this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decode", type=Path, required=True, help="the decode helper")
    parser.add_argument("--notices", type=Path, required=True, help="the licenses of the packages inside")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the file")
    options = parser.parse_args()
    version = str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
    work = Path(tempfile.mkdtemp())
    try:
        subprocess.run([sys.executable, *freezing(work, WORKER, options.decode)], check=True)
        shutil.copy2(options.notices, work / "dist" / "slowpath" / "NOTICES.txt")
        shutil.copy2(LICENSE, work / "dist" / "slowpath" / LICENSE.name)
        options.out.mkdir(parents=True, exist_ok=True)
        file = options.out / f"slowpath-linux-{MACHINES[platform.machine()]}"
        size = write_single_file(work / "dist" / "slowpath", file, version)
    finally:
        shutil.rmtree(work)
    if size > MAX_BYTES:
        print(
            f"The single file has {size:,} bytes; at most {MAX_BYTES:,} are allowed. Omit a package.", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
