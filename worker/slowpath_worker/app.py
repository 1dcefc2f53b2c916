"""The Celery app, and where the real twins are plugged into the worker. The only Celery here."""

import ctypes
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import UUID, uuid4

from billiard.process import current_process
from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool
from celery.signals import setup_logging, worker_process_init, worker_ready, worker_shutting_down

import slowpath.metadata  # noqa: F401 - a row refers to rows of features the worker never names; all tables must be known
from slowpath.adapters.blobs import ObstoreBlobs
from slowpath.adapters.celery_queue import TASK, CeleryQueue, create_celery
from slowpath.adapters.postgres import await_safe_role, create_postgres_engine
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue
from slowpath.core.logs import configure_logs
from slowpath.core.sessions import Database
from slowpath.core.settings import Settings, read_settings
from slowpath.uploads.service.weighing import WeighedBlobs
from slowpath_worker.context import Workshop
from slowpath_worker.running import Worker, run_next
from slowpath_worker.watching import Hands, Watch, keep_watch

PR_SET_PDEATHSIG = 1
STUCK = os.EX_TEMPFAIL
settings = read_settings()
SLOTS = settings.worker_processes + 1
"""Processes: one more than work at once for one team, so that another team's job finds one free."""
JOBS_PER_MESSAGE = 10
PROCESS_MEMORY_KIB = 1 << 20
"""A process that ever used more memory is replaced after its message. Rarely: Celery may hand a message to a process
that is about to end, and such a message takes one of the few places for messages of the worker until it is restarted."""
worker = Worker(uuid4().hex, SLOTS)
hands = Hands(SLOTS)
ending = threading.Event()
"""Set when the worker was told to end: it takes nothing more then, and that is right."""
celery = create_celery(settings.broker_url.get_secret_value())


class PromptProcesses(AsynPool):  # type: ignore[misc]  # Celery has no types
    """Celery's processes; one that died is replaced within a second, not five."""

    @property
    def timers(self) -> dict[Callable[[], None], float]:
        """Return what is done again and again, and the seconds between."""
        return {self.maintain_pool: 1.0}


class LastingPool(TaskPool):  # type: ignore[misc]  # Celery has no types
    """A pool in which a process that dies while the worker begins is replaced like any other; Celery ends the worker."""

    Pool = PromptProcesses

    def did_start_ok(self) -> bool:
        """Go on with those that live."""
        return True


celery.conf.worker_pool = LastingPool


def create_workshop(plugged: Settings) -> Workshop:
    """Plug the real twins in."""
    engine = create_postgres_engine(plugged, pool_size=3)
    scratch = plugged.scratch_dir or Path(tempfile.gettempdir())
    scratch.mkdir(parents=True, exist_ok=True)
    database = Database(engine)
    return Workshop(plugged, database, WeighedBlobs(ObstoreBlobs(plugged.blob_url, scratch), database), scratch)


@cache
def _workshop() -> Workshop:
    """One per process: connections do not survive a fork, so the parent never makes one."""
    return create_workshop(settings)


@celery.task(name=TASK)  # type: ignore[untyped-decorator]  # Celery has no types
def run(job_id: str) -> None:
    """Carry out the next fair jobs, one after the other; the message only says that there are some."""
    nudged = JobId(UUID(job_id))
    with hands.busy(current_process().index):
        for _ in range(JOBS_PER_MESSAGE):
            if hands.closing or not run_next(_workshop(), worker, nudged):
                return
    with suppress(Unavailable):  # else the relay sends another
        CeleryQueue(celery).send(nudged, run.request.delivery_info["routing_key"])


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _begin(**_: object) -> None:
    # A parent that is killed can not end its children; without this each would wait for work for ever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    configure_logs("worker", settings.log_format)
    hands.join(current_process().index, os.getpid())


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _watch(**_: object) -> None:
    queue = CeleryQueue(celery)
    watch = Watch(lambda: sum(queue.lying().values()), hands.free_since, time.monotonic)
    keep_watch(watch, ending, lambda: os._exit(STUCK))  # at once: what hangs can not be asked to end


@worker_shutting_down.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _end(**_: object) -> None:
    ending.set()
    hands.close()


@setup_logging.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _logs(**_: object) -> None:
    configure_logs("worker", settings.log_format)


def main() -> None:
    """Run the worker until told to stop."""
    engine = create_postgres_engine(settings, pool_size=1)
    await_safe_role(engine)
    engine.dispose()
    queues = ",".join(queue.value for queue in Queue)
    # fmt: off
    celery.worker_main([
        "worker", "--pool=prefork", f"--concurrency={SLOTS}", f"--queues={queues}",
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO", f"--max-memory-per-child={PROCESS_MEMORY_KIB}",
    ])
    # fmt: on
