"""The relay: sends due jobs from the jobs table to Celery, repeatedly until they are done.

It waits for PostgreSQL's notification of a new job or the end of the interval. While the broker is unavailable, rows stay
due. If the broker has lost its messages, its queues are empty while jobs wait, and the jobs are sent again. The relay also
enqueues the periodic jobs; there is no Celery beat. One of several relays forwards events to open pages. Several relays can run concurrently: rows are locked with SKIP LOCKED.
"""

import signal
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType

import psycopg
import structlog
from prometheus_client import Counter, Gauge
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from slowpath.adapters.celery_queue import CeleryQueue, create_celery
from slowpath.adapters.event_channels import EventForwarder
from slowpath.adapters.postgres import await_safe_role, create_postgres_engine
from slowpath.adapters.smtp_mailer import create_mailer
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.logs import configure_logs
from slowpath.core.ports import JobQueue
from slowpath.core.settings import Settings, read_settings
from slowpath.operations.retention.rules import SWEEP_HOURS
from slowpath_worker.password_reset_mail import run_reset_mail_loop

log = structlog.get_logger(__name__)

JOBS_TO_SEND = text("SELECT job_id, queue, again FROM cross_team.select_due_jobs(:batch, :in_flight)")
RESEND = text("SELECT cross_team.expedite_jobs(:queues)")
MARK_UNSENT = text("SELECT cross_team.record_failed_send(:job)")
MAINTENANCE = text(
    "SELECT cross_team.delete_expired_rows(), cross_team.enqueue_maintenance(make_interval(hours => :hours))"
)
BATCH_SIZE = 100
MAX_IN_FLIGHT = 32
"""Messages of one team in the broker at a time. More are useless: a message claims the next job by fair share, and a
process that finishes a job claims another."""
MAINTENANCE_SECONDS = 300.0
RETRY_SECONDS = 1.0
EMPTY_SECONDS = 2.0
"""A queue is empty for this long before jobs that wait in it are sent again."""
QUEUE_CHECK_SECONDS = 0.5
MAIL_SHUTDOWN_SECONDS = 5.0
"""Shutdown waits this long for a mail that is being sent; otherwise it is sent again."""
JOBS_SENT = Counter("slowpath_relay_sent_total", "Jobs sent to the broker, including repeats.", ["queue"])
BROKER_UNAVAILABLE = Gauge("slowpath_relay_broker_away", "1 while the broker is unavailable.")


def send_due(database: Database, queue: JobQueue) -> int:
    """Send due jobs and return how many. Raises `Unavailable` without a broker; unsent jobs stay due."""
    with database.cross_team() as connection:
        due = connection.execute(JOBS_TO_SEND, {"batch": BATCH_SIZE, "in_flight": MAX_IN_FLIGHT}).all()
    for position, row in enumerate(due):
        try:
            queue.send(JobId(row.job_id), row.queue, again=row.again)
        except Unavailable:
            with database.cross_team() as connection:
                for unsent in due[position:]:
                    connection.execute(MARK_UNSENT, {"job": unsent.job_id})
            raise
        JOBS_SENT.labels(row.queue).inc()
    return len(due)


class EmptyQueueDetector:
    """Detects empty queues: jobs that wait there have lost their messages.

    Messages that busy workers have prefetched are duplicated once, because the duplicates are in the queue then.
    """

    def __init__(self, count_messages: Callable[[], Mapping[str, int]], now: Callable[[], float]) -> None:
        """`count_messages` counts each queue's messages and may raise `Unavailable`; `now` is in seconds."""
        self._count_messages = count_messages
        self._now = now
        self._since: dict[str, float] = {}
        self._next_check_s = now()

    def find_empty_queues(self) -> list[str]:
        """Return the queues that were empty for `EMPTY_SECONDS`, each once per such period."""
        now = self._now()
        if now < self._next_check_s:
            return []
        self._next_check_s = now + QUEUE_CHECK_SECONDS
        self._since = {
            queue: self._since.get(queue, now) for queue, count in self._count_messages().items() if not count
        }
        empty = [queue for queue, since in self._since.items() if now - since >= EMPTY_SECONDS]
        for queue in empty:
            del self._since[queue]
        return empty


def resend_lost_jobs(database: Database, detector: EmptyQueueDetector) -> None:
    """Make jobs due again whose queue is empty. Raises `Unavailable` without a broker."""
    empty = detector.find_empty_queues()
    if empty:
        with database.cross_team() as connection:
            connection.execute(RESEND, {"queues": empty})


def run_relay(settings: Settings, stop: threading.Event) -> None:
    """Send due jobs until `stop` is set."""
    engine = create_postgres_engine(settings, pool_size=3)
    database = Database(engine)
    queue = CeleryQueue(create_celery(settings.broker_url.get_secret_value()))
    detector = EmptyQueueDetector(queue.count_messages, time.monotonic)
    next_maintenance = time.monotonic()
    listener = _Listener(settings)
    EventForwarder(settings.listen_url, settings.broker_url.get_secret_value()).start(stop)
    mailer, clock = create_mailer(settings), SystemClock()
    reset_mail = run_reset_mail_loop(database, settings, mailer, clock, stop) if settings.sends_mail else None
    while not stop.is_set():
        try:
            resend_lost_jobs(database, detector)
            while send_due(database, queue) >= BATCH_SIZE and not stop.is_set():
                pass
            BROKER_UNAVAILABLE.set(0)
            if time.monotonic() >= next_maintenance:
                next_maintenance = time.monotonic() + MAINTENANCE_SECONDS
                with database.cross_team() as connection:
                    connection.execute(MAINTENANCE, {"hours": SWEEP_HOURS})
            listener.wait(settings.relay_interval_seconds)
        except Unavailable as error:
            BROKER_UNAVAILABLE.set(1)
            log.warning("broker.unavailable", error=error.detail)
            stop.wait(RETRY_SECONDS)
        except (SQLAlchemyError, psycopg.Error) as error:
            log.warning("database.unavailable", error=str(error).splitlines()[0])
            listener.close()
            stop.wait(RETRY_SECONDS)
    listener.close()
    if reset_mail is not None:
        reset_mail.join(MAIL_SHUTDOWN_SECONDS)
    engine.dispose()


class _Listener:
    """Waits for PostgreSQL's notification that a job became due."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.listen_url
        self._connection: psycopg.Connection | None = None

    def wait(self, seconds: float) -> None:
        """Return at the next notification, or after `seconds`."""
        if self._connection is None:
            self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=5)
            self._connection.execute("LISTEN slowpath_due")
            return
        for _ in self._connection.notifies(timeout=seconds, stop_after=1):
            pass

    def close(self) -> None:
        """Close the connection; the next wait opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def main() -> None:
    """Run the relay until SIGTERM or SIGINT."""
    settings = read_settings()
    configure_logs("relay", settings.log_format)
    engine = create_postgres_engine(settings, pool_size=1)
    await_safe_role(engine)
    engine.dispose()
    stop = threading.Event()
    handler: Callable[[int, FrameType | None], None] = lambda _signal, _frame: stop.set()  # noqa: E731 - typed one-line handler
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, handler)
    log.info("relay.started")
    run_relay(settings, stop)


if __name__ == "__main__":
    main()
