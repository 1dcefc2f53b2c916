"""Buttons in Slack, with Slack's API on loopback: believed only if signed, once, and taken as the member who pressed them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import new_id
from slowpath.inventory.catalog.tables import Environment, Service
from slowpath.platform.accounts.rules.roles import Role
from slowpath.verdicts.production_events.tables import ProductionEvent
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.fake_slack import SIGNING_SECRET, TOKEN, FakeSlack, make_press, running_slack, sign

pytestmark = pytest.mark.database

ANN, STRANGER = "U0ANN", "U0STRANGER"
CHANNEL = {
    "name": "#latency", "kind": "slack-app", "token": TOKEN, "signing_secret": SIGNING_SECRET, "conversation": "C0123ABCD",
}  # fmt: skip
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def app(emptied: TestDatabase, engine: Engine) -> AppUnderTest:
    return built(Database(engine), settings_for(emptied.app_url, egress_allowlist="127.0.0.0/8"))


@dataclass
class SlackDesk:
    """A team with an open production event, a channel of a Slack app, and Slack."""

    app: AppUnderTest
    team: SomeTeam
    slack: FakeSlack
    owner: TestClient
    path: str
    channel_id: str
    event_id: UUID

    def send(self, body: bytes, headers: dict[str, str] | None = None) -> Response:
        signed = sign(body, self.app.clock.now().timestamp()) if headers is None else headers
        return self.app.asked().post(self.path, content=body, headers=signed)

    def press(self, user: str, action: str = "slowpath-assign") -> str:
        """Press a button, and return what the person reads."""
        answer = self.send(make_press(user, action, f"production-event:{self.event_id}"))
        assert (answer.status_code, answer.content) == (200, b""), answer.text
        text = self.slack.ephemeral.pop()
        assert (text["user"], text["channel"]) == (user, "C0123ABCD")
        return str(text["text"])

    def item(self) -> dict[str, object]:
        found: dict[str, object] = self.owner.get(f"/api/v1/production-events/{self.event_id}").json()["item"]
        return found


@pytest.fixture
def desk(app: AppUnderTest, team: SomeTeam) -> Iterator[SlackDesk]:
    service_id, environment_id, event_id = new_id(), new_id(), new_id()
    values = {
        "state": "new", "signal": "p99", "title": "p99 is 1.8 times as high", "sentence": "It rose.",
        "cause": "deployment", "before": 0.1, "after": 0.18, "ratio": 1.8, "ratio_low": 1.7, "ratio_high": 1.9,
        "severity": "high", "added_seconds_per_second": 4.2, "started_at": NOW, "earliest_at": NOW,
        "number": 4, "detected_at": NOW, "occurred_at": NOW, "announced_at": NOW,
    }  # fmt: skip
    with app.database.writing(TeamScope(team.id)) as session:
        session.add(Service(team_id=team.id, id=service_id, slug="shop", name="Shop"))
        session.add(Environment(team_id=team.id, id=environment_id, slug="prod", name="Production"))
        session.flush()
        session.add(
            ProductionEvent(
                team_id=team.id, id=event_id, service_id=service_id, environment_id=environment_id, **values
            )
        )
    owner = app.asked(cookie=team.owner.cookie, team=team.id)
    with running_slack() as slack:
        made = owner.post("/api/v1/notification-channels", json={**CHANNEL, "url": slack.api_url})
        assert made.status_code == 201, made.text
        assert TOKEN not in made.text
        assert SIGNING_SECRET not in made.text
        url = str(made.json()["channel"]["interactivity_url"])
        assert url.startswith(f"{PUBLIC_URL}/api/v1/slack-interactions/")
        yield SlackDesk(app, team, slack, owner, url.removeprefix(PUBLIC_URL), made.json()["channel"]["id"], event_id)


def test_a_member_assigns_and_snoozes(desk: SlackDesk, people: AccountsFactory) -> None:
    ann = people.member(desk.team)
    desk.slack.add_person(ANN, ann.email.upper())
    assert desk.press(ANN) == "It is assigned to you."
    assert desk.item()["assignee"] == {"id": str(ann.user_id), "name": ann.name}
    assert desk.press(ANN, "slowpath-snooze").startswith("Snoozed until ")
    snooze = desk.item()["snooze"]
    assert isinstance(snooze, dict)
    assert snooze["rule"] == "time"
    audit = desk.owner.get(f"/api/v1/teams/{desk.team.id}/audit-events").json()["items"]
    changes = [one for one in audit if one["action"] == "inbox-item.updated"]
    assert {(one["actor"], one["details"]["by"]) for one in changes} == {(ann.name, "slack")}


def test_others_read_why_nothing_changed(desk: SlackDesk, people: AccountsFactory) -> None:
    viewer, elsewhere = people.member(desk.team, Role.VIEWER), people.team().owner
    desk.slack.add_person("U0VIEWER", viewer.email)
    desk.slack.add_person("U0OTHER", elsewhere.email)
    desk.slack.add_person("U0HIDDEN", None)
    for name in ("is_bot", "deleted", "is_stranger", "is_restricted"):
        desk.slack.add_person(f"U0{name.upper().replace('_', '')}", desk.team.owner.email, **{name: True})
    desk.slack.add_person("U0UNCONFIRMED", desk.team.owner.email, is_email_confirmed=False)
    assert "your role in the team is viewer" in desk.press("U0VIEWER")
    assert f"no member of the team has the address {elsewhere.email}" in desk.press("U0OTHER")
    for user in desk.slack.people:
        if user not in {"U0VIEWER", "U0OTHER"}:
            assert desk.press(user).startswith("Nothing changed: Slack names no confirmed e-mail address")
    assert desk.press(STRANGER).startswith("Slack did not say who you are")
    assert desk.item()["assignee"] is None


def test_an_item_that_ended_is_not_changed(desk: SlackDesk) -> None:
    desk.slack.add_person(ANN, desk.team.owner.email)
    missing = make_press(ANN, "slowpath-assign", f"production-event:{new_id()}")
    assert desk.send(missing).status_code == 200
    assert desk.slack.ephemeral.pop()["text"].startswith("Nothing changed: The team has no such item")


def test_a_request_is_believed_only_if_it_is_signed_now_and_once(desk: SlackDesk) -> None:
    desk.slack.add_person(ANN, desk.team.owner.email)
    body = make_press(ANN, "slowpath-assign", f"production-event:{desk.event_id}")
    now = desk.app.clock.now().timestamp()
    for headers in (
        {},
        sign(body, now, secret="f" * 32),
        sign(body, now - 301),
        sign(body + b" ", now),
        sign(body, now) | {"X-Slack-Signature": "v0=" + "0" * 64},
    ):
        assert desk.send(body, headers).status_code == 401
    assert desk.slack.calls == [], "nothing is asked before the signature is believed"
    assert desk.send(body).status_code == 200
    assert desk.send(body).status_code == 409, "the same request again"
    assert desk.slack.calls.count("users.info") == 1
    for _ in range(60):
        refused = desk.send(body, {})
    assert refused.status_code == 429


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"payload=",
        b"payload=%7B",
        b"payload=[]",
        b"payload=" + b"[" * 5_000,
        b"\xff\xfe",
        b"&".join([b"a=1"] * 100),
        make_press(ANN, "slowpath-delete", f"production-event:{new_id()}"),
        make_press(ANN, "slowpath-assign", f"channel:{new_id()}"),
        make_press(ANN, "slowpath-assign", "production-event:" + "-" * 36),
        make_press("../U0", "slowpath-assign", f"production-event:{new_id()}"),
        make_press(ANN, "slowpath-assign", f"production-event:{new_id()}", type="view_submission"),
        make_press(ANN, "slowpath-assign", f"production-event:{new_id()}", actions=[]),
        make_press(ANN, "slowpath-assign", f"production-event:{new_id()}", user="U0"),
    ],
)
def test_a_signed_request_that_is_no_button_is_rejected(desk: SlackDesk, body: bytes) -> None:
    assert desk.send(body).status_code == 422
    assert desk.slack.calls == []


def test_an_address_names_one_channel_that_is_on(desk: SlackDesk, people: AccountsFactory) -> None:
    body = make_press(ANN, "slowpath-assign", f"production-event:{desk.event_id}")
    stranger, signed = desk.app.asked(), sign(body, desk.app.clock.now().timestamp())
    for token in ("x", desk.path.rsplit("/", 1)[1][:-2], "é" * 8, "%00"):
        answer = stranger.post(f"/api/v1/slack-interactions/{token}", content=body, headers=signed)
        assert answer.status_code == 404
    assert desk.send(body + b"x" * 300_000).status_code == 413
    desk.owner.patch(f"/api/v1/notification-channels/{desk.channel_id}", json={"state": "off"})
    assert desk.send(body).status_code == 404


def test_an_item_of_another_team_is_not_found(desk: SlackDesk, people: AccountsFactory) -> None:
    other = people.team()
    desk.slack.add_person(ANN, other.owner.email)
    assert "no member of the team has the address" in desk.press(ANN)


@pytest.mark.parametrize(
    "wrong",
    [
        {"token": "xoxp-user-token-123"},
        {"token": ""},
        {"signing_secret": "short"},
        {"signing_secret": "Z" * 32},
        {"conversation": "#latency"},
        {"conversation": "C0123ABCD/../x"},
        {"url": "http://10.0.0.1/api"},
    ],
)
def test_an_incomplete_app_is_rejected(app: AppUnderTest, team: SomeTeam, wrong: dict[str, str]) -> None:
    owner = app.asked(cookie=team.owner.cookie, team=team.id)
    answer = owner.post("/api/v1/notification-channels", json={**CHANNEL, **wrong})
    assert answer.status_code == 422
    assert TOKEN not in answer.text
