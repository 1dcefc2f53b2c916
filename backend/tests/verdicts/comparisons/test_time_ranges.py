"""Time ranges of a service's metrics on the sides of a comparison: requested, rejected with a reason, listed, swapped."""

from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NINE, HALF_PAST, TEN = "2026-11-21T09:00:00Z", "2026-11-21T09:30:00Z", "2026-11-21T10:00:00Z"


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


@pytest.fixture
def place(client: TestClient) -> dict[str, str]:
    """A service in an environment."""
    service = client.post("/api/v1/services", json={"name": "checkout"}).json()
    environment = client.post("/api/v1/environments", json={"name": "production"}).json()
    return {"service_id": service["id"], "environment_id": environment["id"]}


def ask(client: TestClient, base: dict[str, Any], candidate: dict[str, Any]) -> Any:  # noqa: ANN401 - an answer
    return client.post("/api/v1/comparisons", json={"base": base, "candidate": candidate})


def test_a_time_range_goes_with_artifacts_or_alone(
    client: TestClient, files: FilesFactory, place: dict[str, str]
) -> None:
    before, after = {**place, "from": NINE, "to": HALF_PAST}, {**place, "from": HALF_PAST, "to": TEN}

    body = ask(client, {"artifact_ids": [str(files.decoded())], "time_range": before}, {"time_range": after}).json()

    assert (body["base"]["time_range"], body["candidate"]["time_range"]) == (before, after)
    assert (body["base"]["artifacts"], body["candidate"]["artifacts"]) == (1, 0)
    assert client.get(f"/api/v1/comparisons/{body['id']}").json() == body
    assert client.get("/api/v1/comparisons").json()["items"][0]["candidate"]["time_range"] == after
    swapped = client.post(f"/api/v1/comparisons/{body['id']}/swap").json()
    assert (swapped["base"]["time_range"], swapped["candidate"]["time_range"]) == (after, before)
    assert (swapped["base"]["artifacts"], swapped["candidate"]["artifacts"]) == (0, 1)


def test_a_window_that_cannot_be_compared_is_refused(client: TestClient, place: dict[str, str]) -> None:
    good = {"time_range": {**place, "from": HALF_PAST, "to": TEN}}
    refused: list[tuple[dict[str, Any], int, str]] = [
        ({"from": HALF_PAST, "to": NINE}, 422, "window-refused"),
        ({"from": NINE, "to": NINE}, 422, "window-refused"),
        ({"from": "2026-11-13T09:00:00Z", "to": "2026-11-20T09:00:00.001Z"}, 422, "window-refused"),
        ({"from": "1969-12-31T23:00:00Z", "to": "1970-01-01T01:00:00Z"}, 422, "window-refused"),
        ({"from": "9999-12-31T00:00:00Z", "to": "9999-12-31T01:00:00Z"}, 422, "window-refused"),
        ({"from": NINE, "to": "2026-11-21T09:30:00.001Z"}, 422, "window-refused"),  # overlaps the candidate's
        ({"from": "2026-11-21T09:00:00", "to": HALF_PAST}, 422, "not-understood"),
        ({"from": "a\x00b", "to": HALF_PAST}, 422, "not-understood"),
        ({"from": NINE}, 422, "not-understood"),
        ({"from": NINE, "to": HALF_PAST, "more": 1}, 422, "not-understood"),
        ({"from": NINE, "to": HALF_PAST, "service_id": str(uuid4())}, 404, "service-not-found"),
        ({"from": NINE, "to": HALF_PAST, "environment_id": str(uuid4())}, 404, "environment-not-found"),
    ]
    for window, status, slug in refused:
        answer = ask(client, {"time_range": {**place, **window}}, good)
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:slowpath:{slug}"), window

    assert ask(client, {}, good).json()["type"] == "urn:slowpath:side-empty"
    too_long = ask(
        client, {"time_range": {**place, "from": "2026-11-01T00:00:00Z", "to": "2026-11-21T00:00:00Z"}}, good
    )
    assert (too_long.json()["limit"], too_long.json()["value"], too_long.json()["unit"]) == (7, 20, "days")
    assert client.get("/api/v1/comparisons").json()["items"] == []


def test_a_service_of_another_team_is_not_there(
    app: AppUnderTest, people: AccountsFactory, client: TestClient, place: dict[str, str]
) -> None:
    outsider = app.asked(cookie=people.team().owner.cookie)
    own = {
        "service_id": outsider.post("/api/v1/services", json={"name": "theirs"}).json()["id"],
        "environment_id": outsider.post("/api/v1/environments", json={"name": "theirs"}).json()["id"],
    }
    for theirs in ("service_id", "environment_id"):
        taken = {**own, theirs: place[theirs]}
        sides = [{"time_range": {**taken, "from": a, "to": b}} for a, b in ((NINE, HALF_PAST), (HALF_PAST, TEN))]
        assert ask(outsider, *sides).status_code == 404
