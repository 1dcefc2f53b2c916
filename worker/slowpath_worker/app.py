"""The Celery app, and the composition root of the worker, which creates the adapters."""

import gc
import os
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
from sqlalchemy.orm import configure_mappers

import slowpath.metadata  # noqa: F401 - foreign keys need the tables of all features
from slowpath.adapters.celery_queue import TASK, CeleryQueue, create_celery
from slowpath.adapters.egress import create_outside
from slowpath.adapters.git_mirrors import create_mirrors
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.adapters.postgres import await_safe_role, create_postgres_engine
from slowpath.adapters.smtp_mailer import create_mailer
from slowpath.adapters.system_clock import SystemClock
from slowpath.analysis.kinds.profiles.categories.runtime_category_rules import runtime_rules
from slowpath.core.db_sessions import Database
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import parse_queues
from slowpath.core.logs import configure_logs
from slowpath.core.settings import Settings, read_settings
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from slowpath_worker.broker_watchdog import BrokerWatchdog, ProcessActivity, run_watchdog
from slowpath_worker.job_context import WorkerContext
from slowpath_worker.job_execution import Worker, run_next
from slowpath_worker.parent_death import end_with_parent

STUCK = os.EX_TEMPFAIL
WORKER_PID = os.getpid()
"""The parent of the processes of the pool, which inherit this value."""
settings = read_settings()
SPARE_PROCESSES = 4
"""Processes beside `worker_processes`, for teams that run nothing on this worker: so many teams may have long jobs before
another team's job has to wait. An idle process costs memory, but no CPU time."""
PROCESSES = settings.worker_processes + SPARE_PROCESSES
JOBS_PER_MESSAGE = 10
PROCESS_MEMORY_KIB = 1 << 20
"""A process that ever used more memory is replaced after its message. The limit is high on purpose: Celery may pass a
message to a process that is about to exit, and that message then blocks a prefetch place until the worker restarts."""
QUEUES = parse_queues(settings.worker_queues)
worker = Worker(uuid4().hex, settings.worker_processes, QUEUES)
activity = ProcessActivity(PROCESSES)
stopping = threading.Event()
"""Set when the worker shuts down: it takes no more messages then."""
celery = create_celery(settings.broker_url.get_secret_value())


class FastRespawnProcesses(AsynPool):  # type: ignore[misc]  # Celery has no types
    """Celery's process pool, replacing a dead process within one second instead of five."""

    @property
    def timers(self) -> dict[Callable[[], None], float]:
        """Return the pool's periodic functions and their intervals in seconds."""
        return {self.maintain_pool: 1.0}


class StartupTolerantPool(TaskPool):  # type: ignore[misc]  # Celery has no types
    """A pool that replaces a process that dies during startup; Celery's own would stop the worker."""

    Pool = FastRespawnProcesses

    def did_start_ok(self) -> bool:
        """Continue with the processes that started."""
        return True


celery.conf.worker_pool = StartupTolerantPool


def create_worker_context(settings: Settings) -> WorkerContext:
    """Create the context of this process from its settings, with the real adapters."""
    engine = create_postgres_engine(settings, pool_size=3)
    scratch = settings.scratch_dir or Path(tempfile.gettempdir())
    scratch.mkdir(parents=True, exist_ok=True)
    database = Database(engine)
    egress = create_outside(settings)
    return WorkerContext(
        settings=settings,
        database=database,
        blobs=AccountingBlobStore(
            ObstoreBlobs(settings.blob_url, scratch), Database(create_postgres_engine(settings, pool_size=1))
        ),
        scratch=scratch,
        clock=SystemClock(),
        egress=egress,
        mailer=create_mailer(settings),
        mirrors=create_mirrors(settings, create_remotes(settings, egress)),
    )


@cache
def _worker_context() -> WorkerContext:
    """Return the context of this process: connections do not survive a fork, so the parent creates none."""
    return create_worker_context(settings)


@celery.task(name=TASK)  # type: ignore[untyped-decorator]  # Celery has no types
def run_job_task(job_id: str) -> None:
    """Run the next jobs by fair share, one after the other; a message only announces that there are some."""
    hint = JobId(UUID(job_id))
    with activity.busy(current_process().index):
        for _ in range(JOBS_PER_MESSAGE):
            if activity.closing or not run_next(_worker_context(), worker, hint):
                return
    with suppress(Unavailable):  # without it, the relay sends another
        CeleryQueue(celery).send(hint, run_job_task.request.delivery_info["routing_key"])


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _begin(**_: object) -> None:
    # A killed parent cannot stop its children; without this each would wait for work forever.
    end_with_parent(WORKER_PID)
    configure_logs("worker", settings.log_format)
    activity.join(current_process().index, os.getpid())


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _watch(**_: object) -> None:
    queue = CeleryQueue(celery)
    watch = BrokerWatchdog(
        lambda: sum(count for name, count in queue.count_messages().items() if name in QUEUES),
        activity.free_since,
        time.monotonic,
    )
    run_watchdog(watch, stopping, lambda: os._exit(STUCK))  # immediately: a hanging process does not react to signals


@worker_shutting_down.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _end(**_: object) -> None:
    stopping.set()
    activity.close()


@setup_logging.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _logs(**_: object) -> None:
    configure_logs("worker", settings.log_format)


def prepare_to_fork() -> None:
    """Do once what each process would do in its first job, and exempt what all share from garbage collections.

    A collection visits 300,000 objects otherwise, and the process that opens a large profile is often a new one.
    """
    configure_mappers()
    runtime_rules()
    gc.collect()
    gc.freeze()


def main() -> None:
    """Run the worker until it is stopped."""
    engine = create_postgres_engine(settings, pool_size=1)
    await_safe_role(engine)
    engine.dispose()
    prepare_to_fork()
    queues = ",".join(QUEUES)
    # fmt: off
    celery.worker_main([
        f"--broker={celery.conf.broker_url}",  # otherwise Celery reads BROKER_URL, which may be a list that it does not know
        "worker", "--pool=prefork", f"--concurrency={PROCESSES}", f"--queues={queues}",
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO", f"--max-memory-per-child={PROCESS_MEMORY_KIB}",
    ])
    # fmt: on
