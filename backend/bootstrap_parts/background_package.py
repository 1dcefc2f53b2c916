"""Build the command line as one file beside a running Slowpath, so that its server offers the file of its own code.

The build is a process of the lowest priority that starts once everything serves. Until it ends, the server has no file, and
lines that pages copy use the checkout. An interrupted build leaves no file; the next start begins again.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap_parts.child_processes import clean_environment, last_line, spawn, stop
from bootstrap_parts.package_cli import freezing_step, packed_file
from bootstrap_parts.project_paths import BACKEND, ROOT
from bootstrap_parts.stack import PACKAGES_VARIABLE, Stack

_LABEL = "command line as one file"
_PACKAGE = (sys.executable, str(BACKEND / "bootstrap.py"), "package", "--file-only")


@dataclass(frozen=True)
class FileBuild:
    """A file, whether it is up to date, and the command that builds it."""

    file: Path
    is_done: Callable[[], bool]
    command: Sequence[str]


def needed_build() -> FileBuild | None:
    """Return the build of the single file; None on a machine without one, and if the user named a folder of files."""
    file = packed_file()
    if file is None or os.environ.get(PACKAGES_VARIABLE) is not None:
        return None
    return FileBuild(file, freezing_step().is_done, _PACKAGE)


def build_single_file(stack: Stack, address: str, build: FileBuild | None) -> None:
    """Run a build, unless its file is up to date, while the services are supervised; return when it has ended.

    A failure is reported in one line and stops nothing.
    """
    if build is None or build.is_done():
        return
    build.file.unlink(missing_ok=True)  # it is of other code
    stack.console.line(f"  {_LABEL}: being built in the background; until then, lines on pages use this checkout")
    log, started_at = stack.logs / "package.log", time.monotonic()
    nice = shutil.which("nice")
    child = spawn(
        "package",
        [*([nice, "-n", "19"] if nice else []), *build.command],
        mark=stack.mark,
        environment=clean_environment(),
        log=log,
        folder=ROOT,
    )
    try:
        stack.supervisor.watch(until=lambda: child.ended)
    finally:
        stop([child])
    if child.process.returncode == 0 and build.file.exists():
        platform = build.file.name.removeprefix("slowpath-")
        stack.console.step(_LABEL, time.monotonic() - started_at, f"{address}/cli/{platform}")
        return
    stack.console.line(
        f"  could not build the {_LABEL} ({last_line(log) or 'no reason given'}); "
        f"lines on pages use this checkout, and the next start retries. Log: {log}"
    )
