"""The Celery app, and where the real twins are plugged into the worker. The only Celery here."""

import ctypes
import os
import signal
import tempfile
import time
from functools import cache
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from uuid import UUID

from celery.signals import setup_logging, worker_process_init, worker_ready

import slowpath.metadata  # noqa: F401 - a row refers to rows of features the worker never names; all tables must be known
from slowpath.adapters.blobs import ObstoreBlobs
from slowpath.adapters.celery_queue import TASK, CeleryQueue, create_celery
from slowpath.adapters.postgres import assert_safe_role, create_postgres_engine
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue
from slowpath.core.logs import configure_logs
from slowpath.core.sessions import Database
from slowpath.core.settings import Settings, read_settings
from slowpath_worker.context import Workshop
from slowpath_worker.running import run_job
from slowpath_worker.watching import Watch, keep_watch

PR_SET_PDEATHSIG = 1
STUCK = os.EX_TEMPFAIL
SIGN = RawValue("d", 0.0)
"""When a child last did something (monotonic seconds). Shared with the children; without a lock that a kill could leave held."""
settings = read_settings()
celery = create_celery(settings.broker_url.get_secret_value())


def create_workshop(plugged: Settings) -> Workshop:
    """Plug the real twins in."""
    engine = create_postgres_engine(plugged, pool_size=3)
    scratch = plugged.scratch_dir or Path(tempfile.gettempdir())
    scratch.mkdir(parents=True, exist_ok=True)
    return Workshop(plugged, Database(engine), ObstoreBlobs(plugged.blob_url, scratch), scratch, _sign)


def _sign() -> None:
    SIGN.value = time.monotonic()


@cache
def _workshop() -> Workshop:
    """One per process: connections do not survive a fork, so the parent never makes one."""
    return create_workshop(settings)


@celery.task(name=TASK)  # type: ignore[untyped-decorator]  # Celery has no types
def run(job_id: str) -> None:
    """Carry out one job."""
    _sign()
    run_job(_workshop(), JobId(UUID(job_id)))
    _sign()


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _begin(**_: object) -> None:
    # A parent that is killed can not end its children; without this each would wait for work for ever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    configure_logs("worker", settings.log_format)


@worker_ready.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _watch(**_: object) -> None:
    watch = Watch(CeleryQueue(celery).lying, lambda: SIGN.value, time.monotonic)
    keep_watch(watch, lambda: os._exit(STUCK))  # at once: what hangs can not be asked to end


@setup_logging.connect  # type: ignore[untyped-decorator]  # Celery has no types
def _logs(**_: object) -> None:
    configure_logs("worker", settings.log_format)


def main() -> None:
    """Run the worker until told to stop."""
    engine = create_postgres_engine(settings, pool_size=1)
    assert_safe_role(engine)
    engine.dispose()
    queues = ",".join(queue.value for queue in Queue)
    concurrency = str(settings.worker_processes)
    # fmt: off
    celery.worker_main([
        "worker", "--pool=prefork", f"--concurrency={concurrency}", f"--queues={queues}",
        "--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel=INFO", "--max-tasks-per-child=200",
    ])
    # fmt: on
