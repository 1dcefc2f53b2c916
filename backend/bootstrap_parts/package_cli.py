"""Build the command line as one file that needs no Python, and as a wheel for pipx; list the components of the product.

`freeze_cli` writes the file, in an environment with PyInstaller and the packages of the project.
"""

from __future__ import annotations

import argparse
import fcntl
import platform
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bootstrap_parts.bill_of_materials import find_site_packages, vendor_modules, write_bill_of_materials
from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.freeze_cli import MACHINES
from bootstrap_parts.install_steps import LOCKS, PACKAGE_LOCK, find_uv, set_up
from bootstrap_parts.licenses import LICENSE, write_notices
from bootstrap_parts.project_paths import BACKEND, CACHE, DECODE_BINARY, MADE, PACKAGES, ROOT, VENV_PYTHON, WORKER
from bootstrap_parts.setup_steps import SetupContext, SetupStep, hash_of, run_steps

NOTICES = PACKAGES / "slowpath.notices.txt"
BUILD_ENVIRONMENT = MADE / "package-environment"
DEPENDENCIES = ("certifi", "httpx", "numpy", "pydantic", "pyyaml", "zstandard")
"""Of the wheel; versions as in pyproject.toml."""

WHEEL_HOOK = """from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-manylinux_2_17_{machine}"
"""


def package(options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Build `.slowpath/packages/slowpath-linux-ARCH`, unless it is up to date, and the wheel.

    With `options.file_only`, only the file. Raises `StartupError` if one cannot be built.
    """
    file = packed_file()
    if file is None:
        raise StartupError(
            f"The single file is built on Linux (amd64 or arm64), not on {platform.system()} {platform.machine()}."
        )
    built = [file]
    with marked() as mark:
        set_up(console, mark, "start", ("python", "decode"))
        with _one_at_a_time(console):
            run_steps([freezing_step()], console, mark)
            if not options.file_only:
                with console.timed("wheel"):
                    built.append(_build_wheel(SetupContext(mark), MACHINES[platform.machine()]))
                bill = PACKAGES / "slowpath.cdx.json"
                console.line(f"{bill.relative_to(ROOT)}: {write_bill_of_materials(bill)} components")
    for one in built:
        console.line(f"{one.relative_to(ROOT)}: {one.stat().st_size / 1e6:.1f} MB")
    return 0


def packed_file() -> Path | None:
    """Return where the single file for this machine is built, or None where none can be built."""
    architecture = MACHINES.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        return None
    return PACKAGES / f"slowpath-linux-{architecture}"


def freezing_step() -> SetupStep:
    """Return the step that builds the single file. It is done if the file is of the present code and packages."""
    file = packed_file()
    return SetupStep("package", "command line frozen", _freeze, lambda: file is not None and file.exists(), _stamp)


def _stamp() -> str:
    """Hash what the file is made of. A change of the backend counts, because the commands import most of its packages."""
    code = hash_of(BACKEND / "slowpath", WORKER / "slowpath_cli", without=("__pycache__",))
    build = hash_of(*(BACKEND / "bootstrap_parts" / f"{name}.py" for name in ("freeze_cli", "package_cli", "licenses")))
    return hash_of(code, build, LOCKS["start"], DECODE_BINARY, ROOT / "pyproject.toml", PACKAGE_LOCK)


@contextmanager
def _one_at_a_time(console: ConsoleOutput) -> Iterator[None]:
    """Wait until no other process builds the file: two would use the same folders."""
    with (MADE / "package.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            console.line("  waiting for another build of the command line")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _freeze(context: SetupContext) -> str:
    temporary = CACHE / "package" / "temporary"
    shutil.rmtree(temporary, ignore_errors=True)  # of a build that was interrupted
    temporary.mkdir(parents=True)
    PACKAGES.mkdir(parents=True, exist_ok=True)
    write_notices(NOTICES, find_site_packages(), vendor_modules(CACHE / "package" / "vendor"))
    python = _prepare_environment(context)
    freeze: list[str | Path] = ["-m", "bootstrap_parts.freeze_cli", "--decode", DECODE_BINARY, "--notices", NOTICES]
    freeze += ["--out", PACKAGES]
    context.run([python, *freeze], log="package", environment={"TMPDIR": str(temporary)})
    shutil.rmtree(temporary)
    return ""


def _prepare_environment(context: SetupContext) -> Path:
    """Return a Python with PyInstaller that also imports the packages and the code of the project."""
    uv = _require_uv()
    python, installed = BUILD_ENVIRONMENT / "bin" / "python", BUILD_ENVIRONMENT / "installed"
    packages = hash_of(PACKAGE_LOCK)
    if not installed.exists() or installed.read_text() != packages:
        context.run([uv, "venv", "--clear", "--python", VENV_PYTHON.resolve(), BUILD_ENVIRONMENT], log="package")
        install: list[str | Path] = [uv, "pip", "install", "--python", python, "--require-hashes"]
        install += ["--requirements", PACKAGE_LOCK]
        context.run(install, log="package")
        installed.write_text(packages)
    site_packages = find_site_packages()
    for own in BUILD_ENVIRONMENT.glob("lib/python*/site-packages"):
        (own / "slowpath.pth").write_text(f"{site_packages}\n{BACKEND}\n{WORKER}\n")
    return python


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
    shutil.copy2(LICENSE, staging)
    shutil.copy2(NOTICES, staging)
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
license = "{project["license"]}"
license-files = ["{LICENSE.name}", "{NOTICES.name}"]
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
