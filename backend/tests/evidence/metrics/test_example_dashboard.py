"""The example's history through the public API: the dashboard shows the step at the deployment, and counters continue."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.random import default_rng

from slowpath.analysis.formats.column_file import read_columns
from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId
from slowpath.evidence.metrics.service import change_causes, change_detection, deployment_checks
from slowpath.evidence.metrics.service.detection_cache import DetectionCache
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath_cli.commands.example_dashboard import seed_board
from slowpath_worker.example.dashboard_plan import ExampleDashboard
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

FOLDER = Path(__file__).resolve().parents[4] / "worker" / "example" / "board"
NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""


def request_json(client: TestClient, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401 - JSON
    answer = client.request(method, f"/api/v1{path}", **what)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def test_the_board_shows_the_step_at_the_deploy(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    program, person = (
        app.asked(token=people.token(team, TokenScope.WRITE).secret),
        app.asked(cookie=team.owner.cookie),
    )
    plan = json.loads((FOLDER / "investigation.json").read_text())
    environment = request_json(person, "POST", "/environments", json=plan["environment"])["id"]
    service = request_json(person, "POST", "/services", json=plan["service"])["id"]
    builds = {
        each["id"]: request_json(program, "POST", "/builds", json={"service_id": service, "commit": each["commit"]})[
            "id"
        ]
        for each in plan["builds"]
    }

    def write(content: bytes, headers: Mapping[str, str]) -> None:
        answer = program.post("/api/v1/metrics/write", content=content, headers=dict(headers))
        assert answer.status_code == 204, answer.text

    board = ExampleDashboard(plan, FOLDER, service, environment, builds, NOW_MS)
    seed_board(lambda method, path, **what: request_json(program, method, path, **what), write, board)

    asked = {"environment_id": environment, "from": str(NOW_MS - 4 * 3_600_000), "to": str(NOW_MS)}
    shown = read_columns(program.get("/api/v1/dashboard", params=asked).content, "slowpath.board")
    header: Mapping[str, Any] = shown.header
    rows = [each["service"]["name"] for each in header["rows"]]
    assert sorted(rows) == ["distributor", "ingester"]
    deploys = [each for each in header["deployments"] if each["at_ms"] > NOW_MS - 4 * 3_600_000]
    assert [(each["commit"][:7], len(each["commits"])) for each in deploys] == [("a84f3c1", 2)]

    times = header["from_ms"] + header["step_ms"] * np.arange(header["points"])
    before, after = times < board.ago(85), times > board.ago(75)
    p99 = {name: shown.arrays[f"r{number}_p99"] for number, name in enumerate(rows)}
    qps = {name: shown.arrays[f"r{number}_qps_2xx"] for number, name in enumerate(rows)}
    step = np.nanmedian(p99["distributor"][after]) / np.nanmedian(p99["distributor"][before])
    assert step > 1.5
    assert np.nanmedian(p99["ingester"][after]) / np.nanmedian(p99["ingester"][before]) == pytest.approx(1, abs=0.1)
    # One of two distributors still has the old build: the deployment is compared with it.
    with app.database.reading(TeamScope(team.id)) as session:
        gathered = change_detection.gather_scan_input(session, EnvironmentId(UUID(environment)), DetectionCache())
        assert gathered is not None
        looks = deployment_checks.list_due_evaluations(session, gathered)
    found = change_causes.attribute_causes(
        gathered, change_detection.detect_change_points(gathered, DetectionCache(), team.id, default_rng(1))
    )
    assert [(str(each.service_id), each.explained.cause) for each in found] == [(service, "deployment")]
    checks = {one.due.minutes: one.check for one in deployment_checks.evaluate_deployments(looks, default_rng(1))}
    assert {one.basis for one in checks.values()} == {"concurrent"}
    assert checks[60].verdict == checks[15].verdict == "slower"
    # One write is three, and ingesters go on over the distributor's deploy as if nothing was.
    assert np.nanmedian(qps["ingester"]) / np.nanmedian(qps["distributor"]) == pytest.approx(3, rel=0.02)
    assert np.nanmin(qps["ingester"][5:-5]) > 0.9 * np.nanmedian(qps["ingester"])
