"""Job ids travel through a real broker; what its death could leave behind in Celery is switched off."""

import os
from uuid import uuid4

import pytest
from kombu.exceptions import OperationalError
from kombu.messaging import Consumer

from slowpath.adapters.celery_queue import RECONNECT_SECONDS, CeleryQueue, create_celery
from slowpath.core.errors import Unavailable
from slowpath.core.ids import JobId
from slowpath.core.jobs import Queue

BROKER = f"{os.environ.get('BROKER_URL', '').rpartition('/')[0]}/15"
"""A number of its own; and each test has its queue."""
NO_BROKER = "redis://127.0.0.1:1/0"


@pytest.mark.database
def test_queue_lengths_include_all_priorities() -> None:
    queue = CeleryQueue(create_celery(BROKER))
    before = queue.count_messages()
    queue.send(JobId(uuid4()), Queue.BISECT)
    queue.send(JobId(uuid4()), Queue.BISECT, again=True)

    lying = queue.count_messages()

    assert lying[Queue.BISECT] == before[Queue.BISECT] + 2
    assert lying[Queue.NOTIFY] == before[Queue.NOTIFY]


@pytest.mark.database
def test_a_job_whose_worker_died_comes_first() -> None:
    celery = create_celery(BROKER)
    first, second, left_behind = (JobId(uuid4()) for _ in range(3))
    for job_id in (first, second, left_behind):
        CeleryQueue(celery).send(job_id, Queue.DECODE, again=job_id == left_behind)
    taken: list[str] = []

    def take(body: list[list[str]], _message: object) -> None:
        taken.append(body[0][0])

    with celery.connection_for_read() as connection:
        consumer = Consumer(connection, [celery.amqp.queues[Queue.DECODE.value]], callbacks=[take], accept=["json"])  # type: ignore[no-untyped-call]  # kombu has few types
        consumer.consume()  # type: ignore[no-untyped-call]  # as above
        while len(taken) < 3:
            connection.drain_events(timeout=5)

    assert taken == [str(left_behind), str(first), str(second)]


@pytest.mark.database
def test_an_acknowledgement_asks_nothing_of_the_broker() -> None:
    """One that could fail would take away, for good, one of the few messages a worker may have at once."""
    celery = create_celery(BROKER)
    CeleryQueue(celery).send(JobId(uuid4()), Queue.ANALYSE)
    with celery.connection_for_read() as connection:
        channel = connection.default_channel
        channel.basic_qos(0, 1, False)
        message = channel.basic_get(Queue.ANALYSE.value)
        assert not channel.qos.can_consume()
        pool = channel.pool
        pool.connection_kwargs["port"] = 1  # no process listens there
        pool.reset()

        message.ack()

        assert channel.qos.can_consume()


def test_an_unavailable_broker_is_reported() -> None:
    queue = CeleryQueue(create_celery(NO_BROKER))
    for ask in (lambda: queue.send(JobId(uuid4()), Queue.DECODE), queue.count_messages, queue.check):
        with pytest.raises(Unavailable):
            ask()


def test_a_broker_that_is_away_is_asked_again_at_an_even_pace() -> None:
    pauses: list[float] = []
    connection = create_celery(NO_BROKER).connection_for_read()
    with pytest.raises(OperationalError, match="refused"):
        connection.ensure_connection(lambda _error, pause: pauses.append(pause), 3)
    assert pauses == [RECONNECT_SECONDS] * 3
