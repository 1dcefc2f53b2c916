"""Handle stop signals (Ctrl-C, SIGTERM, SIGHUP), and defer them in critical sections."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(Exception):
    """A stop signal arrived."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"signal {signal_number}")
        self.signal_number = signal_number


class _SignalListener:
    """State of the signal handlers, one per process: whether signals are deferred, and the deferred signal."""

    def __init__(self) -> None:
        self.is_deferring = False
        self.deferred: int | None = None

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Raise `StopRequested`, or defer it; further signals are ignored during cleanup."""
        for caught in _CAUGHT:
            signal.signal(caught, signal.SIG_IGN)
        if self.is_deferring:
            self.deferred = number
        else:
            raise StopRequested(number)


_listener = _SignalListener()


@contextmanager
def stop_signals() -> Iterator[None]:
    """Raise `StopRequested` for the first stop signal. Ctrl-C arrives twice: from the terminal and from npm."""
    _listener.deferred = None
    for caught in _CAUGHT:
        signal.signal(caught, _listener.on_signal)
    yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Defer `StopRequested` until the end of the block.

    A signal during `Popen`, after the fork, would otherwise lose the process. Use it only for short blocks in the main
    thread.
    """
    already, _listener.is_deferring = _listener.is_deferring, True
    try:
        yield
    finally:
        _listener.is_deferring = already
    if not already and _listener.deferred is not None:
        deferred, _listener.deferred = _listener.deferred, None
        raise StopRequested(deferred)
