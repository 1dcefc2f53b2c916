"""Response times for CI: a file of 5 MB uploaded to a build, and a signed webhook of GitHub, until both are durable.

All files are different; the worker decodes them concurrently, as usual. There is no peer: results are a value and a goal.
"""

import hmac
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence

import httpx
import numpy as np

from bench.benchmark_results import BenchmarkResult
from bench.comparison_client import newcomer
from bench.stack_benchmarks import beside_stack

NAME = "ci"
FILES = 200
FILE_BYTES = 5_000_000
MESSAGES = 300
GOAL_MS = 500.0
SIGNED_WITH = "of-the-bench-and-no-secret"


def run() -> Iterator[BenchmarkResult]:
    """Yield all results; takes two minutes."""
    yield from beside_stack("bench.ci_latency")


def inside() -> Iterator[BenchmarkResult]:
    """Yield the results, with a running stack."""
    person = newcomer()
    rng = np.random.default_rng(1)
    with httpx.Client(base_url=f"{person.url}/api/v1", timeout=60) as http:
        http.headers["Authorization"] = f"Bearer {person.token}"

        def put(number: int) -> httpx.Response:
            address = f"/builds/ingester/{number // 4:040x}/artifacts/cpu.{number % 4}.pprof"
            return http.put(address, content=rng.bytes(FILE_BYTES), params={"branch": "main"})

        yield from _latency_results(f"a file of {FILE_BYTES / 1e6:.0f} MB to its build", _answered_ms(put, FILES, 201))
        hook = person.call("POST", "/webhooks", json={"name": "bench", "kind": "github", "secret": SIGNED_WITH})[
            "webhook"
        ]
        yield from _latency_results("a push of GitHub, 20 commits", _answered_ms(_pushing(hook["id"]), MESSAGES, 202))


def _pushing(hook_id: str) -> Callable[[int], httpx.Response]:
    address = f"{os.environ['SLOWPATH_URL']}/api/v1/webhooks/{hook_id}/github"
    http = httpx.Client(timeout=60)

    def push(number: int) -> httpx.Response:
        commits = [
            {"id": f"{number * 20 + each:040x}", "message": "x" * 200, "modified": [f"file{each}.go"] * 20}
            for each in range(20)
        ]
        body = json.dumps({"ref": "refs/heads/main", "commits": commits}).encode()
        return http.post(
            address,
            content=body,
            headers={
                "X-GitHub-Event": "push",
                "X-GitHub-Delivery": str(number),
                "X-Hub-Signature-256": f"sha256={hmac.new(SIGNED_WITH.encode(), body, 'sha256').hexdigest()}",
            },
        )

    return push


def _answered_ms(ask: Callable[[int], httpx.Response], times: int, status: int) -> list[float]:
    took = []
    for number in range(times):
        began = time.monotonic()
        answer = ask(number)
        took.append((time.monotonic() - began) * 1000)
        if answer.status_code != status:
            raise RuntimeError(f"answered {answer.status_code}: {answer.text[:300]}")
    return took


def _latency_results(what: str, took_ms: Sequence[float]) -> Iterator[BenchmarkResult]:
    p99 = float(np.quantile(took_ms, 0.99))
    yield BenchmarkResult(NAME, f"{what}: ms to the answer, median", float(np.median(took_ms)))
    yield BenchmarkResult(NAME, f"{what}: ms to the answer, p99", p99, goal=f"< {GOAL_MS:.0f} ms", met=p99 < GOAL_MS)
