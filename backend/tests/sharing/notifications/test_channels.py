"""Channels over HTTP: admins manage them, secrets are returned at most once."""

import json
import logging
from collections.abc import Mapping
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import ChannelId
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.notifications.service import channels
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

USUAL = ["bisect.finished", "production-event.closed", "production-event.opened", "regression.opened"]
CHANNELS = "/api/v1/notification-channels"
SLACK = {"name": "#latency", "kind": "slack", "url": "https://hooks.slack.example/services/T0/B0/secret-of-slack"}
WEBHOOK = {"name": "ours", "kind": "webhook", "url": "https://receiver.example/slowpath"}
GITHUB = {"name": "code", "kind": "github", "repository": "northwind/shop", "token": "example-token-77"}

PAGERDUTY = {"name": "on call", "kind": "pagerduty", "token": "key0of0pagerduty0of0thirty0two00"}
TEAMS = {"name": "ours", "kind": "teams", "url": "https://a.example:443/workflows/1/invoke?sp=1&sig=secret-of-teams"}


def made(client: TestClient, required: Mapping[str, object]) -> dict[str, object]:
    answer = client.post(CHANNELS, json=required)
    assert answer.status_code == 201, answer.text
    body: dict[str, object] = answer.json()
    return body


def test_a_channel_is_added_changed_listed_and_deleted(client: TestClient) -> None:
    one = made(client, SLACK)["channel"]
    assert isinstance(one, dict)
    assert (one["kind"], one["state"], one["events"]) == ("slack", "on", USUAL)
    two = made(client, GITHUB)["channel"]
    assert isinstance(two, dict)
    assert two["target"] == {"api_url": "https://api.github.com", "repository": "northwind/shop"}

    path = f"{CHANNELS}/{one['id']}"
    changed = client.patch(path, json={"state": "off", "events": ["regression.opened", "regression.updated"]})
    assert (changed.json()["state"], len(changed.json()["events"])) == ("off", 2)
    assert [item["id"] for item in client.get(CHANNELS).json()["items"]] == [two["id"], one["id"]]
    assert client.post(f"{path}/test").status_code == 409

    assert client.delete(path).status_code == 204
    assert client.delete(path).status_code == 404
    assert [item["id"] for item in client.get(CHANNELS).json()["items"]] == [two["id"]]


def test_only_admins_see_the_address_of_a_webhook(
    client: TestClient, app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    made(client, {"name": "ours", "kind": "webhook", "url": "https://hooks.example/secret/token1"})
    assert client.get(CHANNELS).json()["items"][0]["target"]["url"].endswith("/secret/token1")
    for asking in (
        app.asked(cookie=people.member(team, Role.VIEWER).cookie),
        app.asked(cookie=people.member(team, Role.MEMBER).cookie),
        app.asked(token=people.token(team, TokenScope.READ).secret),
        app.asked(token=people.token(team, TokenScope.WRITE).secret),
    ):
        answer = asking.get(CHANNELS)
        assert answer.json()["items"][0]["target"] == {"host": "hooks.example"}
        assert not any(secret in answer.text for secret in ("secret", "token1"))


def test_a_channel_of_one_service(client: TestClient) -> None:
    service = client.post("/api/v1/services", json={"name": "shop"}).json()
    one = made(client, {**SLACK, "service_ids": [service["id"]]})["channel"]
    assert isinstance(one, dict)
    assert one["service_ids"] == [service["id"]]
    path = f"{CHANNELS}/{one['id']}"
    assert client.patch(path, json={"name": "x"}).json()["service_ids"] == [service["id"]]
    assert client.patch(path, json={"all_services": True}).json()["service_ids"] is None
    assert client.post(CHANNELS, json={**SLACK, "service_ids": [str(uuid4())]}).status_code == 404
    assert client.patch(path, json={"service_ids": [str(uuid4())]}).status_code == 404


@pytest.mark.asked_by(Role.VIEWER, Role.MEMBER)
def test_only_admins_keep_channels(client: TestClient) -> None:
    assert client.get(CHANNELS).status_code == 200
    assert client.post(CHANNELS, json=SLACK).status_code == 403
    for path in (
        f"{CHANNELS}/{uuid4()}/test",
        f"{CHANNELS}/{uuid4()}/secret",
        f"/api/v1/notifications/{uuid4()}/redeliver",
    ):
        assert client.post(path).status_code == 403


def test_secrets_come_out_once_if_ever(
    app: AppUnderTest, team: SomeTeam, client: TestClient, emptied: TestDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        added = [made(client, required) for required in (SLACK, WEBHOOK, GITHUB, PAGERDUTY, TEAMS)]
        hook = added[1]["channel"]
        assert isinstance(hook, dict)
        renewed = client.post(f"{CHANNELS}/{hook['id']}/secret").json()
        later = client.get(CHANNELS).text + client.get(f"/api/v1/teams/{team.id}/audit-events").text
    drawn = [added[1]["secret"], renewed["secret"]]
    assert drawn[0] != drawn[1]
    assert all(str(one).startswith("whsec_") for one in drawn)
    assert (added[0]["secret"], added[2]["secret"]) == (None, None)

    with emptied.as_admin() as admin:
        rows = str(admin.execute("SELECT notification_channel::text FROM notification_channel").fetchall())
        rows += str(admin.execute("SELECT encode(encrypted_secret, 'escape') FROM notification_channel").fetchall())
        rows += str(admin.execute("SELECT audit_event::text FROM audit_event").fetchall())
    text = later + "".join(json.dumps(added[at]) for at in (0, 2, 3, 4)) + rows + caplog.text
    for secret in ("secret-of-slack", "example-token-77", "key0of0pagerduty", "secret-of-teams", *drawn):
        assert str(secret) not in text

    with app.database.reading(TeamScope(team.id)) as session:
        row = channels.get_channel(session, ChannelId(UUID(str(hook["id"]))))
        assert channels.get_channel_secret(row, app.app.state.sealer) == drawn[1]


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ({**SLACK, "url": "http://127.0.0.1/x"}, "address-not-public"),
        ({**WEBHOOK, "url": "https://x.example/?q=1"}, "address-"),
        ({**WEBHOOK, "url": "file:///etc/passwd"}, "address-scheme"),
        ({**GITHUB, "repository": "../../etc"}, "channel-refused"),
        ({**GITHUB, "repository": "shop"}, "channel-refused"),
        ({**GITHUB, "token": "two words"}, "channel-refused"),
        ({**GITHUB, "events": ["build.evaluated", "regression.opened"]}, "channel-refused"),
        ({**PAGERDUTY, "token": "short"}, "channel-refused"),
        ({**PAGERDUTY, "events": ["build.evaluated"]}, "channel-refused"),
        ({**TEAMS, "url": "https://127.0.0.1/a?sig=x"}, "address-not-public"),
        ({"name": "mail", "kind": "email", "recipients": ["ann@example.com"]}, "no-mail"),
    ],
)
def test_a_channel_without_events_is_rejected(client: TestClient, required: dict[str, object], expected: str) -> None:
    answer = client.post(CHANNELS, json=required)
    assert answer.status_code == 422
    assert answer.json()["type"].startswith(f"urn:slowpath:{expected}")
    assert client.get(CHANNELS).json()["items"] == []


def test_only_webhooks_have_a_secret_to_renew(client: TestClient) -> None:
    one = made(client, SLACK)["channel"]
    assert isinstance(one, dict)
    assert client.post(f"{CHANNELS}/{one['id']}/secret").status_code == 422


def test_a_trial_is_a_message_of_the_channel(client: TestClient) -> None:
    one = made(client, WEBHOOK)["channel"]
    assert isinstance(one, dict)
    path = f"{CHANNELS}/{one['id']}"
    assert client.post(f"{path}/test").status_code == 202
    assert client.post(f"{path}/test").status_code == 202  # each is another
    items = client.get(f"{path}/notifications").json()["items"]
    assert [(item["event"], item["state"]) for item in items] == [("channel.test", "waiting")] * 2
    assert client.post(f"/api/v1/notifications/{items[0]['id']}/redeliver").status_code == 409
    assert client.get(f"{CHANNELS}/{uuid4()}/messages").status_code == 404
