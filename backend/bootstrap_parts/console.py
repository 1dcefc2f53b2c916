"""What the start says: one line a step with its time, one line for what went wrong. Nothing else prints."""

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
    """Something that a person must know about, told in one line; the process ends with `exit_code`."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass
class ConsoleOutput:
    """Where the lines go. A quiet voice keeps the steps to itself and speaks only of trouble."""

    quiet: bool = False
    to_stderr: bool = False
    started: float = field(default_factory=time.monotonic)

    def line(self, text: str = "") -> None:
        """Print one line, whole, whoever else is printing."""
        if self.quiet:
            return
        with _lock:
            print(text, file=sys.stderr if self.to_stderr else sys.stdout, flush=True)

    def step(self, label: str, seconds: float, note: str = "") -> None:
        """Print one step that is done: `  label ........ 1.2 s  note`."""
        dots = "." * max(2, _LABEL_WIDTH - len(label))
        self.line(f"  {label} {dots} {seconds:5.1f} s{'  ' + note if note else ''}")

    def trouble(self, text: str) -> None:
        """Print what went wrong, to stderr, quiet or not."""
        with _lock:
            print(f"slowpath: {text}", file=sys.stderr, flush=True)

    @contextmanager
    def timed(self, label: str) -> Iterator[list[str]]:
        """Print the step when the block is done; the block may put a note into the list it is given."""
        notes: list[str] = []
        begun = time.monotonic()
        yield notes
        self.step(label, time.monotonic() - begun, "; ".join(notes))
