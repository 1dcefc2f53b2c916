"""A stop waits while a process is being started, and follows at once."""

import os
import signal
from collections.abc import Iterator

import pytest

from bootstrap_parts.stop_signals import StopRequested, stop_signals, undisturbed

CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Restore the signal handlers of the test runner."""
    before = {caught: signal.getsignal(caught) for caught in CAUGHT}
    yield
    with stop_signals():  # begins to listen anew: signals received here have no effect elsewhere
        pass
    for caught, handler in before.items():
        signal.signal(caught, handler)


def test_a_signal_stops_at_once() -> None:
    with pytest.raises(StopRequested, match="signal 15"), stop_signals():
        os.kill(os.getpid(), signal.SIGTERM)


def be_stopped_in_the_middle(done: list[str]) -> None:
    with undisturbed():
        with undisturbed():
            os.kill(os.getpid(), signal.SIGTERM)
        done.append("the inner block has ended: the outer one goes on")
        os.kill(os.getpid(), signal.SIGINT)  # the second is ignored
        done.append("whole")
    done.append("never reached")


def test_a_signal_waits_for_what_must_not_be_disturbed() -> None:
    done: list[str] = []
    with pytest.raises(StopRequested), stop_signals():
        be_stopped_in_the_middle(done)
    assert done == ["the inner block has ended: the outer one goes on", "whole"]


def fail_while_being_stopped() -> None:
    with undisturbed():
        os.kill(os.getpid(), signal.SIGTERM)
        raise OSError("no such program")


def test_a_failing_block_reports_its_reason() -> None:
    with pytest.raises(OSError, match="no such program"), stop_signals():
        fail_while_being_stopped()
