"""Job ids travel through a real broker; what its death could leave behind in Celery is switched off."""

import os
from uuid import uuid4

import pytest
from kombu.exceptions import OperationalError

from slowpath.adapters.celery_queue import AGAIN, RECONNECT_SECONDS, CeleryQueue, create_celery, lines
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue

NOBODY = "redis://127.0.0.1:1/0"


@pytest.mark.database
def test_messages_lie_in_their_line_and_count_for_their_queue() -> None:
    celery = create_celery(f"{os.environ['BROKER_URL'].rpartition('/')[0]}/15")
    queue, before = CeleryQueue(celery), CeleryQueue(celery).lying()
    queue.send(JobId(uuid4()), Queue.BISECT)
    queue.send(JobId(uuid4()), Queue.BISECT, again=True)

    lying = queue.lying()

    assert lying[Queue.BISECT] == before[Queue.BISECT] + 2
    assert lying[Queue.NOTIFY] == before[Queue.NOTIFY]
    with celery.connection_for_read() as connection:
        client = connection.default_channel.client
        assert [int(client.llen(line)) for line in (Queue.BISECT.value, Queue.BISECT + AGAIN)] == [1, 1]
        client.delete(Queue.BISECT.value, Queue.BISECT + AGAIN)


@pytest.mark.database
def test_an_acknowledgement_asks_nothing_of_the_broker() -> None:
    """One that could fail would take away, for good, one of the few messages a worker may have at once."""
    celery = create_celery(f"{os.environ['BROKER_URL'].rpartition('/')[0]}/15")
    CeleryQueue(celery).send(JobId(uuid4()), Queue.BISECT)
    with celery.connection_for_read() as connection:
        channel = connection.default_channel
        channel.basic_qos(0, 1, False)
        message = channel.basic_get(Queue.BISECT.value)
        assert not channel.qos.can_consume()
        pool = channel.pool
        pool.connection_kwargs["port"] = 1  # nobody listens there
        pool.reset()

        message.ack()

        assert channel.qos.can_consume()


def test_a_broker_that_is_away_is_told() -> None:
    queue = CeleryQueue(create_celery(NOBODY))
    for ask in (lambda: queue.send(JobId(uuid4()), Queue.DECODE), queue.lying, queue.check):
        with pytest.raises(Unavailable):
            ask()


def test_a_broker_that_is_away_is_asked_again_at_an_even_pace() -> None:
    pauses: list[float] = []
    connection = create_celery(NOBODY).connection_for_read()
    with pytest.raises(OperationalError, match="refused"):
        connection.ensure_connection(lambda _error, pause: pauses.append(pause), 3)
    assert pauses == [RECONNECT_SECONDS] * 3


def test_a_worker_takes_from_every_queue_and_the_line_beside_it() -> None:
    assert set(lines()) == {queue.value for queue in Queue} | {f"{queue.value}-again" for queue in Queue}
