"""Bombs through the real stack: each is rejected quickly by name, and others are not affected."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self
from uuid import uuid4

import httpx
import pytest

from proofs.bombs import BOMBS, GOOD, MIB, Bomb
from slowpath_worker.decode_limits import BASE_MEMORY_BYTES, MAX_MEMORY_BYTES
from tests.support.running_stacks import RunningStack, forget_peak, reported_faults, resident_bytes
from tests.support.worker_supervisor import children_of

pytestmark = [pytest.mark.database, pytest.mark.processes]

REFUSED_SECONDS = 2.0
WEB_GROWTH_BYTES = 64 * MIB
TRIES = 3
"""A machine that others keep busy makes everything slow at times; a bomb that works is slow each time."""
PATIENCE_SECONDS = 60.0
POLL_SECONDS = 0.005


class ChildWatch:
    """Remembers the most memory that any decode child of a worker had; others may decode on this machine too."""

    def __init__(self, worker: int) -> None:
        self.peak = 0
        self._worker = worker
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(POLL_SECONDS):
            for process in children_of(self._worker):
                for child in children_of(process):
                    with suppress(OSError):
                        self.peak = max(self.peak, resident_bytes(child, peak=True))


@pytest.fixture(scope="module")
def client(stack: RunningStack) -> Iterator[httpx.Client]:
    client = stack.signed_up()
    yield client
    client.close()


def send(client: httpx.Client, name: str, content: bytes, batch: str) -> str:
    answer = client.put(f"/artifacts/{name}", content=content, params={"batch": batch})
    assert answer.status_code == 201, answer.text
    artifact_id: str = answer.json()["id"]
    return artifact_id


def ended(client: httpx.Client, artifact_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        body: dict[str, Any] = client.get(f"/artifacts/{artifact_id}").json()
        if body["state"] not in {"received", "decoding"} or time.monotonic() > deadline:
            return body
        time.sleep(0.05)


def seconds_taken(client: httpx.Client, job_id: str) -> float:
    """Return how long the job ran: what the file costs, without the queue before it."""
    job = client.get(f"/jobs/{job_id}").json()
    begun, over = (time.strptime(job[at][:19], "%Y-%m-%dT%H:%M:%S") for at in ("started_at", "finished_at"))
    fractions = [
        float("0." + job[at].rstrip("Z").partition(".")[2].ljust(1, "0")) for at in ("finished_at", "started_at")
    ]
    return time.mktime(over) - time.mktime(begun) + fractions[0] - fractions[1]


def test_there_are_twenty_kinds_and_each_is_small() -> None:
    assert len(BOMBS) >= 20
    assert len({bomb.name for bomb in BOMBS}) == len(BOMBS)
    assert all(len(bomb.make()) <= MIB for bomb in BOMBS)


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name.replace(" ", "-"))
def test_a_bomb_is_rejected_quickly_by_name_and_stored(client: httpx.Client, stack: RunningStack, bomb: Bomb) -> None:
    content = bomb.make()
    web = stack.pid("web")
    forget_peak(web)
    before = resident_bytes(web)

    with ChildWatch(stack.pid("worker")) as watch:
        finished = ended(client, send(client, "bomb", content, str(uuid4())))

    assert finished["state"] == "invalid", finished
    error = finished["error"]
    assert error["detail"]
    assert not error["type"].endswith(":fault")
    if bomb.limited:
        assert error["limit"] is not None, error
        assert error["value"] is not None, error
        assert error["unit"]
    taken = [seconds_taken(client, finished["job_id"])]
    while min(taken) > REFUSED_SECONDS and len(taken) < TRIES:
        client.post(f"/artifacts/{finished['id']}/retry")
        ended(client, finished["id"])
        taken.append(seconds_taken(client, finished["job_id"]))
    assert min(taken) <= REFUSED_SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert resident_bytes(web, peak=True) - before <= WEB_GROWTH_BYTES
    assert watch.peak <= min(BASE_MEMORY_BYTES + 24 * 8 * MIB, MAX_MEMORY_BYTES)
    assert client.get(f"/artifacts/{finished['id']}/original").content == content


def test_the_rest_of_a_batch_is_unharmed(client: httpx.Client, stack: RunningStack) -> None:
    batch = str(uuid4())
    good = [send(client, "good.0", GOOD, batch)]
    bad = [send(client, bomb.name, bomb.make(), batch) for bomb in BOMBS[::4]]
    good.append(send(client, "good.1", GOOD, batch))

    assert {ended(client, artifact_id)["state"] for artifact_id in good} == {"decoded"}
    assert {ended(client, artifact_id)["state"] for artifact_id in bad} == {"invalid"}
    listed = client.get("/artifacts", params={"batch": batch, "limit": 100}).json()["items"]
    assert len(listed) == len(good) + len(bad)
    assert reported_faults(stack.folder) == []
