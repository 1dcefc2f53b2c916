"""The guardrail reads the service's own metrics of the last minutes."""

from datetime import UTC, datetime

import pytest

from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.bisects.service import bisect_monitor
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, remote_write_body
from tests.bisects.conftest import Search, plan_of
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
NOW = datetime.fromtimestamp(NOW_MS / 1000, UTC)
MINUTES = 10


def push(search: Search, people: AccountsFactory, service: SomeService) -> None:
    body = remote_write_body(list(service.written()))
    search.clock.at = NOW
    pusher = people.app.asked(token=people.token(search.bench.team, TokenScope.UPLOAD).secret)
    answer = pusher.post("/api/v1/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS)
    assert answer.status_code == 204, answer.text


def reason(search: Search, minutes_later: float = 0, **guard: float) -> str | None:
    path = f"/api/v1/bisects/{search.bisect_id}"
    search.clock.at = search.now()
    assert search.person.patch(path, json={"settings": {"guardrail": guard}}).status_code == 200
    now = datetime.fromtimestamp(NOW_MS / 1000 + 60 * minutes_later, UTC)
    with search.bench.worker_context.database.reading(search.scope) as session:
        return bisect_monitor.check_guardrail(session, search.bisect_id, now=now)


def test_the_guardrail_stops_only_failing_or_slow_probes(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    push(search, people, SomeService("ingester", NOW_MS - MINUTES * 60_000, NOW_MS))
    assert reason(search, error_rate=0.5) is None
    assert "error rate" in (reason(search, error_rate=0.0001) or "")
    assert reason(search, p99_ns=60e9) is None
    assert "p99" in (reason(search, p99_ns=1e3) or "")
    assert reason(search, minutes_later=30, p99_ns=1e3) is None, "old samples say nothing"
    assert reason(search) is None
