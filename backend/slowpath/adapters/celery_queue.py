"""Celery as the carrier of job ids: the app both ends share, and the sender the relay holds.

Its own acknowledgement is never trusted (see `core.jobs`), so everything that would make Celery
remember is switched off: no results, no retries, no acknowledgement, one message fetched at a time.
"""

from collections.abc import Mapping
from typing import Any, Self

from celery import Celery
from celery.app.amqp import AMQP
from kombu.connection import Connection
from kombu.exceptions import OperationalError
from kombu.transport.virtual import QoS
from redis.exceptions import RedisError

from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue

TASK = "slowpath.run"
FIRST, IN_TURN = 0, 9
"""Priorities. A job whose worker died goes before all others of any queue: it has stood in line once, and there are
never more of them than processes that died. One that kills every worker is given up after its attempts."""
RECONNECT_SECONDS = 0.5


class FastReconnectConnection(Connection):
    """A connection that is tried again at a short and even pace; kombu's own pace is 2 s, 4 s, 6 s, up to 30 s."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401 - handed on as they are
        """Connect, again and again."""
        pace = {"interval_start": RECONNECT_SECONDS, "interval_step": 0, "interval_max": RECONNECT_SECONDS}
        super().ensure_connection(*args, **{**pace, **kwargs})  # type: ignore[no-untyped-call]  # kombu has few types
        return self


class FastReconnectAMQP(AMQP):  # type: ignore[misc]  # Celery has no types
    """Celery's messaging, with such connections."""

    Connection = FastReconnectConnection


def create_celery(broker_url: str) -> Celery:
    """Return the Celery app for the broker."""
    # What was fetched and not begun is not put back into a broker, which may be gone: kombu would leave a file in the
    # temporary folder each time. The relay sends it again.
    QoS.restore_at_shutdown = False
    app = Celery("slowpath", broker=broker_url, amqp=FastReconnectAMQP)
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
        broker_transport_options={
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "max_retries": 1,
            "priority_steps": [FIRST, IN_TURN],  # within one priority, queues are served in turn
            # An acknowledgement that met a broker just killed was never made up for: each took away, for good, one of
            # the few messages the worker may have at once, and after two the worker fetched nothing more.
            "ack_emulation": False,
        },
        task_default_queue=Queue.ANALYSE.value,
        task_create_missing_queues=True,
    )
    return app


class CeleryQueue:
    """A `JobQueue` on Celery."""

    def __init__(self, celery: Celery) -> None:
        """Send through this app."""
        self._celery = celery

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        """Send one job's id; a broker that is away is told, not waited for."""
        priority = FIRST if again else IN_TURN
        try:
            self._celery.send_task(TASK, args=[str(job_id)], queue=queue, priority=priority, retry=False)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.", remedy="It is tried again.") from error

    def count_messages(self) -> Mapping[str, int]:
        """Return how many messages lie in each queue. Raises `Unavailable`."""
        try:
            with self._celery.connection_for_read() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
                channel = connection.default_channel
                # A list for each priority; the first has the queue's plain name.
                lists = {queue.value: (queue.value, f"{queue.value}{channel.sep}{IN_TURN}") for queue in Queue}
                return {queue: sum(map(channel.client.llen, keys)) for queue, keys in lists.items()}
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.") from error

    def check(self) -> None:
        """Open a connection to the broker."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker does not answer.") from error
