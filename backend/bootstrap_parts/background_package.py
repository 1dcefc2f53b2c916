"""Build the command line as one file beside a running Slowpath, so that its server offers the file of its own code.

The build is a process of the lowest priority that starts once everything serves. Until it ends, the server has no file, and
lines that pages copy use the checkout. An interrupted build leaves no file; the next start begins again.
"""

from __future__ import annotations

import os
import shutil
import sys
import time

from bootstrap_parts.child_processes import clean_environment, last_line, spawn, stop
from bootstrap_parts.package_cli import freezing_step, packed_file
from bootstrap_parts.project_paths import BACKEND, ROOT
from bootstrap_parts.stack import PACKAGES_VARIABLE, Stack

_LABEL = "command line as one file"


def build_single_file(stack: Stack, address: str) -> None:
    """Build the file, unless it is up to date, while the services are supervised; return when that has ended.

    A folder of files that the user named is left alone. A failure is reported in one line and stops nothing.
    """
    file = packed_file()
    if file is None or os.environ.get(PACKAGES_VARIABLE) is not None or freezing_step().is_done():
        return
    file.unlink(missing_ok=True)  # it is of other code
    stack.console.line(f"  {_LABEL}: being built in the background; until then, lines on pages use this checkout")
    log, started_at = stack.logs / "package.log", time.monotonic()
    nice = shutil.which("nice")
    child = spawn(
        "package",
        [*([nice, "-n", "19"] if nice else []), sys.executable, str(BACKEND / "bootstrap.py"), "package", "--file-only"],
        mark=stack.mark,
        environment=clean_environment(),
        log=log,
        folder=ROOT,
    )
    try:
        stack.supervisor.watch(until=lambda: child.ended)
    finally:
        stop([child])
    if child.process.returncode == 0 and file.exists():
        platform = file.name.removeprefix("slowpath-")
        stack.console.step(_LABEL, time.monotonic() - started_at, f"{address}/cli/{platform}")
        return
    stack.console.line(
        f"  could not build the {_LABEL} ({last_line(log) or 'no reason given'}); "
        f"lines on pages use this checkout, and the next start retries. Log: {log}"
    )
