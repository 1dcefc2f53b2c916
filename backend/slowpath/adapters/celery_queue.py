"""Job queue on Celery, which transports only job IDs: the shared Celery app, and the relay's sender.

The jobs table holds the state (see `core.jobs`). Celery's results, retries and acknowledgements are therefore disabled, and
a worker fetches one message at a time.
"""

from collections.abc import Mapping
from typing import Any, Final, Self

from celery import Celery
from celery.app.amqp import AMQP
from kombu.connection import Connection
from kombu.exceptions import OperationalError
from kombu.transport.virtual import QoS
from redis.exceptions import RedisError

from slowpath.adapters.valkey_address import SentinelAddress, read_sentinel_address
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue

TASK = "slowpath.run"
FIRST, IN_TURN = 0, 9
"""Priorities. A job whose worker died has priority over all others, as it has waited already. There are at most as many of
them as killed processes; a job that kills each worker fails after its attempts."""
RECONNECT_SECONDS = 0.5
SOCKET_TIMEOUTS: Final = {"socket_timeout": 5, "socket_connect_timeout": 2}


class FastReconnectConnection(Connection):
    """A connection that reconnects at a short constant interval; kombu's default increases from 2 s to 30 s."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401 - passed on unchanged
        """Connect, with retries at a constant interval."""
        intervals = {"interval_start": RECONNECT_SECONDS, "interval_step": 0, "interval_max": RECONNECT_SECONDS}
        super().ensure_connection(*args, **{**intervals, **kwargs})  # type: ignore[no-untyped-call]  # kombu has few types
        return self


class FastReconnectAMQP(AMQP):  # type: ignore[misc]  # Celery has no types
    """Celery's messaging with `FastReconnectConnection`."""

    Connection = FastReconnectConnection


def create_celery(broker_url: str) -> Celery:
    """Return the Celery app for the broker."""
    # Do not return fetched messages to the broker at shutdown: it may be unavailable, and kombu would then write a file
    # to the temporary folder. The relay sends the jobs again.
    QoS.restore_at_shutdown = False
    address = read_sentinel_address(broker_url)
    app = Celery("slowpath", broker=address.celery_url if address else broker_url, amqp=FastReconnectAMQP)
    app.conf.update(
        task_ignore_result=True,
        result_backend=None,
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        # Celery reduces the count by the running tasks when the connection is lost and restores it when they end, but a
        # killed child never ends.
        worker_enable_prefetch_count_reduction=False,
        worker_send_task_events=False,
        task_send_sent_event=False,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        broker_connection_timeout=2,
        broker_use_ssl=(address.tls if address else None) or None,
        broker_transport_options={
            **SOCKET_TIMEOUTS,
            "max_retries": 1,
            "priority_steps": [FIRST, IN_TURN],  # within one priority, queues are served in turn
            # An acknowledgement lost with the broker is never repeated. Each one permanently reduced the number of
            # messages the worker may fetch; after two, it fetched none.
            "ack_emulation": False,
            **(_sentinel_options(address) if address else {}),
        },
        task_default_queue=Queue.ANALYSE.value,
        task_create_missing_queues=True,
    )
    return app


def _sentinel_options(address: SentinelAddress) -> dict[str, Any]:
    of_sentinels = {**SOCKET_TIMEOUTS, **address.sentinel_sign_in, **address.client_tls}
    return {"master_name": address.primary, "sentinel_kwargs": of_sentinels}


class CeleryQueue:
    """A `JobQueue` on Celery."""

    def __init__(self, celery: Celery) -> None:
        """Send through this app."""
        self._celery = celery

    def send(self, job_id: JobId, queue: str, *, again: bool = False) -> None:
        """Send one job's ID, without waiting for an unavailable broker. Raises `Unavailable`."""
        priority = FIRST if again else IN_TURN
        try:
            self._celery.send_task(TASK, args=[str(job_id)], queue=queue, priority=priority, retry=False)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker is not available.", remedy="The relay will retry.") from error

    def count_messages(self) -> Mapping[str, int]:
        """Return the number of messages by queue. Raises `Unavailable`."""
        try:
            with self._celery.connection_for_read() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
                channel = connection.default_channel
                # One Redis list per priority; that of the first has the queue's name.
                lists = {queue.value: (queue.value, f"{queue.value}{channel.sep}{IN_TURN}") for queue in Queue}
                return {queue: sum(map(channel.client.llen, keys)) for queue, keys in lists.items()}
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker is not available.") from error

    def check(self) -> None:
        """Open a connection to the broker. Raises `Unavailable`."""
        try:
            with self._celery.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
        except (OperationalError, RedisError, OSError) as error:
            raise Unavailable("The broker is not available.") from error
