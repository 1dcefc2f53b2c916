"""When a worker is stuck, and when it only has nothing to do, or much."""

import multiprocessing
import os
import threading

import pytest

from slowpath.core.errors import Unavailable
from slowpath_worker.broker_watchdog import STUCK_SECONDS, BrokerWatchdog, ProcessActivity, run_watchdog


class FakeHours:
    """A clock set by the test, the messages in the broker, and two processes that consume them."""

    def __init__(self) -> None:
        self.now, self.count_messages, self.away = 100.0, 0, False
        self.hands = ProcessActivity(2, lambda: self.now)

    def count(self) -> int:
        if self.away:
            raise Unavailable("away")
        return self.count_messages

    def watch(self) -> BrokerWatchdog:
        return BrokerWatchdog(self.count, self.hands.free_since, lambda: self.now)


@pytest.fixture
def hours() -> FakeHours:
    made = FakeHours()
    for place in (0, 1):
        made.hands.join(place, os.getpid())
    return made


def test_waiting_messages_with_a_free_worker_mean_stuck(hours: FakeHours) -> None:
    watch = hours.watch()
    hours.count_messages = 3
    with hours.hands.busy(0):  # one at work does not hide that the other is given nothing
        assert not watch.is_stuck()
        hours.now += STUCK_SECONDS - 1
        assert not watch.is_stuck()
        hours.now += 2
        assert watch.is_stuck()


def test_all_may_be_busy_for_as_long_as_they_like(hours: FakeHours) -> None:
    watch = hours.watch()
    hours.count_messages = 3
    with hours.hands.busy(0):
        with hours.hands.busy(1):
            watch.is_stuck()
            hours.now += 100 * STUCK_SECONDS
            assert not watch.is_stuck()
        hours.now += STUCK_SECONDS - 1
        assert not watch.is_stuck(), "the second has been free for less than that"
        hours.now += 2
        assert watch.is_stuck()


def test_an_empty_or_absent_broker_is_not_waited_for(hours: FakeHours) -> None:
    watch = hours.watch()
    hours.count_messages = 3
    watch.is_stuck()
    hours.now += STUCK_SECONDS - 1
    hours.away = True
    assert not watch.is_stuck()
    hours.away = False
    hours.now += 5
    assert not watch.is_stuck(), "it begins anew when the broker is back"
    hours.count_messages = 0
    hours.now += STUCK_SECONDS + 1
    assert not watch.is_stuck()


def test_a_process_that_was_killed_at_work_and_not_replaced_is_free(hours: FakeHours) -> None:
    process = multiprocessing.get_context("fork").Process(target=lambda: None)
    process.start()
    assert process.pid is not None
    hours.hands.join(0, process.pid)
    busy = hours.hands.busy(0)
    with hours.hands.busy(1), busy:
        assert os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended and was not removed
        assert hours.hands.free_since() == hours.now
        hours.now += 1
        assert hours.hands.free_since() == hours.now - 1
        hours.hands.join(0, os.getpid())
        assert hours.hands.free_since() == hours.now
    process.join()


def test_no_worker_is_free_before_one_has_started() -> None:
    assert ProcessActivity(2).free_since() is None


def test_the_state_of_a_child_is_visible_to_its_parent() -> None:
    hands = ProcessActivity(1)
    child = multiprocessing.get_context("fork").Process(target=lambda: hands.join(0, os.getpid()))
    child.start()
    child.join()
    assert hands.free_since() is not None


def test_a_worker_that_was_asked_to_stop_is_no_longer_watched(hours: FakeHours) -> None:
    over, stuck = threading.Event(), threading.Event()
    hours.count_messages = 3
    watch = hours.watch()
    watch.is_stuck()
    hours.now += STUCK_SECONDS + 1
    over.set()
    run_watchdog(watch, over, stuck.set)
    assert not stuck.wait(0.2)
