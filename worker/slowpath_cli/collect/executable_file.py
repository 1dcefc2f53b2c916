"""Read the executable of a recorded process: the frames and inlined calls of its functions explain a regression."""

from pathlib import Path

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.local_process import PROC
from slowpath_cli.collect.pgo_profile import add_pgo_profile
from slowpath_cli.collect.run_observer import RunObserver
from slowpath_cli.core.collect_errors import InvalidArgument

EXECUTABLE_NAME = "executable"
RUNNING = "auto"
"""Instead of a path: the executable that the process runs, if it is on this machine."""
MAX_EXECUTABLE_BYTES = 1 << 30


def read_executable(wanted: str, observer: RunObserver) -> tuple[bytes, RunMetadata]:
    """Return the executable at a path, or that of the process, and its run metadata. Raises `InvalidArgument`."""
    path = _running(observer) if wanted == RUNNING else Path(wanted)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_EXECUTABLE_BYTES + 1)
    except OSError as error:
        raise InvalidArgument(
            f"{path} cannot be read: {error.strerror}. Give the executable with --binary PATH."
        ) from error
    if len(content) > MAX_EXECUTABLE_BYTES:
        raise InvalidArgument(
            f"{path} has more than {MAX_EXECUTABLE_BYTES:,} bytes, the limit of an executable. Give a smaller one with --binary PATH."
        )
    return content, add_pgo_profile(observer.standing, path)


def _running(observer: RunObserver) -> Path:
    if observer.process is None:
        raise InvalidArgument(
            "The process is not visible on this machine, so its executable is unknown. Give it with --binary PATH."
        )
    return PROC / str(observer.process.pid) / "exe"
