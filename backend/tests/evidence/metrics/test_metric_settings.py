"""Received metrics are listed with their reason; custom rules apply at once; retention is set per team."""

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId
from slowpath.evidence.metrics.service import service_signals
from tests.evidence.metrics.conftest import NOW_MS, Push
from tests.factories.accounts import SomeTeam
from tests.factories.remote_write import Point, Sent
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database


def series(name: str, **labels: str) -> Sent:
    return Sent({"__name__": name, **labels}, [Point(NOW_MS, 1.0)])


PUSHED = [
    series("http_requests_total", job="api", code="200", instance="a"),
    *(series(f"http_request_duration_seconds_{part}", job="api", instance="a") for part in ("bucket", "sum", "count")),
    series("queue_depth", job="api", env="staging"),
    series("http_client_request_duration_seconds_sum", job="api"),
    series("requests_total", instance="x"),
    series("go_goroutines", job="api"),
]


def by_name(client: TestClient) -> dict[str, tuple[str | None, str]]:
    answer = client.get("/api/v1/metrics/names").json()
    return {item["name"]: (item["role"], item["reason_code"]) for item in answer["items"]}


def test_each_metric_name_is_listed_with_its_role_and_reason(push1: Push, client: TestClient) -> None:
    assert push1(*PUSHED).status_code == 204

    assert by_name(client) == {
        "http_requests_total": ("requests", "by-name"),
        "http_request_duration_seconds_bucket": ("latency", "by-name"),
        "http_request_duration_seconds_sum": ("latency", "by-name"),
        "http_request_duration_seconds_count": ("latency", "by-name"),
        "queue_depth": ("gauge", "by-name"),
        "http_client_request_duration_seconds_sum": (None, "client-side"),
        "requests_total": (None, "no-service"),
        "go_goroutines": (None, "unusual-name"),
    }
    body = client.get("/api/v1/metrics/names").json()
    assert (body["series"], body["has_more"]) == (8, False)


def test_a_metric_name_is_listed_once_for_all_services(push1: Push, client: TestClient) -> None:
    several = [series("http_requests_total", job=job, env=env) for job in ("api", "web", "db") for env in ("a", "b")]
    push1(*several, series("queue_depth", job="api", env="a"))
    requests, depth = client.get("/api/v1/metrics/names").json()["items"]
    assert (requests["name"], requests["series"], requests["services"]) == ("http_requests_total", 6, 3)
    assert (requests["service_id"], requests["environment_id"]) == (None, None)
    services = {row["name"]: row["id"] for row in client.get("/api/v1/services").json()["items"]}
    assert (depth["services"], depth["service_id"]) == (1, services["api"])


def test_services_and_environments_that_are_seen_are_in_the_catalog(push1: Push, client: TestClient) -> None:
    push1(*PUSHED)

    assert [one["name"] for one in client.get("/api/v1/services").json()["items"]] == ["api"]
    environments = {one["name"] for one in client.get("/api/v1/environments").json()["items"]}
    assert environments == {"production", "staging"}


def test_signals_of_an_environment_have_their_selectors(
    push1: Push, client: TestClient, app: AppUnderTest, team: SomeTeam
) -> None:
    push1(*PUSHED)
    ids = {one["name"]: EnvironmentId(one["id"]) for one in client.get("/api/v1/environments").json()["items"]}

    with app.database.reading(TeamScope(team.id)) as session:
        (signal,) = service_signals.of_environment(session, ids["production"])
        (staging,) = service_signals.of_environment(session, ids["staging"])

    (requests,), (latency,) = signal.requests, signal.latency
    assert (requests.shape, requests.status_label, requests.instance_label) == ("counter", "code", "instance")
    assert (latency.family, latency.shape, latency.scale) == ("http_request_duration_seconds", "classic", 1.0)
    assert latency.equal["job"] == "api"
    assert latency.equal["env"] == ""
    assert (staging.requests, staging.latency, len(staging.gauges)) == ((), (), 1)
    assert staging.why_no_latency is not None


def test_a_rule_changes_what_is_there_and_what_comes(push1: Push, client: TestClient) -> None:
    push1(*PUSHED)
    rule = {"metric": "go_goroutines", "role": "gauge", "title": "Goroutines"}

    made = client.post("/api/v1/metric-rules", json=rule)

    assert made.status_code == 201
    assert by_name(client)["go_goroutines"] == ("gauge", "by-rule")
    push1(series("go_goroutines", job="other"))
    assert {one["name"] for one in client.get("/api/v1/services").json()["items"]} == {"api", "other"}

    assert client.patch(f"/api/v1/metric-rules/{made.json()['id']}", json={"role": "ignore"}).status_code == 200
    assert by_name(client)["go_goroutines"] == (None, "ignored")
    assert client.delete(f"/api/v1/metric-rules/{made.json()['id']}").status_code == 204
    assert by_name(client)["go_goroutines"] == (None, "unusual-name")


def test_a_rule_names_the_service_where_no_label_does(push1: Push, client: TestClient) -> None:
    push1(*PUSHED)

    client.post(
        "/api/v1/metric-rules", json={"metric": "requests_total", "role": "requests", "service_label": "instance"}
    )

    assert by_name(client)["requests_total"] == ("requests", "by-rule")
    assert "x" in {one["name"] for one in client.get("/api/v1/services").json()["items"]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "", "role": "gauge"},
        {"metric": "a\0", "role": "gauge"},
        {"metric": "a", "role": "x"},
        {"metric": "a", "role": "gauge", "seconds_per_unit": 0},
        {"metric": "a", "role": "gauge", "more": 1},
    ],
)
def test_rules_are_checked(client: TestClient, wrong: object) -> None:
    assert client.post("/api/v1/metric-rules", json=wrong).status_code == 422


def test_the_retention_of_samples_is_set_per_team(client: TestClient, push1: Push) -> None:
    assert client.get("/api/v1/metrics/settings").json() == {"retention_days": 30, "series": 0, "max_series": 200_000}

    assert client.patch("/api/v1/metrics/settings", json={"retention_days": 2}).status_code == 200

    answer = push1(Sent({"__name__": "up"}, [Point(NOW_MS - 3 * 86_400_000, 1.0), Point(NOW_MS, 1.0)]))
    assert answer.status_code == 400
    assert "too-old" in answer.json()["detail"]
    assert client.get("/api/v1/metrics/settings").json()["series"] == 1
    assert client.patch("/api/v1/metrics/settings", json={"retention_days": 0}).status_code == 422


def test_a_team_has_as_many_series_as_it_may(push1: Push, app: AppUnderTest, client: TestClient) -> None:
    app.settings.max_series = 3

    answer = push1(*(series("up", job=f"job{number}") for number in range(5)))

    assert answer.status_code == 400
    assert "2 × too-many-series" in answer.json()["detail"]
    assert client.get("/api/v1/metrics/settings").json()["series"] == 3
    assert push1(*(series("up", job=f"job{number}") for number in range(3))).status_code == 204


def test_hostile_names_of_services_make_no_service(push1: Push, client: TestClient) -> None:
    push1(series("http_requests_total", job="☃☃☃"))

    assert by_name(client)["http_requests_total"] == (None, "name-unusable")
    assert client.get("/api/v1/services").json()["items"] == []


def test_blocks_hold_so_many_series_and_not_more(push1: Push, app: AppUnderTest, team: SomeTeam) -> None:
    """One bundle, filled in steps: no block is larger than it may be, and each is filled before the next begins."""
    for first, last in ((0, 200), (200, 300), (300, 900)):
        assert push1(*(series("a_total", job="x", pod=f"{n:04}") for n in range(first, last))).status_code == 204

    with app.database.reading(TeamScope(team.id)) as session:
        statement = "SELECT count(*) FROM metric_series GROUP BY series_group_id ORDER BY series_group_id"
        assert [row[0] for row in session.connection().exec_driver_sql(statement)] == [256, 256, 256, 132]
