"""How a start hears that it shall end: Ctrl-C, SIGTERM and SIGHUP, and the moments in which they have to wait."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(Exception):
    """A person or the system asked us to stop."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"signal {signal_number}")
        self.signal_number = signal_number


class _SignalListener:
    """What was heard while nobody could be disturbed. One a process, as signals are."""

    def __init__(self) -> None:
        self.holding = False
        self.heard: int | None = None

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Stop at once, or as soon as nobody holds it back; ignore what follows while we clean up."""
        for caught in _CAUGHT:
            signal.signal(caught, signal.SIG_IGN)
        if self.holding:
            self.heard = number
        else:
            raise StopRequested(number)


_ear = _SignalListener()


@contextmanager
def stop_signals() -> Iterator[None]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into `StopRequested`. The terminal and npm both pass Ctrl-C on: it arrives twice."""
    _ear.heard = None
    for caught in _CAUGHT:
        signal.signal(caught, _ear.on_signal)
    yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold `StopRequested` back until the block has ended.

    A process that is born while we are stopped would be nobody's: `Popen` has forked it, and has not yet said which it is.
    Keep such blocks short, in the main thread.
    """
    already, _ear.holding = _ear.holding, True
    try:
        yield
    finally:
        _ear.holding = already
    if not already and _ear.heard is not None:
        heard, _ear.heard = _ear.heard, None
        raise StopRequested(heard)
