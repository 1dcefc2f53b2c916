"""Deployments, annotations and the order of services over HTTP."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import EnvironmentId, ServiceId, TeamId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.rules import CallEdge
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

SHA = "5f3c1e8a9b0d4c7e8f1a2b3c4d5e6f708192a3b4"


def made(client: TestClient, kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return answered(client, kind, fields, 201)


def answered(client: TestClient, kind: str, fields: dict[str, Any], status: int) -> dict[str, Any]:
    answer = client.post(f"/api/v1/{kind}", json=fields)
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def where(client: TestClient) -> dict[str, str]:
    service, environment = made(client, "services", name="Distributor"), made(client, "environments", name="Production")
    return {"service_id": service["id"], "environment_id": environment["id"]}


def at(hour: int) -> str:
    return f"2026-11-18T{hour:02}:00:00Z"


def test_a_deployment_ends_the_previous_one_in_any_order_of_events(client: TestClient, where: dict[str, str]) -> None:
    first = made(client, "deployments", commit="a", started_at=at(1), **where)
    third = made(client, "deployments", commit="c", started_at=at(3), **where)
    second = made(client, "deployments", commit="b", started_at=at(2), **where)

    def ends() -> list[str | None]:
        return [client.get(f"/api/v1/deployments/{row['id']}").json().get("ended_at") for row in (first, second, third)]

    assert ends() == [at(2), at(3), None]
    assert client.delete(f"/api/v1/deployments/{second['id']}").status_code == 204
    assert client.get(f"/api/v1/deployments/{first['id']}").json()["ended_at"] == at(3)


def test_a_repeated_deployment_event_is_stored_once(client: TestClient, where: dict[str, str]) -> None:
    first = made(client, "deployments", external_id="run-7", **where)
    again = answered(client, "deployments", {"external_id": "run-7", **where}, 200)

    assert first["id"] == again["id"]
    assert len(client.get("/api/v1/deployments", params=where).json()["items"]) == 1


def test_a_deploy_finds_its_build_and_a_later_build_its_deploys(client: TestClient, where: dict[str, str]) -> None:
    build = made(client, "builds", service_id=where["service_id"], commit=SHA)
    by_start = made(client, "deployments", commit=SHA[:7], **where)
    early = made(client, "deployments", commit="0d3f5c1", **where)
    late = made(client, "builds", service_id=where["service_id"], commit="0d3f5c1")

    assert (by_start["build_id"], by_start["commit"]) == (build["id"], SHA)
    assert early["build_id"] is None
    assert client.get(f"/api/v1/deployments/{early['id']}").json()["build_id"] == late["id"]


def test_a_message_of_a_tool_makes_what_it_names(client: TestClient) -> None:
    message = {"service": "Ingester", "environment": "staging", "commit": SHA, "id": "m-1", "at": at(4)}

    created = made(client, "deployment-events", **message)
    again = answered(client, "webhooks/deploys", message, 200)  # the former address, which senders still have
    refused = client.post("/api/v1/deployment-events", json={"ping": True})

    assert created == again
    assert (created["commit"], created["started_at"], created["source"]) == (SHA, at(4), "webhook")
    assert [row["name"] for row in client.get("/api/v1/services").json()["items"]] == ["Ingester"]
    assert [row["name"] for row in client.get("/api/v1/environments").json()["items"]] == ["staging"]
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:no-deploy")


def test_a_deployment_names_its_service_and_environment(client: TestClient, where: dict[str, str]) -> None:
    known = made(client, "deployments", service="distributor", environment="Production", commit=SHA)
    new = made(client, "deployments", service="Ingester", environment="staging", commit=SHA)

    assert {name: known[name] for name in where} == where
    assert {row["name"] for row in client.get("/api/v1/services").json()["items"]} == {"Distributor", "Ingester"}
    assert {row["name"] for row in client.get("/api/v1/environments").json()["items"]} == {"Production", "staging"}
    assert client.get("/api/v1/deployments", params={"service_id": new["service_id"]}).json()["items"] == [new]


@pytest.mark.parametrize(
    "fields",
    [{}, {"service": "a"}, {"environment": "b"}, {"service": "a", "service_id": str(uuid4()), "environment": "b"}],
)
def test_a_deployment_needs_one_service_and_one_environment(client: TestClient, fields: dict[str, str]) -> None:
    refused = client.post("/api/v1/deployments", json={"commit": SHA, **fields})

    assert refused.status_code == 422
    assert "either service (its name) or service_id" in refused.text or "or environment_id" in refused.text


def test_a_deployment_is_updated_and_missing_references_are_reported(client: TestClient, where: dict[str, str]) -> None:
    deploy = made(client, "deployments", commit="a", **where)
    commits = [{"id": "a", "title": "Copy less", "author": "Ada"}]

    changed = client.patch(f"/api/v1/deployments/{deploy['id']}", json={"label": "v2", "commits": commits}).json()

    assert changed["label"] == "v2"
    assert changed["commits"] == [commits[0] | {"url": None}]
    assert client.get(f"/api/v1/deployments/{uuid4()}").status_code == 404
    assert client.post("/api/v1/deployments", json=where | {"environment_id": str(uuid4())}).status_code == 404


def test_annotations_are_found_by_their_time(client: TestClient, where: dict[str, str]) -> None:
    spans = {"environment_id": where["environment_id"]}
    made(client, "annotations", started_at=at(1), text="early", **spans)
    made(client, "annotations", started_at=at(1), ended_at=at(5), text="over it", **spans)
    inside = made(client, "annotations", started_at=at(4), text="inside", **where)

    def between(start: int, end: int) -> list[str]:
        found = client.get("/api/v1/annotations", params=spans | {"from": at(start), "to": at(end)})
        return [row["text"] for row in found.json()]

    assert between(3, 6) == ["over it", "inside"]
    changed = client.patch(f"/api/v1/annotations/{inside['id']}", json={"text": "moved", "started_at": at(9)})
    assert changed.json()["text"] == "moved"
    assert between(3, 6) == ["over it"]
    assert client.delete(f"/api/v1/annotations/{inside['id']}").status_code == 204
    assert between(8, 10) == []


def test_an_annotation_does_not_end_before_it_begins(client: TestClient, where: dict[str, str]) -> None:
    answer = client.post("/api/v1/annotations", json={**where, "started_at": at(2), "ended_at": at(1), "text": "x"})

    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:not-in-order")


def test_the_order_comes_from_spans_until_it_is_set_manually(app: AppUnderTest, client: TestClient) -> None:
    ids = {name: made(client, "services", name=name)["id"] for name in ("distributor", "gateway", "ingester")}
    environment = made(client, "environments", name="production")["id"]
    address = f"/api/v1/environments/{environment}/service-order"

    def order(answer: dict[str, Any]) -> tuple[str, list[str]]:
        return answer["source"], [row["name"] for row in answer["services"]]

    assert order(client.get(address).json()) == ("name", ["distributor", "gateway", "ingester"])

    team_id = client.get("/api/v1/session").json()["teams"][0]["id"]
    with app.database.writing(TeamScope(team_id=TeamId(UUID(team_id)))) as session:
        edges = [
            CallEdge(ServiceId(UUID(ids["gateway"])), ServiceId(UUID(ids["distributor"])), 40, 40),
            CallEdge(ServiceId(UUID(ids["distributor"])), ServiceId(UUID(ids["ingester"])), 120, 40),
        ]
        seen = datetime(2026, 11, 18, tzinfo=UTC)
        catalog.record_edges(session, EnvironmentId(UUID(environment)), edges, seen)
        catalog.record_edges(session, EnvironmentId(UUID(environment)), edges[:1], seen)
    shown = client.get(address).json()
    assert order(shown) == ("spans", ["gateway", "distributor", "ingester"])
    assert {edge["ratio"] for edge in shown["edges"]} == {1.0, 3.0}

    laid = client.put(address, json={"service_ids": [ids["ingester"]]})
    again = client.put(address, json={"service_ids": [ids["ingester"], ids["distributor"]]})
    assert order(laid.json()) == ("manual", ["ingester", "gateway", "distributor"])
    assert order(again.json()) == ("manual", ["ingester", "distributor", "gateway"])
    assert order(client.delete(address).json()) == ("spans", ["gateway", "distributor", "ingester"])


@pytest.mark.parametrize("wrong", ["twice", "unknown"])
def test_an_order_names_each_service_once(client: TestClient, where: dict[str, str], wrong: str) -> None:
    ids = [where["service_id"]] * 2 if wrong == "twice" else [str(uuid4())]

    answer = client.put(f"/api/v1/environments/{where['environment_id']}/service-order", json={"service_ids": ids})

    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:not-in-order")


def test_deployments_are_searched_by_commit_and_label(client: TestClient, where: dict[str, str]) -> None:
    by_commit = made(client, "deployments", commit="0d3f5c1", label="Green", started_at=at(1), **where)
    by_label = made(client, "deployments", commit="a84f3c1", label="Rollback of 100%", started_at=at(2), **where)

    def found(search: str) -> list[str]:
        listed = client.get("/api/v1/deployments", params={"search": search, **where}).json()["items"]
        return [row["id"] for row in listed]

    assert found("0D3F") == [by_commit["id"]]
    assert found("f5c1") == []
    assert found("rollback") == [by_label["id"]]
    assert found("100%") == [by_label["id"]]
    assert found(" ") == [by_label["id"], by_commit["id"]]
