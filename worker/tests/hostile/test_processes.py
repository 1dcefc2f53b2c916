"""Several web processes on one port: they share state, and their counters are reported as one."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.support.databases import TestDatabase
from tests.support.running_stacks import running_stack

pytestmark = [pytest.mark.database, pytest.mark.processes]


def test_sessions_rates_and_counters_are_those_of_all_processes(migrated: TestDatabase, tmp_path: Path) -> None:
    migrated.empty()
    with running_stack(migrated, tmp_path, web_only=True, web_processes=2) as stack, stack.signed_up() as client:

        def fresh(path: str) -> int:  # a new connection, which either process may accept
            return httpx.get(stack.address + path, headers=dict(client.headers), timeout=30).status_code

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(fresh, ["/api/v1/services"] * 60)) == {200}
        wrong = {"email": "nobody@example.com", "password": "not the password"}
        tries = [httpx.post(f"{stack.address}/api/v1/session", json=wrong, timeout=30).status_code for _ in range(12)]
        assert (tries.count(401), tries.count(429)) == (10, 2)

        counts = [_counted(httpx.get(f"{stack.address}/metrics", timeout=30).text) for _ in range(10)]
        assert counts[0] >= 60
        assert counts == sorted(counts)

        client.delete("/sessions").raise_for_status()
        assert {fresh("/api/v1/services") for _ in range(10)} == {401}


def _counted(text: str) -> float:
    expected = 'slowpath_http_requests_total{method="GET",route="/api/v1/services",status="200"}'
    return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(expected))
