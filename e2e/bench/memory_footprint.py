"""Memory of the whole idle embedded stack, and of web while it receives a large body."""

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from bench.benchmark_results import BenchmarkResult
from bench.comparison_client import newcomer
from bench.process_cost import parents, proportional_bytes, tree
from bench.stack_benchmarks import beside_stack

NAME = "memory"
SETTLE_SECONDS = 15.0
IDLE_BYTES = 1.5e9
BODY_MIB = 255  # the limit of a file is 256 MiB, including the form
CHUNK = os.urandom(1 << 20)
FLAT_BYTES = 64 << 20


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes a minute."""
    yield from beside_stack("bench.memory_footprint")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    newcomer()  # web has served requests before, as in production
    time.sleep(SETTLE_SECONDS)
    bootstrap = os.getppid()
    idle = {pid: proportional_bytes(pid) for pid in tree(bootstrap, parents(), without=os.getpid())}
    total = sum(idle.values())
    yield BenchmarkResult(
        NAME, f"MB of the whole idle stack, {len(idle)} processes", total / 1e6, goal="<= 1500", met=total <= IDLE_BYTES
    )
    web = int(json.loads(Path(os.environ["SLOWPATH_STATE_FILE"]).read_text())["web"])
    grown, seconds = _receiving(web)
    yield BenchmarkResult(
        NAME, f"MB by which web grows while {BODY_MIB} MiB arrive", grown / 1e6, goal="<= 67", met=grown <= FLAT_BYTES
    )
    yield BenchmarkResult(NAME, f"MB/s at which {BODY_MIB} MiB are received and stored", BODY_MIB * 1.048576 / seconds)


def _receiving(web: int) -> tuple[int, float]:
    """Return (maximum growth of web in bytes, seconds) while one body is sent."""
    person = newcomer()
    before, highest, done = proportional_bytes(web), [0], threading.Event()

    def watch() -> None:
        while not done.is_set():
            highest[0] = max(highest[0], proportional_bytes(web))
            done.wait(0.05)

    def body() -> Iterator[bytes]:
        for _ in range(BODY_MIB):
            yield CHUNK

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.monotonic()
    answer = httpx.put(
        f"{person.url}/api/v1/artifacts/large.bin",
        content=body(),
        headers={"Authorization": f"Bearer {person.token}", "Content-Length": str(BODY_MIB << 20)},
        timeout=300,
    )
    seconds = time.monotonic() - began
    done.set()
    watcher.join()
    if answer.is_error:
        raise RuntimeError(f"the upload was refused: {answer.status_code} {answer.text[:300]}")
    return max(0, highest[0] - before), seconds
