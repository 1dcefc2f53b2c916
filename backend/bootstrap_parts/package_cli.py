"""Build the command line as one file that needs no Python, and as a wheel for pipx.

PyInstaller freezes the commands that need no server into a folder with its Python. A file of a shell script and that folder,
packed, unpacks itself once into the user's cache: it starts as fast as the folder, unlike PyInstaller's own single file, which
unpacks at every start.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import platform
import shutil
import tarfile
import tomllib
from pathlib import Path
from typing import Any

from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.install_steps import find_uv, set_up
from bootstrap_parts.project_paths import BACKEND, CACHE, DECODE_BINARY, MADE, PACKAGES, ROOT, VENV, VENV_PYTHON, WORKER
from bootstrap_parts.setup_steps import SetupContext

PYINSTALLER_PACKAGE = "pyinstaller==6.22.3"
BUILD_ENVIRONMENT = MADE / "package-environment"
COMMANDS = ("bisect", "collect", "compare", "experiment", "runner", "upload")
OMITTED = (
    "scipy", "sqlalchemy", "celery", "redis", "fastapi", "starlette", "uvicorn", "uvloop", "cryptography", "_cffi_backend",
    "slowpath_cli.commands.admin", "slowpath_cli.commands.mcp", "hypothesis", "mypy", "mypyc", "ast_serialize", "librt", "pytest",
    "_pytest", "rich", "pygments", "click", "numpy.f2py", "numpy.testing", "zstandard._cffi", "zstandard.backend_cffi",
    "pydantic.mypy", "email_validator", "attr", "httpx2", "httpcore2", "setuptools", "PIL", "tkinter", "readline",
)  # fmt: skip
"""What none of the commands imports, or only offers more of: PyInstaller follows every import it finds."""
DEPENDENCIES = ("certifi", "httpx", "numpy", "pydantic", "pyyaml", "zstandard")
"""Of the wheel; versions as in pyproject.toml."""
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
exec "$home/slowpath" "$@"
"""


WHEEL_HOOK = """from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-manylinux_2_17_{machine}"
"""


def package(_options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Build `.slowpath/packages/slowpath-linux-ARCH` and the wheel. Raises `StartupError` if the file is too large."""
    architecture = MACHINES.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        raise StartupError(
            f"The single file is built on Linux (amd64 or arm64), not on {platform.system()} {platform.machine()}."
        )
    with marked() as mark:
        set_up(console, mark, "start", ("python", "decode"))
        context = SetupContext(mark)
        PACKAGES.mkdir(parents=True, exist_ok=True)
        with console.timed("command line frozen"):
            folder = _freeze(context)
        file = PACKAGES / f"slowpath-linux-{architecture}"
        size = write_single_file(folder, file)
        with console.timed("wheel"):
            wheel = _build_wheel(context, architecture)
    console.line(f"{file.relative_to(ROOT)}: {size / 1e6:.1f} MB")
    console.line(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    if size > MAX_BYTES:
        raise StartupError(f"The single file has {size:,} bytes; at most {MAX_BYTES:,} are allowed. Omit a package.")
    return 0


def write_single_file(folder: Path, file: Path) -> int:
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
    stub = STUB.format(version=_project()["version"], digest=digest, lines=STUB.count("\n") + 1)
    new = file.with_name(f"{file.name}.new")
    new.write_bytes(stub.encode() + packed.getvalue())
    new.chmod(0o755)
    new.replace(file)
    return file.stat().st_size


def _freeze(context: SetupContext) -> Path:
    uv = _require_uv()
    python = BUILD_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        context.run([uv, "venv", "--clear", "--python", VENV_PYTHON.resolve(), BUILD_ENVIRONMENT], log="package")
    context.run([uv, "pip", "install", "--python", python, PYINSTALLER_PACKAGE], log="package")
    packages = next(VENV.glob("lib/python*/site-packages"))
    for own in BUILD_ENVIRONMENT.glob("lib/python*/site-packages"):
        (own / "slowpath.pth").write_text(f"{packages}\n{BACKEND}\n{WORKER}\n")
    work = CACHE / "package"
    shutil.rmtree(work, ignore_errors=True)
    command: list[str | Path] = [
        python,
        "-m",
        "PyInstaller",
        "--noconfirm",
        "--onedir",
        "--name",
        "slowpath",
        "--log-level",
        "ERROR",
    ]
    command += ["--distpath", work / "dist", "--workpath", work / "build", "--specpath", work]
    command += [word for name in COMMANDS for word in ("--hidden-import", f"slowpath_cli.commands.{name}")]
    command += ["--hidden-import", "slowpath_cli.runner.core.command_supervisor"]
    command += [
        "--collect-submodules",
        "slowpath_cli.runner.drivers",
        "--collect-data",
        "slowpath_cli",
        "--collect-data",
        "slowpath",
    ]
    command += [word for name in OMITTED for word in ("--exclude-module", name)]
    command += ["--add-binary", f"{DECODE_BINARY}:slowpath_cli/bin", WORKER / "slowpath_cli" / "main.py"]
    context.run(command, log="package")
    return work / "dist" / "slowpath"


def _build_wheel(context: SetupContext, architecture: str) -> Path:
    """Build a wheel of the commands with the decode helper inside; it installs with pipx."""
    staging = CACHE / "package" / "wheel"
    shutil.rmtree(staging, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(BACKEND / "slowpath", staging / "slowpath", ignore=ignored)
    shutil.copytree(WORKER / "slowpath_cli", staging / "slowpath_cli", ignore=ignored)
    for name in ("admin", "mcp"):
        (staging / "slowpath_cli" / "commands" / f"{name}.py").unlink()
    (staging / "slowpath_cli" / "bin").mkdir()
    shutil.copy2(DECODE_BINARY, staging / "slowpath_cli" / "bin")
    machine = next(name for name, known in MACHINES.items() if known == architecture)
    (staging / "pyproject.toml").write_text(_wheel_project())
    (staging / "hatch_build.py").write_text(WHEEL_HOOK.format(machine=machine))
    context.run([_require_uv(), "build", "--wheel", "--out-dir", staging / "dist", staging], log="package")
    built = next((staging / "dist").glob("*.whl"))
    return Path(shutil.copy2(built, PACKAGES))


def _wheel_project() -> str:
    project = _project()
    required = [one for one in project["dependencies"] if one.partition(">")[0].partition("[")[0] in DEPENDENCIES]
    listed = ", ".join(f'"{one}"' for one in required)
    return f"""[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "slowpath-cli"
version = "{project["version"]}"
description = "The command line of Slowpath: compare, collect, upload, bisect, runner."
requires-python = "{project["requires-python"]}"
dependencies = [{listed}]

[project.scripts]
slowpath = "slowpath_cli.main:main"

[tool.hatch.build.targets.wheel]
packages = ["slowpath", "slowpath_cli"]
artifacts = ["slowpath_cli/bin/*"]

[tool.hatch.build.targets.wheel.hooks.custom]
"""


def _project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project


def _require_uv() -> Path:
    found = find_uv()
    if found is None:
        raise StartupError("uv is missing after the set-up. Delete .slowpath/tools and start again.")
    return found
