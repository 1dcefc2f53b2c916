"""Deleted accounts, reopened teams, and their audit events."""

import csv
import io
import json

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import PASSWORD, AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

END = "/api/v1/user/deletion"


def test_an_account_is_deleted_with_its_team_of_one(
    client: TestClient, app: AppUnderTest, team: SomeTeam, emptied: TestDatabase
) -> None:
    person = {"email": team.owner.email.upper(), "current_password": PASSWORD}
    assert client.post(END, json={**person, "email": "another@example.com"}).status_code == 401
    assert client.post(END, json={**person, "current_password": "wrong password"}).status_code == 401
    assert client.post(END, json={"email": team.owner.email}).status_code == 401
    assert client.get("/api/v1/session").status_code == 200

    assert client.post(END, json=person).status_code == 204
    assert app.asked(cookie=team.owner.cookie).get("/api/v1/session").status_code == 401
    with emptied.as_admin() as admin:
        people = admin.execute("SELECT count(*) FROM app_user WHERE id = %s", (team.owner.user_id,)).fetchone()
        job = admin.execute("SELECT name, payload->>'team_id' FROM job").fetchone()
        closed = admin.execute("SELECT deleted_at IS NOT NULL FROM team WHERE id = %s", (team.id,)).fetchone()
    assert (people, job, closed) == ((0,), ("accounts.erase-team", str(team.id)), (True,))


def test_the_last_owner_of_others_stays_until_another_member_owns(
    client: TestClient, app: AppUnderTest, team: SomeTeam, people: AccountsFactory, emptied: TestDatabase
) -> None:
    member = people.member(team)
    person = {"email": team.owner.email, "current_password": PASSWORD}
    refused = client.post(END, json=person)
    assert (refused.status_code, refused.json()["value"]) == (409, 1)
    assert team.name in refused.json()["detail"]

    path = f"/api/v1/teams/{team.id}/members/{member.user_id}"
    assert client.patch(path, json={"role": "owner"}).status_code == 200
    assert client.post(END, json=person).status_code == 204
    theirs = app.asked(cookie=member.cookie, team=team.id)
    assert [one["user_id"] for one in theirs.get(f"/api/v1/teams/{team.id}/members").json()["items"]] == [
        str(member.user_id)
    ]
    newest = theirs.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"][0]
    assert (newest["action"], newest["actor"], newest["details"]["account"]) == (
        "member.left", team.owner.name, "deleted"
    )  # fmt: skip


def test_a_deleted_team_can_be_reopened_by_its_owner_alone(
    client: TestClient, app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    admin = people.member(team, Role.ADMIN)
    assert client.delete(f"/api/v1/teams/{team.id}").status_code == 204
    assert client.get("/api/v1/services").status_code == 422  # no team is left to be meant
    closed = client.get("/api/v1/deleted-teams").json()
    assert [(one["id"], one["name"]) for one in closed] == [(str(team.id), team.name)]

    theirs = app.asked(cookie=admin.cookie)
    assert theirs.get("/api/v1/deleted-teams").json() == []
    path = f"/api/v1/deleted-teams/{team.id}/restore"
    assert theirs.post(path).status_code == 404
    assert client.post(path).json()["slug"] == team.slug
    assert client.post(path).status_code == 404
    assert client.get("/api/v1/services").status_code == 200
    assert client.get("/api/v1/deleted-teams").json() == []


def test_the_log_is_searched_and_taken_away(client: TestClient, team: SomeTeam) -> None:
    for name in ("shop", "=cmd()"):
        client.post("/api/v1/services", json={"name": name})
    client.patch(f"/api/v1/teams/{team.id}", json={"name": "Renamed"})
    path = f"/api/v1/teams/{team.id}/audit-events"

    def asked(**expected: str) -> list[str]:
        answer = client.get(path, params=expected)
        assert answer.status_code == 200, answer.text
        return [one["action"] for one in answer.json()["items"]]

    assert asked(action="service") == ["service.created", "service.created"]
    assert asked(action="team.renamed") == ["team.renamed"]
    assert asked(action="%") == []
    assert asked(actor=team.owner.name[:5].upper(), action="team.ren") == ["team.renamed"]
    assert asked(actor="nobody") == []
    assert asked(since="2999-01-01T00:00:00Z") == []
    assert len(asked(until="2999-01-01T00:00:00Z")) == len(asked())

    whole = client.get(f"/api/v1/teams/{team.id}/audit-events/export")
    assert whole.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(whole.text)))
    assert [row["action"] for row in rows] == asked()
    lines = client.get(
        f"/api/v1/teams/{team.id}/audit-events/export", params={"form": "json", "action": "service"}
    ).text
    assert [json.loads(line)["subject"] for line in lines.splitlines()] == ["service =cmd()", "service shop"]


def test_no_cell_of_the_log_is_a_formula(client: TestClient, team: SomeTeam, emptied: TestDatabase) -> None:
    with emptied.as_admin() as admin:
        admin.execute("UPDATE app_user SET name = '=cmd()' WHERE id = %s", (team.owner.user_id,))
    client.post("/api/v1/services", json={"name": "shop"})
    rows = list(csv.DictReader(io.StringIO(client.get(f"/api/v1/teams/{team.id}/audit-events/export").text)))
    assert rows[0]["actor"] == "'=cmd()"


def test_the_audit_log_deletes_only_entries_older_than_a_year(
    client: TestClient, app: AppUnderTest, team: SomeTeam, emptied: TestDatabase
) -> None:
    with emptied.as_admin() as admin:
        for days in (400, 300):
            client.post("/api/v1/services", json={"name": f"s{days}"})
            admin.execute(
                "UPDATE audit_event SET created_at = clock_timestamp() - make_interval(days => %s)"
                " WHERE created_at > clock_timestamp() - interval '1 day'",
                (days,),
            )
        older = admin.execute("SELECT max(sequence) FROM audit_event WHERE details->>'name' = 's400'").fetchone()
    with app.database.cross_team() as cross_team:
        gone = cross_team.exec_driver_sql(
            "SELECT cross_team.delete_audit_events(%s, clock_timestamp())", (team.id,)
        ).scalar_one()
    assert older is not None
    assert gone == older[0] >= 1, "the log up to there"
