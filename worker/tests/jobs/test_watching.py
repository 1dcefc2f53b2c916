"""When a worker is stuck, and when it only has nothing to do."""

from slowpath.core.errors import Unavailable
from slowpath_worker.watching import STUCK_SECONDS, Watch


class Hours:
    """A clock that is set by hand, and what lies in the broker."""

    def __init__(self) -> None:
        self.now, self.sign, self.lying, self.away = 100.0, 0.0, 0, False

    def count(self) -> int:
        if self.away:
            raise Unavailable("away")
        return self.lying

    def watch(self) -> Watch:
        return Watch(self.count, lambda: self.sign, lambda: self.now)


def test_messages_that_lie_while_nothing_is_done_mean_stuck() -> None:
    hours = Hours()
    watch = hours.watch()
    hours.lying = 3
    assert not watch.is_stuck()
    hours.now += STUCK_SECONDS - 1
    assert not watch.is_stuck()
    hours.now += 2
    assert watch.is_stuck()


def test_a_sign_of_a_job_under_way_is_enough() -> None:
    hours = Hours()
    watch = hours.watch()
    hours.lying = 3
    watch.is_stuck()
    hours.now += STUCK_SECONDS + 1
    hours.sign = hours.now - 1
    assert not watch.is_stuck()
    hours.now += STUCK_SECONDS
    assert watch.is_stuck()


def test_an_empty_or_absent_broker_is_not_waited_for() -> None:
    hours = Hours()
    watch = hours.watch()
    hours.lying = 3
    watch.is_stuck()
    hours.now += STUCK_SECONDS - 1
    hours.away = True
    assert not watch.is_stuck()
    hours.away = False
    hours.now += 5
    assert not watch.is_stuck(), "it begins anew when the broker is back"
    hours.lying = 0
    hours.now += STUCK_SECONDS + 1
    assert not watch.is_stuck()
