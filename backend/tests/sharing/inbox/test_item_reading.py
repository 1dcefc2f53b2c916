"""Items are read per member, and unread again when they change."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.inventory.catalog.tables import Deployment
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.inbox.service import triage_retention
from slowpath.sharing.inbox.tables import InboxReadMark
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.sharing.inbox.test_inbox import NOW, Desk, act, inbox
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

READING = "/api/v1/inbox/reading"


@pytest.fixture
def desk(app: AppUnderTest, team: SomeTeam) -> Desk:
    return Desk(app, team)


@pytest.fixture
def client(app: AppUnderTest, team: SomeTeam) -> TestClient:
    return app.asked(cookie=team.owner.cookie, team=team.id)


@pytest.fixture
def viewer(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> TestClient:
    return app.asked(cookie=people.member(team, Role.VIEWER).cookie, team=team.id)


def mark(client: TestClient, *items: tuple[str, UUID], is_read: bool = True) -> None:
    refs = [{"kind": kind, "id": str(subject_id)} for kind, subject_id in items]
    answer = client.post(READING, json={"items": refs, "is_read": is_read})
    assert answer.status_code == 204, answer.text


def unread(client: TestClient) -> list[str]:
    """Return the IDs that are unread, by both ways to ask."""
    body = inbox(client, unread=True)
    assert body["counts"]["unread"] == len(body["items"])
    assert [each["id"] for each in inbox(client)["items"] if each["is_unread"]] == [
        each["id"] for each in body["items"]
    ]
    return [each["id"] for each in body["items"]]


def test_each_member_reads_for_themselves(client: TestClient, viewer: TestClient, desk: Desk) -> None:
    event, regression = desk.event(), desk.regression()
    assert unread(client) == unread(viewer) == [str(event), str(regression)]
    mark(viewer, ("production-event", event), ("regression", regression), ("bisect", new_id()))
    assert (unread(viewer), unread(client)) == ([], [str(event), str(regression)])
    assert viewer.get(f"/api/v1/inbox/items/regression/{regression}").json()["is_unread"] is False
    assert viewer.get(f"/api/v1/production-events/{event}").json()["item"]["is_unread"] is False
    mark(viewer, ("regression", regression), is_read=False)
    assert unread(viewer) == [str(regression)]


@pytest.mark.parametrize(
    "change",
    [
        {"state": "investigating"},
        {"severity": "medium"},
        {"occurred_at": NOW + timedelta(hours=1)},
    ],
)
def test_a_change_makes_an_item_unread_again(client: TestClient, desk: Desk, change: dict[str, Any]) -> None:
    event = desk.event()
    mark(client, ("production-event", event))
    assert unread(client) == []
    with desk.app.database.writing(TeamScope(desk.team.id)) as session:
        row = session.get_one(ProductionEvent, (desk.team.id, event))
        for name, value in change.items():
            setattr(row, name, value)
    assert unread(client) == [str(event)]
    mark(client, ("production-event", event))
    assert unread(client) == []


def test_a_comment_of_another_makes_an_item_unread(
    client: TestClient, desk: Desk, app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    other = app.asked(cookie=people.member(team, Role.MEMBER).cookie, team=team.id)
    event = desk.event()
    for one in (client, other):
        mark(one, ("production-event", event))
    body = {"subject_kind": "production-event", "subject_id": str(event), "text": "It is the cache."}
    comment = other.post("/api/v1/comments", json=body)
    assert comment.status_code == 201
    assert (unread(client), unread(other)) == ([str(event)], [])
    mark(client, ("production-event", event))
    assert unread(client) == []


def test_an_own_action_reads_the_item(client: TestClient, viewer: TestClient, desk: Desk) -> None:
    event, other = desk.event(), desk.event(32)
    mark(viewer, ("production-event", event), ("production-event", other))
    outcome = act(client, {"type": "set-state", "state": "acknowledged"}, ("production-event", event))
    assert outcome["results"][0]["item"]["is_unread"] is False
    assert (unread(client), unread(viewer)) == ([str(other)], [str(event)])


def test_an_item_that_returns_from_a_snooze_is_unread(client: TestClient, desk: Desk, app: AppUnderTest) -> None:
    until = app.clock.now() + timedelta(hours=3)
    timed, awaiting = desk.event(), desk.event(32)
    act(client, {"type": "snooze", "rule": "time", "until": until.isoformat()}, ("production-event", timed))
    act(client, {"type": "snooze", "rule": "next-deployment"}, ("production-event", awaiting))
    with app.database.writing(TeamScope(desk.team.id)) as session:  # else by the clock of the database
        session.execute(update(InboxReadMark).values(read_at=app.clock.now()))
    assert inbox(client)["counts"]["unread"] == 0
    app.clock.at = until
    assert unread(client) == [str(timed)]
    desk.write(
        Deployment(
            id=new_id(), service_id=desk.service_id, environment_id=desk.environment_id, started_at=until, commits=[]
        )
    )
    assert set(unread(client)) == {str(timed), str(awaiting)}


def test_closed_items_are_read_and_reopened_ones_are_not(client: TestClient, viewer: TestClient, desk: Desk) -> None:
    regression = ("regression", desk.regression())
    act(client, {"type": "set-state", "state": "ignored"}, regression)
    assert [each["is_unread"] for each in inbox(viewer, view="closed")["items"]] == [False]
    mark(client, regression)
    act(client, {"type": "set-state", "state": "new"}, regression)
    assert (unread(client), unread(viewer)) == ([], [str(regression[1])])


def test_a_token_reads_nothing(app: AppUnderTest, people: AccountsFactory, team: SomeTeam, desk: Desk) -> None:
    event = desk.event()
    token = app.asked(token=people.token(team, TokenScope.WRITE).secret)
    assert unread(token) == []
    body = {"items": [{"kind": "production-event", "id": str(event)}], "is_read": True}
    assert token.post(READING, json=body).status_code == 422
    assert token.post(READING, json=body | {"items": []}).status_code == 422
    act(token, {"type": "mute", "reason": "known"}, ("production-event", event))


def test_marks_end_with_the_item_and_with_the_membership(
    client: TestClient, app: AppUnderTest, people: AccountsFactory, team: SomeTeam, desk: Desk
) -> None:
    member = people.member(team, Role.MEMBER)
    theirs = app.asked(cookie=member.cookie, team=team.id)
    listed, closed, deleted = desk.event(), desk.regression(), desk.regression(8)
    items = [("production-event", listed), ("regression", closed), ("regression", deleted)]
    mark(client, *items)
    mark(theirs, *items)
    act(client, {"type": "set-state", "state": "ignored"}, ("regression", closed))
    with app.database.writing(TeamScope(team.id)) as session:
        session.delete(session.get_one(Regression, (team.id, deleted)))
        session.flush()
        assert triage_retention.delete_orphaned_triage(session, NOW) == 4
    assert unread(client) == []
    answer = client.delete(f"/api/v1/teams/{team.id}/members/{member.user_id}")
    assert answer.status_code == 204, answer.text
    with app.database.reading(TeamScope(team.id)) as session:
        assert [row.user_id for row in session.query(InboxReadMark)] == [team.owner.user_id]
