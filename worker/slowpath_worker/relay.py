"""The relay: sends due jobs from the jobs table to Celery, again and again until they are done.

It sleeps until PostgreSQL tells of a new job or the interval is over. A broker that is away costs
nothing but time: the rows stay due. A broker that lost its messages is found empty while jobs wait,
and they are sent again. It also does the periodic work; there is no Celery beat. Any
number of relays may run: rows are taken with SKIP LOCKED.
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
from slowpath.adapters.postgres import await_safe_role, create_postgres_engine
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.logs import configure_logs
from slowpath.core.ports import JobQueue
from slowpath.core.sessions import Database
from slowpath.core.settings import Settings, read_settings
from slowpath.keeping.rules import SWEEP_HOURS
from slowpath_worker.letters import post

log = structlog.get_logger(__name__)

DUE = text("SELECT job_id, queue, again FROM door.jobs_to_nudge(:batch, :in_flight)")
HURRY = text("SELECT door.hurry_jobs(:queues)")
BACK = text("SELECT door.unsent_job(:job)")
TIDY = text("SELECT door.tidy(), door.keep_house(make_interval(hours => :hours))")
BATCH = 100
IN_FLIGHT = 32
"""Messages of one team in the broker at a time. More are of no use: a message claims the next fair job, and a process
that ends a job claims another."""
TIDY_SECONDS = 300.0
PAUSE_SECONDS = 1.0
EMPTY_SECONDS = 2.0
"""So long a queue is empty before what waits in it is sent again."""
LOOK_SECONDS = 0.5
LETTERS_SECONDS = 5.0
"""So long a letter that is being sent is waited for at the end; it is sent again otherwise."""
SENT = Counter("slowpath_relay_sent_total", "Jobs sent to the broker, repeats included.", ["queue"])
BEHIND = Gauge("slowpath_relay_broker_away", "1 while the broker does not answer.")


def send_due(database: Database, queue: JobQueue) -> int:
    """Send what is due; returns how many. Raises `Unavailable` when the broker is away; the rest stays due."""
    with database.door() as door:
        due = door.execute(DUE, {"batch": BATCH, "in_flight": IN_FLIGHT}).all()
    for position, row in enumerate(due):
        try:
            queue.send(JobId(row.job_id), row.queue, again=row.again)
        except Unavailable:
            with database.door() as door:
                for unsent in due[position:]:
                    door.execute(BACK, {"job": unsent.job_id})
            raise
        SENT.labels(row.queue).inc()
    return len(due)


class Emptiness:
    """Finds queues in which nothing lies any more: whatever waits for a worker there has lost its message.

    A few messages are in the hands of workers that are busy; theirs are doubled, once, since the doubles lie in the
    queue then.
    """

    def __init__(self, lying: Callable[[], Mapping[str, int]], now: Callable[[], float]) -> None:
        """`lying` counts the messages of each queue and may raise `Unavailable`; `now` is in seconds."""
        self._lying = lying
        self._now = now
        self._since: dict[str, float] = {}
        self._next_look = now()

    def look(self) -> list[str]:
        """Return the queues that have been empty for `EMPTY_SECONDS`, each once for every time so long."""
        now = self._now()
        if now < self._next_look:
            return []
        self._next_look = now + LOOK_SECONDS
        self._since = {queue: self._since.get(queue, now) for queue, count in self._lying().items() if not count}
        empty = [queue for queue, since in self._since.items() if now - since >= EMPTY_SECONDS]
        for queue in empty:
            del self._since[queue]
        return empty


def hurry(database: Database, emptiness: Emptiness) -> None:
    """Make due what was sent to queues that are empty. Raises `Unavailable` when the broker is away."""
    empty = emptiness.look()
    if empty:
        with database.door() as door:
            door.execute(HURRY, {"queues": empty})


def relay(settings: Settings, stop: threading.Event) -> None:
    """Send until told to stop."""
    engine = create_postgres_engine(settings, pool_size=3)
    database = Database(engine)
    queue = CeleryQueue(create_celery(settings.broker_url.get_secret_value()))
    emptiness = Emptiness(queue.lying, time.monotonic)
    next_tidy = time.monotonic()
    listener = _Listener(settings)
    letters = post(database, settings, stop) if settings.sends_mail else None
    while not stop.is_set():
        try:
            hurry(database, emptiness)
            while send_due(database, queue) >= BATCH and not stop.is_set():
                pass
            BEHIND.set(0)
            if time.monotonic() >= next_tidy:
                next_tidy = time.monotonic() + TIDY_SECONDS
                with database.door() as door:
                    door.execute(TIDY, {"hours": SWEEP_HOURS})
            listener.wait(settings.relay_interval_seconds)
        except Unavailable as error:
            BEHIND.set(1)
            log.warning("broker away", error=error.detail)
            stop.wait(PAUSE_SECONDS)
        except (SQLAlchemyError, psycopg.Error) as error:
            log.warning("database away", error=str(error).splitlines()[0])
            listener.close()
            stop.wait(PAUSE_SECONDS)
    listener.close()
    if letters is not None:
        letters.join(LETTERS_SECONDS)
    engine.dispose()


class _Listener:
    """Waits for PostgreSQL's word that a job became due."""

    def __init__(self, settings: Settings) -> None:
        self._url = settings.sqlalchemy_url.replace("postgresql+psycopg://", "postgresql://", 1)
        self._connection: psycopg.Connection | None = None

    def wait(self, seconds: float) -> None:
        """Return at the next word, or when the time is over."""
        if self._connection is None:
            self._connection = psycopg.connect(self._url, autocommit=True, connect_timeout=5)
            self._connection.execute("LISTEN slowpath_due")
            return
        for _ in self._connection.notifies(timeout=seconds, stop_after=1):
            pass

    def close(self) -> None:
        """Let go of the connection; the next wait makes another."""
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
    handler: Callable[[int, FrameType | None], None] = lambda _signal, _frame: stop.set()  # noqa: E731 - two words
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, handler)
    log.info("relay begins")
    relay(settings, stop)


if __name__ == "__main__":
    main()
