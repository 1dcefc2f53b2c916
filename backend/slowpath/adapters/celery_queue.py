"""Celery as the carrier of job ids: the app both ends share, and the sender the relay holds.

Its own acknowledgement is never trusted (see `core.jobs`), so everything that would make Celery
remember is switched off: no results, no retries, one message fetched at a time.
"""

from celery import Celery
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue

TASK = "slowpath.run"


def create_celery(broker_url: str) -> Celery:
    """Return the Celery app for the broker."""
    app = Celery("slowpath", broker=broker_url)
    app.conf.update(
        task_ignore_result=True,
        result_backend=None,
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        # Counts down by what ran when the broker went away, and up when that ends; a child that was killed never ends.
        worker_enable_prefetch_count_reduction=False,
        worker_send_task_events=False,
        task_send_sent_event=False,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_timeout=2,
        broker_transport_options={"socket_timeout": 5, "socket_connect_timeout": 2, "max_retries": 1},
        task_default_queue=Queue.ANALYSE.value,
        task_create_missing_queues=True,
    )
    return app


class CeleryQueue:
    """A `JobQueue` on Celery."""

    def __init__(self, celery: Celery) -> None:
        """Send through this app."""
        self._celery = celery

    def send(self, job_id: JobId, queue: str) -> None:
        """Send one job's id; a broker that is away is told, not waited for."""
        try:
            self._celery.send_task(TASK, args=[str(job_id)], queue=queue, retry=False)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.", remedy="It is tried again.") from error

    def lying(self) -> int:
        """Return how many messages lie in all queues. Raises `Unavailable`."""
        try:
            with self._celery.connection_for_read() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
                client = connection.default_channel.client
                return sum(int(client.llen(queue.value)) for queue in Queue)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.") from error

    def check(self) -> None:
        """Open a connection to the broker."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.") from error
