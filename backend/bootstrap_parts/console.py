"""Console output of the start: one line per step with its duration, one line per error. No other module prints."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_lock = threading.Lock()
_LABEL_WIDTH = 44


class StartupError(Exception):
    """An error for the user, printed in one line; the process ends with `exit_code`."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass
class ConsoleOutput:
    """Prints lines to stdout or stderr; if quiet, only errors."""

    quiet: bool = False
    to_stderr: bool = False
    started: float = field(default_factory=time.monotonic)

    def line(self, text: str = "") -> None:
        """Print one line, without mixing it with lines of other threads."""
        if self.quiet:
            return
        with _lock:
            print(text, file=sys.stderr if self.to_stderr else sys.stdout, flush=True)

    def step(self, label: str, seconds: float, note: str = "") -> None:
        """Print a finished step: `  label ........ 1.2 s  note`."""
        dots = "." * max(2, _LABEL_WIDTH - len(label))
        self.line(f"  {label} {dots} {seconds:5.1f} s{'  ' + note if note else ''}")

    def trouble(self, text: str) -> None:
        """Print an error to stderr, even if quiet."""
        with _lock:
            print(f"slowpath: {text}", file=sys.stderr, flush=True)

    @contextmanager
    def timed(self, label: str) -> Iterator[list[str]]:
        """Print the step after the block, which may append notes to the list."""
        notes: list[str] = []
        started_at = time.monotonic()
        yield notes
        self.step(label, time.monotonic() - started_at, "; ".join(notes))
