"""What programs and people send while the services have faults: files, samples, comparisons, reads. All of it is repeated."""

import gzip
import hashlib
import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx

from proofs.kill_proof import PROFILE
from tests.factories.remote_write import V1_HEADERS, Point, Sent, v1

TIMEOUT_SECONDS = 40.0
SLOWEST_SECONDS = 35.0
"""No request takes longer: a failure is reported, not waited for."""
RETRY_SECONDS = 0.3
PAUSES_SECONDS = {"upload": 1.0, "push": 0.3, "compare": 1.0, "read": 0.3}
"""Between what is acknowledged and the next. The worker has to keep up, also on cores that have other work."""
COMMIT = "0123456789abcdef0123456789abcdef01234567"
READS = ("/artifacts?limit=50", "/services", "/jobs?limit=50", "/comparisons?limit=50", "/bisects?limit=50")


@dataclass
class FaultsLoad:
    """The threads of the load, and what was acknowledged."""

    url: str
    token: str
    rng: random.Random
    files: dict[str, str] = field(default_factory=dict)
    """SHA-256 of each acknowledged artifact, by ID."""
    comparisons: list[str] = field(default_factory=list)
    samples: dict[int, float] = field(default_factory=dict)
    """Acknowledged samples: value by time in milliseconds."""
    sent_samples: dict[int, float] = field(default_factory=dict)
    failures: dict[str, int] = field(default_factory=dict)
    """Number of failed requests by what they answered."""
    faults: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Begin."""
        works = {"upload": self._upload, "push": self._push, "compare": self._compare, "read": self._read}
        for name, work in works.items():
            self.threads.append(threading.Thread(target=self._run, args=(work, PAUSES_SECONDS[name])))
            self.threads[-1].start()

    def end(self) -> None:
        """Let each thread finish what it sends."""
        self.stop.set()
        for thread in self.threads:
            thread.join(2 * TIMEOUT_SECONDS)

    def client(self) -> httpx.Client:
        """Return a client with the token."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=TIMEOUT_SECONDS)

    def _run(self, work: Callable[[httpx.Client, int], None], pause_s: float) -> None:
        with self.client() as client:
            number = 0
            while not self.stop.is_set():
                number += 1
                work(client, number)
                self.stop.wait(pause_s)

    def _until_done(self, ask: Callable[[], httpx.Response]) -> httpx.Response | None:
        """Repeat a request until it is done, as senders do; None if the load ends before."""
        while True:
            begun = time.monotonic()
            try:
                answer = ask()
            except httpx.TransportError as error:
                self._note(f"{type(error).__name__}")
            else:
                if answer.is_success:
                    return answer
                self._judge(answer)
            took = time.monotonic() - begun
            self.slowest_s = max(self.slowest_s, took)
            if took > SLOWEST_SECONDS:
                self.faults.append(f"a request failed only after {took:.0f} s")
            if self.stop.is_set():
                return None
            self.stop.wait(RETRY_SECONDS)

    def _judge(self, answer: httpx.Response) -> None:
        """Only 503 with a problem is allowed, and a disk or a limit that is full."""
        is_problem = answer.headers.get("Content-Type") == "application/problem+json"
        name = answer.json().get("type", "") if is_problem else answer.text[:100]
        self._note(f"{answer.status_code} {name}")
        if answer.status_code not in {HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.CONFLICT} or not is_problem:
            self.faults.append(
                f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:300]}"
            )

    def _note(self, failure: str) -> None:
        self.failures[failure] = self.failures.get(failure, 0) + 1

    def _upload(self, client: httpx.Client, number: int) -> None:
        content = gzip.compress(gzip.decompress(PROFILE.read_bytes()), 1, mtime=number)
        path = f"/builds/shop/{COMMIT}/artifacts/cpu.{number:04}.pb.gz"
        key = {"Idempotency-Key": f"upload-{number}"}
        if answer := self._until_done(lambda: client.put(path, content=content, headers=key)):
            self.files[answer.json()["id"]] = hashlib.sha256(content).hexdigest()

    def _push(self, client: httpx.Client, number: int) -> None:
        start_ms = int(time.time() * 1000) - 3_600_000 + number * 1_000
        points = {start_ms + step: self.rng.random() for step in range(0, 1_000, 100)}
        self.sent_samples |= points
        body = v1([Sent({"__name__": "up", "pod": "a"}, [Point(at, value) for at, value in points.items()])])
        if self._until_done(lambda: client.post("/metrics/write", content=body, headers=V1_HEADERS)):
            self.samples |= points

    def _compare(self, client: httpx.Client, number: int) -> None:
        ids = list(self.files)
        if len(ids) < 2:
            return
        base, candidate = self.rng.sample(ids, 2)
        body = {"base": {"artifact_ids": [base]}, "candidate": {"artifact_ids": [candidate]}}
        key = {"Idempotency-Key": f"comparison-{number}"}
        if answer := self._until_done(
            lambda: client.post(
                "/comparisons", content=json.dumps(body), headers={**key, "Content-Type": "application/json"}
            )
        ):
            self.comparisons.append(answer.json()["id"])
            self._wait_for(client, self.comparisons[-1])

    def _wait_for(self, client: httpx.Client, comparison_id: str) -> None:
        """Wait for a result, as people do. Comparisons wait before decodes: many would take all the time of a slow worker."""
        while answer := self._until_done(lambda: client.get(f"/comparisons/{comparison_id}")):
            if answer.json()["state"] not in {"waiting", "running"} or self.stop.wait(1.0):
                return

    def _read(self, client: httpx.Client, number: int) -> None:
        self._until_done(lambda: client.get(READS[number % len(READS)]))
