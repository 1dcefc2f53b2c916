"""Windows of metrics, from pushed samples to the result of a comparison."""

from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import JobId
from slowpath.platform.accounts.rules.roles import TokenScope
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest
from tests.tasks.test_decode_handlers import CPU, again, put

pytestmark = pytest.mark.database

MINUTE = 60_000
NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
DEPLOY_MS = NOW_MS - 30 * MINUTE
SLOWER = (0.2, 0.4, 0.9, 1.0)


@pytest.fixture
def checkout(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    """A service that answers more slowly since a restart half an hour ago."""
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    for service in (
        SomeService("checkout", DEPLOY_MS - 40 * MINUTE, DEPLOY_MS),
        SomeService("checkout", DEPLOY_MS + MINUTE // 4, NOW_MS, shares=SLOWER),
    ):
        answer = program.post(
            "/api/v1/metrics/write", content=remote_write_body(list(service.written())), headers=REMOTE_WRITE_HEADERS
        )
        assert answer.status_code == 204, answer.text


def run_open(bench: Bench) -> None:
    """Carry out what is open, but for the watching of metrics, which goes on for ever."""
    for _ in range(20):
        found = bench.admin.execute(
            "SELECT id FROM job WHERE state = 'waiting' AND name NOT LIKE 'metrics.%' "
            "AND name <> 'notifications.delete-old' ORDER BY created_at, id LIMIT 1"
        ).fetchone()
        if found is None:
            return
        bench.change(JobId(found[0]), "not_before = clock_timestamp()")
        bench.carry_out(JobId(found[0]))
    raise AssertionError("it does not end")


def window(client: TestClient, from_ms: int, to_ms: int) -> dict[str, Any]:
    (service,) = client.get("/api/v1/services").json()["items"]
    (environment,) = client.get("/api/v1/environments").json()["items"]
    begin, end = (datetime.fromtimestamp(ms / 1000, UTC).isoformat() for ms in (from_ms, to_ms))
    return {"service_id": service["id"], "environment_id": environment["id"], "from": begin, "to": end}


def compared(client: TestClient, bench: Bench, base: dict[str, Any], candidate: dict[str, Any]) -> dict[str, Any]:
    asked = client.post("/api/v1/comparisons", json={"base": base, "candidate": candidate})
    assert asked.status_code == 201, asked.text
    run_open(bench)
    current: dict[str, Any] = again(client, asked.json(), "comparisons")
    return current


@pytest.mark.usefixtures("checkout")
def test_a_slower_window_is_reported_as_likely(client: TestClient, bench: Bench) -> None:
    before = {"time_range": window(client, DEPLOY_MS - 30 * MINUTE, DEPLOY_MS)}
    after = {"time_range": window(client, DEPLOY_MS + MINUTE, NOW_MS)}
    comparison = compared(client, bench, before, after)

    assert comparison["state"] == "done", comparison["problem"]
    assert (comparison["verdict"], comparison["views"], comparison["artifact_kinds"]) == ("inconclusive", [], [])
    (finding,) = comparison["result"]["findings"]
    assert (finding["kind"], finding["subject"], finding["direction"]) == ("metrics.latency", "checkout", "worse")
    assert (finding["quantile"], finding["is_significant"], finding["unit"]) == (0.5, False, "seconds")
    assert finding["base"] == pytest.approx(0.18, rel=0.05)
    assert finding["candidate"] == pytest.approx(0.6, rel=0.05)
    side = comparison["result"]["sides"]["base"]["time_range"]
    assert (side["service"], side["environment"], side["instance_count"]) == ("checkout", "production", 2)
    assert side["request_count"] == pytest.approx(100 * 60 * 30, rel=0.05)
    assert "before-after" in {caveat["id"] for caveat in comparison["result"]["caveats"]}

    same = compared(client, bench, {"time_range": window(client, DEPLOY_MS - 30 * MINUTE, DEPLOY_MS - 15 * MINUTE)},
                    {"time_range": window(client, DEPLOY_MS - 15 * MINUTE, DEPLOY_MS)})  # fmt: skip
    assert (same["result"]["findings"], same["verdict"]) == ([], "unchanged")


@pytest.mark.usefixtures("checkout")
def test_windows_stand_beside_profiles_and_may_be_gone_later(client: TestClient, bench: Bench) -> None:
    profiles = [put(client, content)["id"] for content in (CPU, CPU)]
    run_open(bench)
    sides: list[dict[str, Any]] = [
        {"artifact_ids": [artifact], "time_range": window(client, *between)}
        for artifact, between in zip(
            profiles, ((DEPLOY_MS - 30 * MINUTE, DEPLOY_MS), (DEPLOY_MS + MINUTE, NOW_MS)), strict=True
        )
    ]
    comparison = compared(client, bench, *sides)

    assert comparison["state"] == "done", comparison["problem"]
    assert {view["kind"] for view in comparison["views"]} == {"cpu"}
    assert [each["kind"] for each in comparison["result"]["findings"]] == ["metrics.latency"]

    nothing = compared(
        client, bench, sides[0], {**sides[1], "artifact_ids": [put(client, CPU)["id"]],
                                  "time_range": window(client, NOW_MS - 3_000 * MINUTE, NOW_MS - 2_900 * MINUTE)}
    )  # fmt: skip
    assert nothing["state"] == "done", nothing["problem"]
    assert nothing["result"]["findings"] == []
    assert "latency-nothing" in {caveat["id"] for caveat in nothing["result"]["caveats"]}

    asked = client.post("/api/v1/comparisons", json=dict(zip(("base", "candidate"), sides, strict=True))).json()
    assert client.delete(f"/api/v1/services/{sides[0]['time_range']['service_id']}").status_code in {200, 204}
    run_open(bench)
    gone = again(client, asked, "comparisons")
    assert gone["state"] == "done", gone["problem"]
    assert gone["result"]["sides"]["base"]["time_range"] is None
