"""Webhooks over HTTP: their secrets are returned once; deliveries are verified by signature and stored once."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.core.db_sessions import TeamScope
from slowpath.core.jobs import JobRow
from slowpath.inventory.webhooks.rules import MOST_TRIES
from slowpath.inventory.webhooks.tables import Webhook, WebhookDelivery
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.inventory.webhooks.webhook_senders import (
    EXAMPLES,
    GITLAB_PUSH,
    Sender,
    body_of,
    github_headers,
    signed_headers,
)
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

PUSH = EXAMPLES["push"][0]
HOOKS = "/api/v1/webhooks"


def made(client: TestClient, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    answer = client.post(HOOKS, json={"name": "Ingester", "kind": "github", **fields})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def github(client: TestClient, app: AppUnderTest) -> Sender:
    return Sender(app.asked(), made(client))


@pytest.fixture
def gitlab(client: TestClient, app: AppUnderTest) -> Sender:
    return Sender(app.asked(), made(client, kind="gitlab"))


def deliveries(client: TestClient, sender: Sender) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{HOOKS}/{sender.hook_id}/deliveries").json()["items"]
    return found


def jobs(app: AppUnderTest, team: SomeTeam) -> list[str]:
    with app.database.reading(TeamScope(team.id)) as session:
        return [row.name for row in session.scalars(select(JobRow)) if row.name != "webhooks.reconcile"]


# --- stored


def test_a_secret_is_returned_once_and_stored_encrypted(
    client: TestClient, app: AppUnderTest, team: SomeTeam, emptied: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    api = {"url": "https://api.github.com/", "token": "ghp_of_the_api_and_secret"}
    created = made(client, api=api, target="o/r")

    hook, secret = created["webhook"], created["secret"]
    assert hook["address"] == f"http://127.0.0.1:8080/api/v1/webhooks/{hook['id']}/github"
    assert hook["api_url"] == "https://api.github.com"
    for path in ("", f"/{hook['id']}"):
        text = client.get(f"{HOOKS}{path}").text
        assert secret not in text
        assert api["token"] not in text
    with app.database.reading(TeamScope(team.id)) as session:
        row = session.scalars(select(Webhook)).one()
        assert secret.encode() not in row.encrypted_secret
        assert row.encrypted_api_token is not None
    with emptied.as_admin() as admin:
        audit = json.dumps(admin.execute("SELECT details FROM audit_event").fetchall())
    assert secret not in audit + caplog.text
    assert api["token"] not in audit + caplog.text


def test_a_new_secret_is_right_and_the_old_one_wrong_at_once(client: TestClient, github: Sender) -> None:
    renewed = client.post(f"{HOOKS}/{github.hook_id}/secret").json()

    assert github.send(PUSH).status_code == 401
    github.secret = renewed["secret"]
    assert github.send(PUSH).status_code == 202


def test_a_hook_is_changed_and_deleted(client: TestClient, github: Sender) -> None:
    service = client.post("/api/v1/services", json={"name": "Ingester"}).json()

    changed = client.patch(f"{HOOKS}/{github.hook_id}", json={"name": "Other", "service_ids": [service["id"]]}).json()
    assert (changed["name"], changed["service_ids"]) == ("Other", [service["id"]])
    assert client.delete(f"{HOOKS}/{github.hook_id}").status_code == 204
    assert github.send(PUSH).status_code == 404


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"name": "a\x00"}, 422), ({"kind": "other"}, 422), ({"secret": "short"}, 422), ({"secret": "é" * 20}, 422),
        ({"service_ids": [str(uuid4())]}, 404), ({"repository_id": str(uuid4())}, 404), ({"target": "../x"}, 422),
        ({"target": "o/r/../../user"}, 422), ({"api": {"url": "http://169.254.169.254", "token": "x" * 20}}, 422),
        ({"api": {"url": "file:///etc/passwd", "token": "x" * 20}}, 422),
        ({"api": {"url": "https://api.github.com", "token": "a\nb" * 10}}, 422),
    ],
)  # fmt: skip
def test_invalid_requests_are_rejected(client: TestClient, fields: dict[str, Any], status: int) -> None:
    answer = client.post(HOOKS, json={"name": "Ingester", "kind": "github", **fields})

    assert answer.status_code == status, answer.text
    assert "x" * 20 not in answer.text


def test_objects_of_another_team_are_not_found(client: TestClient, people: AccountsFactory, app: AppUnderTest) -> None:
    other = app.asked(cookie=people.team("Others").owner.cookie)
    foreign = made(other)["webhook"]["id"]
    service = other.post("/api/v1/services", json={"name": "theirs"}).json()["id"]

    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/secret"), ("GET", "/deliveries")):
        assert client.request(method, f"{HOOKS}/{foreign}{path}", json={}).status_code == 404
    assert client.post(HOOKS, json={"name": "a", "kind": "github", "service_ids": [service]}).status_code == 404


# --- messages


def test_a_verified_delivery_is_stored_with_its_job(
    client: TestClient, github: Sender, app: AppUnderTest, team: SomeTeam
) -> None:
    answer = github.send(PUSH, delivery_id="72d3162e")

    assert (answer.status_code, answer.json()) == (202, {"delivery_id": "72d3162e", "state": "waiting", "known": False})
    [delivery] = deliveries(client, github)
    assert (delivery["delivery_id"], delivery["event"], delivery["state"]) == ("72d3162e", "push", "waiting")
    assert jobs(app, team) == ["webhooks.process-delivery"]
    assert client.get("/api/v1/jobs").json()["items"] == [], "no endpoint waits for it"


def test_a_repeated_delivery_is_recognized(
    client: TestClient, github: Sender, app: AppUnderTest, team: SomeTeam
) -> None:
    first = github.send(PUSH, delivery_id="a")
    again = github.send(PUSH, delivery_id="a")
    replayed = github.send(PUSH, delivery_id="b")
    other = github.send({**PUSH, "after": "e" * 40}, delivery_id="c")

    assert [each.status_code for each in (first, again, replayed, other)] == [202, 200, 200, 202]
    assert replayed.json() == {"delivery_id": "a", "state": "waiting", "known": True}
    assert len(deliveries(client, github)) == 2
    assert jobs(app, team) == ["webhooks.process-delivery"] * 2


def test_many_at_once_are_one(client: TestClient, github: Sender, app: AppUnderTest, team: SomeTeam) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = sorted(each.status_code for each in pool.map(lambda _: github.send(PUSH, delivery_id="a"), range(16)))

    assert answers == [200] * 15 + [202]
    assert jobs(app, team) == ["webhooks.process-delivery"]


def test_a_failed_delivery_is_processed_when_it_is_redelivered(
    client: TestClient, github: Sender, app: AppUnderTest, team: SomeTeam
) -> None:
    github.send(PUSH, delivery_id="a")
    with app.database.writing(TeamScope(team.id)) as session:
        session.scalars(select(WebhookDelivery)).one().state = "failed"

    assert github.send(PUSH, delivery_id="a").status_code == 202
    assert [each["state"] for each in deliveries(client, github)] == ["waiting"]
    assert jobs(app, team) == ["webhooks.process-delivery"] * 2


def test_gitlab_s_token_and_signature(gitlab: Sender, app: AppUnderTest) -> None:
    body = body_of(GITLAB_PUSH)
    now = int(app.clock.now().timestamp())

    assert gitlab.send(GITLAB_PUSH, "Push Hook").status_code == 202
    assert gitlab.send(b"{}", headers=signed_headers(gitlab.secret, b"{}", now)).status_code == 202
    assert gitlab.send(body, headers=signed_headers(gitlab.secret, body, now - 301)).status_code == 401
    assert gitlab.send(body, headers=signed_headers(gitlab.secret, body + b" ", now)).status_code == 401
    assert gitlab.send(body, headers={"X-Gitlab-Event": "Push Hook"}).status_code == 401


def test_events_of_other_senders_are_rejected(
    client: TestClient, github: Sender, app: AppUnderTest, team: SomeTeam
) -> None:
    body = body_of(PUSH)
    right = github_headers(github.secret, body, "push")

    for wrong in (
        {"X-Hub-Signature-256": ""}, {"X-Hub-Signature-256": right["X-Hub-Signature-256"][:-1] + "x"},
        {"X-Hub-Signature-256": github_headers("another secret here", body, "push")["X-Hub-Signature-256"]},
    ):  # fmt: skip
        answer = github.send(body, headers=right | wrong)
        assert (answer.status_code, answer.json()["type"]) == (401, "urn:slowpath:signature-wrong")
        assert github.secret not in answer.text
    assert github.send(body + b" ", headers=right).status_code == 401
    assert deliveries(client, github) == []
    assert jobs(app, team) == []


def test_the_address_of_a_webhook_decides_its_kind(github: Sender, gitlab: Sender) -> None:
    body = body_of(PUSH)
    for hook_id, kind in ((github.hook_id, "gitlab"), (gitlab.hook_id, "github"), (uuid4(), "github")):
        headers = github_headers(github.secret, body, "push")
        assert github.client.post(f"{HOOKS}/{hook_id}/{kind}", content=body, headers=headers).status_code == 404
    assert github.client.post(f"{HOOKS}/no-id/github", content=body).status_code == 422


def test_huge_empty_and_nameless_messages(github: Sender) -> None:
    large = b" " * (4 << 20)
    nameless = {k: v for k, v in github_headers(github.secret, b"{}", "push").items() if k != "X-GitHub-Event"}

    assert github.send(large).status_code == 202, "larger than other bodies may be"
    assert github.send(b"", headers=github_headers(github.secret, b"", "push")).status_code == 202
    assert github.send(b"{}", headers=nameless).status_code == 422
    declared = github_headers(github.secret, b"", "push") | {"Content-Length": str(26 << 20)}
    assert github.send(b"", headers=declared).status_code == 413


def test_guessing_is_slowed_down_and_the_sender_is_not(github: Sender) -> None:
    guessed = [github.send(PUSH, headers={"X-GitHub-Event": "push"}).status_code for _ in range(MOST_TRIES + 1)]

    assert guessed == [401] * MOST_TRIES + [429]
    assert github.send(PUSH).status_code == 202


def test_a_sender_without_an_api_is_not_asked(client: TestClient, github: Sender) -> None:
    assert client.post(f"{HOOKS}/{github.hook_id}/reconcile").status_code == 409
    api = {"url": "https://api.github.com", "token": "ghp_of_the_api_and_secret"}
    client.patch(f"{HOOKS}/{github.hook_id}", json={"api": api})
    github.send(EXAMPLES["ping"][0], "ping")
    assert client.post(f"{HOOKS}/{github.hook_id}/reconcile").status_code == 409, "its repository is not known yet"
    client.patch(f"{HOOKS}/{github.hook_id}", json={"target": "o/r"})
    assert client.post(f"{HOOKS}/{github.hook_id}/reconcile").status_code == 204
