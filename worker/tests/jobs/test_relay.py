"""The relay sends due jobs, retries unsent ones, and may run more than once."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath_worker.relay import (
    EMPTY_SECONDS,
    MAX_IN_FLIGHT,
    QUEUE_CHECK_SECONDS,
    EmptyQueueDetector,
    resend_lost_jobs,
    send_due,
)
from tests.jobs.conftest import Bench
from tests.support.fakes import RecordingJobQueue

pytestmark = pytest.mark.database


class BrokenQueue(RecordingJobQueue):
    """A broker that takes some messages and is away then."""

    def __init__(self, takes: int) -> None:
        super().__init__()
        self.takes = takes

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        if len(self.sent) >= self.takes:
            raise Unavailable("The broker does not answer.")
        super().send(job_id, queue, again=again)


def pauses(bench: Bench) -> list[float]:
    rows = bench.admin.execute("SELECT extract(epoch FROM due_at - clock_timestamp()) FROM job ORDER BY created_at")
    return [float(row[0]) for row in rows.fetchall()]


def make_due(bench: Bench) -> None:
    bench.admin.execute("UPDATE job SET due_at = clock_timestamp()")


def test_an_enqueued_job_is_sent_once_to_its_queue(bench: Bench) -> None:
    queue = RecordingJobQueue()
    jobs = [bench.write_down() for _ in range(3)]

    assert send_due(bench.worker_context.database, queue) == 3
    assert send_due(bench.worker_context.database, queue) == 0

    assert sorted(queue.sent) == sorted((job_id, "analyse") for job_id in jobs)


def test_an_unclaimed_job_is_sent_again_with_backoff(bench: Bench) -> None:
    queue = RecordingJobQueue()
    bench.write_down()

    seen = []
    for _ in range(6):
        make_due(bench)
        send_due(bench.worker_context.database, queue)
        seen += pauses(bench)

    assert [round(pause, 0) for pause in seen[:3]] == [2.0, 5.0, 10.0] or seen[0] == pytest.approx(2.5, abs=0.5)
    assert all(later <= 20.1 for later in seen)
    assert seen[-1] == pytest.approx(20.0, abs=1.0)
    assert len(queue.sent) == 6


def test_jobs_of_a_dead_worker_are_retried_first_and_soon(bench: Bench) -> None:
    queue = RecordingJobQueue()
    waiting, left = bench.write_down(), bench.write_down()
    bench.change(left, "state = 'running', lease_expires_at = clock_timestamp() - interval '1 second'")

    seen = []
    for _ in range(6):
        make_due(bench)
        send_due(bench.worker_context.database, queue)
        seen += pauses(bench)[1:]

    assert set(queue.again) == {left}
    assert {job_id for job_id, _ in queue.sent} == {waiting, left}
    assert seen[-1] == pytest.approx(5.0, abs=0.5)
    assert max(seen) < 5.1


def test_a_broker_that_is_away_takes_no_sending_of_what_was_left_behind(bench: Bench) -> None:
    left = bench.write_down()
    bench.change(left, "state = 'running', lease_expires_at = clock_timestamp() - interval '1 second'")

    with pytest.raises(Unavailable):
        send_due(bench.worker_context.database, BrokenQueue(takes=0))

    assert pauses(bench)[0] <= 0
    assert bench.row(left)["send_count"] == 0


class Emptied:
    """A relay that looks into a broker, and a clock set by hand."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.now, self.queue = bench, 100.0, RecordingJobQueue()
        self.queue.held = {"analyse": 0, "decode": 0}
        self.detector = EmptyQueueDetector(self.queue.count_messages, lambda: self.now)

    def goes_on(self, seconds: float) -> None:
        for _ in range(round(seconds / QUEUE_CHECK_SECONDS)):
            self.now += QUEUE_CHECK_SECONDS
            resend_lost_jobs(self.bench.worker_context.database, self.detector)


def test_jobs_lost_by_an_emptied_broker_are_sent_again_soon(bench: Bench) -> None:
    bench.change(bench.write_down(), "send_count = 9, due_at = clock_timestamp() + interval '19 seconds'")
    relay = Emptied(bench)

    relay.goes_on(EMPTY_SECONDS - QUEUE_CHECK_SECONDS)
    assert send_due(bench.worker_context.database, relay.queue) == 0
    relay.goes_on(2 * QUEUE_CHECK_SECONDS)
    assert send_due(bench.worker_context.database, relay.queue) == 1

    relay.goes_on(EMPTY_SECONDS / 2)
    assert send_due(bench.worker_context.database, relay.queue) == 0, "not at every look"


@pytest.mark.parametrize(
    "change",
    [
        "send_count = 9, due_at = clock_timestamp() + interval '19 seconds', queue = 'decode'",  # something exists there
        "send_count = 1, due_at = clock_timestamp() + interval '19 seconds', not_before = due_at + interval '19 seconds'",
        "state = 'running', lease_expires_at = due_at, due_at = clock_timestamp() + interval '9 seconds'",
        "state = 'done', send_count = 1, due_at = clock_timestamp() + interval '9 seconds'",
    ],
)
def test_jobs_without_a_lost_message_keep_their_time(bench: Bench, change: str) -> None:
    bench.change(bench.write_down(), change)
    relay = Emptied(bench)
    relay.queue.held["decode"] = 1

    relay.goes_on(3 * EMPTY_SECONDS)

    assert send_due(bench.worker_context.database, relay.queue) == 0


def test_a_broker_that_is_away_leaves_the_rest_due(bench: Bench) -> None:
    for _ in range(5):
        bench.write_down()
    broken = BrokenQueue(takes=2)

    with pytest.raises(Unavailable):
        send_due(bench.worker_context.database, broken)

    assert sum(pause <= 0 for pause in pauses(bench)) == 3
    back = RecordingJobQueue()
    assert send_due(bench.worker_context.database, back) == 3
    assert len({job_id for job_id, _ in broken.sent + back.sent}) == 5


@pytest.mark.parametrize(
    ("change", "sent"),
    [
        ("state = 'running', lease_expires_at = due_at, due_at = clock_timestamp() + interval '9 seconds'", 0),
        ("state = 'running', lease_expires_at = clock_timestamp() - interval '1 second'", 1),
        ("state = 'done'", 0),
        ("state = 'failed'", 0),
        ("state = 'cancelled'", 0),
        ("due_at = clock_timestamp() + interval '9 seconds'", 0),
    ],
)
def test_only_what_waits_or_was_left_lying_is_sent(bench: Bench, change: str, sent: int) -> None:
    bench.change(bench.write_down(), change)

    assert send_due(bench.worker_context.database, RecordingJobQueue()) == sent


def test_two_relays_send_nothing_twice(bench: Bench) -> None:
    jobs = {bench.write_down() for _ in range(MAX_IN_FLIGHT)}
    both, queues = threading.Barrier(2), [RecordingJobQueue(), RecordingJobQueue()]

    def relay(queue: RecordingJobQueue) -> None:
        both.wait(5)
        while send_due(bench.worker_context.database, queue):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(relay, queues))

    counted = Counter(job_id for queue in queues for job_id, _ in queue.sent)
    assert set(counted) == jobs
    assert set(counted.values()) == {1}


def test_of_one_team_only_a_few_are_in_flight(bench: Bench) -> None:
    for _ in range(MAX_IN_FLIGHT + 10):
        bench.write_down()
    queue = RecordingJobQueue()

    assert send_due(bench.worker_context.database, queue) == MAX_IN_FLIGHT
    assert send_due(bench.worker_context.database, queue) == 0

    bench.admin.execute("UPDATE job SET state = 'done' WHERE send_count > 0")
    assert send_due(bench.worker_context.database, queue) == 10


def test_old_finished_rows_are_deleted(bench: Bench) -> None:
    old, fresh, failed, long_failed = (bench.write_down() for _ in range(4))
    bench.change(old, "state = 'done', finished_at = clock_timestamp() - interval '31 days'")
    bench.change(fresh, "state = 'done', finished_at = clock_timestamp() - interval '29 days'")
    bench.change(failed, "state = 'failed', finished_at = clock_timestamp() - interval '31 days'")
    bench.change(long_failed, "state = 'failed', finished_at = clock_timestamp() - interval '91 days'")

    bench.admin.execute("SELECT cross_team.delete_expired_rows()")

    left = {row[0] for row in bench.admin.execute("SELECT id FROM job").fetchall()}
    assert left == {fresh, failed}


def test_old_finished_rows_are_found_by_an_index(bench: Bench) -> None:
    with bench.admin.transaction():
        bench.admin.execute("SET LOCAL enable_seqscan = off")
        plan = bench.admin.execute("""
            EXPLAIN SELECT team_id, id FROM job WHERE finished_at < clock_timestamp() - interval '30 days'
            ORDER BY finished_at LIMIT 10000
        """).fetchall()
    assert "ix_job_finished" in str(plan)
