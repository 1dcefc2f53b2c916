"""Annotations that Grafana queries with a team's read token."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.evidence.metrics.tables import MetricChangePoint
from slowpath.inventory.catalog.tables import Deployment, Environment, Service
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.production_events.tables import ProductionEvent
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1_000)
HOUR_MS = 3_600_000
RANGE = {"from": str(NOW_MS - HOUR_MS), "to": str(NOW_MS)}
PATH = "/api/v1/grafana/annotations"


def fill(app: AppUnderTest, team: SomeTeam) -> None:
    """Write one deployment, change point, closed event and unconfirmed event of checkout, and a deployment of cart."""
    service, other, environment = new_id(), new_id(), new_id()
    at = NOW - timedelta(minutes=30)
    event = {
        "service_id": service, "environment_id": environment, "signal": "p99", "title": "p99 is 1.8 times as high",
        "sentence": "It rose.", "cause": "deployment", "before": 0.1, "after": 0.18, "ratio": 1.8, "ratio_low": 1.7,
        "ratio_high": 1.9, "severity": "high", "earliest_at": at, "detected_at": at, "occurred_at": at,
    }  # fmt: skip
    change = {
        "service_id": service, "environment_id": environment, "signal": "p99", "at_ms": NOW_MS - HOUR_MS // 2,
        "before": 0.1, "after": 0.18, "ratio": 1.8, "ratio_low": 1.7, "ratio_high": 1.9, "cause": "unexplained",
        "earliest_ms": NOW_MS - HOUR_MS, "latest_ms": NOW_MS, "detected_ms": NOW_MS,
    }  # fmt: skip
    rows: list[Any] = [
        Service(id=service, slug="checkout", name="Checkout"),
        Service(id=other, slug="cart", name="Cart"),
        Environment(id=environment, slug="prod", name="Production"),
        Deployment(
            id=new_id(), service_id=service, environment_id=environment, commit="5f3c1e8" + "0" * 33, started_at=at
        ),
        Deployment(id=new_id(), service_id=other, environment_id=environment, label="v2", started_at=at),
        ProductionEvent(
            id=new_id(), number=31, state="closed", started_at=at, closed_at=NOW - timedelta(minutes=5), **event
        ),
        ProductionEvent(id=new_id(), number=None, state="new", started_at=at, **event),
        MetricChangePoint(id=new_id(), **change),
    ]
    with app.database.writing(TeamScope(team.id)) as session:
        for row in rows:
            row.team_id = team.id
            session.add(row)
            session.flush()


@pytest.fixture
def grafana(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    fill(app, team)
    return app.asked(token=people.token(team, TokenScope.READ).secret)


def test_deployments_change_points_and_events_are_annotations(grafana: TestClient, team: SomeTeam) -> None:
    answer = grafana.get(PATH, params={**RANGE, "environment": "prod", "service": "checkout"})
    assert answer.status_code == 200, answer.text
    items = {item["tags"].partition(",")[0]: item for item in answer.json()["items"]}
    assert list(items) == ["deployment", "change-point", "production-event"]
    begin = NOW_MS - HOUR_MS // 2
    assert [item["time"] for item in items.values()] == [begin] * 3
    assert [item["timeEnd"] for item in items.values()] == [None, None, NOW_MS - 300_000]
    assert items["deployment"]["title"] == "checkout: Deployment 5f3c1e8000"
    assert items["production-event"]["tags"] == "production-event,service:checkout,environment:prod"
    assert "p99" in items["change-point"]["text"]
    assert "/events/" in items["production-event"]["url"]


def test_all_services_of_the_environment_are_listed_without_a_name(grafana: TestClient) -> None:
    tags = [item["tags"] for item in grafana.get(PATH, params={**RANGE, "environment": "prod"}).json()["items"]]
    assert "deployment,service:cart,environment:prod" in tags
    assert len(tags) == 4


def test_what_was_before_the_range_is_left_out(grafana: TestClient) -> None:
    later = {"from": str(NOW_MS - 60_000), "to": str(NOW_MS), "environment": "prod"}
    assert grafana.get(PATH, params=later).json()["items"] == []


def test_names_that_do_not_exist_and_other_teams_are_refused(
    grafana: TestClient, app: AppUnderTest, people: AccountsFactory
) -> None:
    assert grafana.get(PATH, params={"environment": "staging"}).status_code == 404
    assert grafana.get(PATH, params={"environment": "prod", "service": "x"}).status_code == 404
    assert grafana.get(PATH, params={"environment": "prod", "from": "yesterday"}).status_code == 422
    other = people.team("Others")
    theirs = app.asked(token=people.token(other, TokenScope.READ).secret)
    assert theirs.get(PATH, params={"environment": "prod"}).status_code == 404
    assert app.asked().get(PATH).status_code == 401
