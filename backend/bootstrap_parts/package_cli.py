"""Build the command line as one file that needs no Python, and as a wheel for pipx; list the components of the product.

`freeze_cli` writes the file, in an environment with PyInstaller and the packages of the project.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import tomllib
from pathlib import Path
from typing import Any

from bootstrap_parts.bill_of_materials import find_site_packages, vendor_modules, write_bill_of_materials
from bootstrap_parts.child_processes import marked
from bootstrap_parts.console import ConsoleOutput, StartupError
from bootstrap_parts.freeze_cli import MACHINES
from bootstrap_parts.install_steps import find_uv, set_up
from bootstrap_parts.licenses import LICENSE, write_notices
from bootstrap_parts.project_paths import BACKEND, CACHE, DECODE_BINARY, MADE, PACKAGES, ROOT, VENV_PYTHON, WORKER
from bootstrap_parts.setup_steps import SetupContext

PYINSTALLER_PACKAGE = "pyinstaller==6.22.3"
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


def package(_options: argparse.Namespace, console: ConsoleOutput) -> int:
    """Build `.slowpath/packages/slowpath-linux-ARCH` and the wheel. Raises `StartupError` if one cannot be built."""
    architecture = MACHINES.get(platform.machine())
    if platform.system() != "Linux" or architecture is None:
        raise StartupError(
            f"The single file is built on Linux (amd64 or arm64), not on {platform.system()} {platform.machine()}."
        )
    with marked() as mark:
        set_up(console, mark, "start", ("python", "decode"))
        context = SetupContext(mark)
        write_notices(NOTICES, find_site_packages(), vendor_modules(CACHE / "package" / "vendor"))
        with console.timed("command line frozen"):
            _freeze(context)
        with console.timed("wheel"):
            wheel = _build_wheel(context, architecture)
    bill = PACKAGES / "slowpath.cdx.json"
    console.line(f"{bill.relative_to(ROOT)}: {write_bill_of_materials(bill)} components")
    for built in (PACKAGES / f"slowpath-linux-{architecture}", wheel):
        console.line(f"{built.relative_to(ROOT)}: {built.stat().st_size / 1e6:.1f} MB")
    return 0


def _freeze(context: SetupContext) -> None:
    uv = _require_uv()
    python = BUILD_ENVIRONMENT / "bin" / "python"
    if not python.exists():
        context.run([uv, "venv", "--clear", "--python", VENV_PYTHON.resolve(), BUILD_ENVIRONMENT], log="package")
    context.run([uv, "pip", "install", "--python", python, PYINSTALLER_PACKAGE], log="package")
    packages = find_site_packages()
    for own in BUILD_ENVIRONMENT.glob("lib/python*/site-packages"):
        (own / "slowpath.pth").write_text(f"{packages}\n{BACKEND}\n{WORKER}\n")
    freeze: list[str | Path] = ["-m", "bootstrap_parts.freeze_cli", "--decode", DECODE_BINARY, "--notices", NOTICES]
    freeze += ["--out", PACKAGES]
    context.run([python, *freeze], log="package")


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
