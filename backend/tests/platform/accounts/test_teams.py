"""Teams, members, invitations, tokens and the log, over HTTP against a real database."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.core.db_sessions import TeamScope
from slowpath.platform.accounts import service
from slowpath.platform.accounts.errors import LastOwner
from slowpath.platform.accounts.rules.roles import Caller, Role, TokenScope
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase
from tests.support.statements import Statements

pytestmark = pytest.mark.database


def problem(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")


def at_once(*asks: Callable[[], Response]) -> list[int]:
    """Send requests at the same moment and return their statuses, sorted."""
    barrier = Barrier(len(asks))

    def ask(one: Callable[[], Response]) -> int:
        barrier.wait()
        return one().status_code

    with ThreadPoolExecutor(len(asks)) as pool:
        return sorted(pool.map(ask, asks))


# -- which team ------------------------------------------------------------------------------------


def test_a_member_of_several_teams_names_the_team(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    other = people.team("Others")
    assert client.get("/api/v1/services").status_code == 200, "one team needs no naming"
    people.joins(team.owner, other)
    unnamed = client.get("/api/v1/services")
    assert (unnamed.status_code, problem(unnamed)) == (422, "team-not-named")
    for name in (str(team.id), team.slug, str(other.id), other.slug):
        assert client.get("/api/v1/services", headers={"Slowpath-Team": name}).status_code == 200
        assert client.get("/api/v1/services", params={"team": name}).status_code == 200
    assert client.get("/api/v1/services", headers={"Slowpath-Team": "none"}).status_code == 404


def test_teams_are_listed_in_the_order_of_joining(team: SomeTeam, people: AccountsFactory, client: TestClient) -> None:
    second = people.team("Second")
    people.joins(team.owner, second, Role.VIEWER)
    third = client.post("/api/v1/teams", json={"name": "Third"}).json()
    listed = client.get("/api/v1/teams").json()["items"]
    assert [(one["name"], one["role"]) for one in listed] == [
        ("Ingesters", "owner"),
        ("Second", "viewer"),
        ("Third", "owner"),
    ]
    assert listed[2]["id"] == third["id"]


def test_a_person_is_in_so_many_teams(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowpath.platform.accounts.service.teams.MAX_TEAMS", 2)
    assert client.post("/api/v1/teams", json={"name": "Second"}).status_code == 201
    refused = client.post("/api/v1/teams", json={"name": "Third"})
    assert (refused.status_code, refused.json()["limit"], refused.json()["value"]) == (429, 2, 2)


def test_a_team_keeps_its_slug_when_it_is_renamed(team: SomeTeam, client: TestClient) -> None:
    renamed = client.patch(f"/api/v1/teams/{team.id}", json={"name": "Readers"}).json()
    assert (renamed["name"], renamed["slug"]) == ("Readers", team.slug)


# -- members ---------------------------------------------------------------------------------------


@pytest.mark.asked_by("viewer", "member", "admin", "owner")
def test_everyone_sees_who_is_in_the_team(team: SomeTeam, role: Role, asker: SomePerson, client: TestClient) -> None:
    listed = client.get(f"/api/v1/teams/{team.id}/members").json()["items"]
    assert {member["email"]: member["role"] for member in listed} == {team.owner.email: "owner", asker.email: str(role)}


@pytest.mark.parametrize(
    ("by", "whom", "to", "status"),
    [
        (Role.OWNER, Role.ADMIN, Role.OWNER, 200),
        (Role.OWNER, Role.MEMBER, Role.VIEWER, 200),
        (Role.ADMIN, Role.VIEWER, Role.ADMIN, 200),
        (Role.ADMIN, Role.ADMIN, Role.MEMBER, 200),
        (Role.ADMIN, Role.MEMBER, Role.OWNER, 403),
        (Role.ADMIN, Role.OWNER, Role.MEMBER, 403),
        (Role.MEMBER, Role.VIEWER, Role.MEMBER, 403),
    ],
)
def test_roles_are_changed_only_by_sufficient_roles(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, by: Role, whom: Role, to: Role, status: int
) -> None:
    asker = team.owner if by is Role.OWNER else people.member(team, by)
    subject = people.member(team, whom)
    client = app.asked(cookie=asker.cookie)
    answer = client.patch(f"/api/v1/teams/{team.id}/members/{subject.user_id}", json={"role": to})
    assert answer.status_code == status, answer.text
    listed = app.asked(cookie=team.owner.cookie).get(f"/api/v1/teams/{team.id}/members").json()["items"]
    now = {member["user_id"]: member["role"] for member in listed}
    assert now[str(subject.user_id)] == (to if status == 200 else whom)


def test_a_changed_role_holds_from_the_next_request_on(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    admin = people.member(team, Role.ADMIN)
    theirs = app.asked(cookie=admin.cookie)
    assert theirs.get(f"/api/v1/teams/{team.id}/tokens").status_code == 200
    client.patch(f"/api/v1/teams/{team.id}/members/{admin.user_id}", json={"role": "viewer"})
    assert theirs.get(f"/api/v1/teams/{team.id}/tokens").status_code == 403
    client.delete(f"/api/v1/teams/{team.id}/members/{admin.user_id}")
    assert theirs.get(f"/api/v1/teams/{team.id}").status_code == 404


def test_the_last_owner_stays(app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient) -> None:
    owner = f"/api/v1/teams/{team.id}/members/{team.owner.user_id}"
    for refused in (client.delete(owner), client.patch(owner, json={"role": "admin"})):
        assert (refused.status_code, problem(refused)) == (409, "last-owner")
    people.member(team, Role.OWNER)
    assert client.delete(owner).status_code == 204
    assert client.get("/api/v1/session").json()["teams"] == []


def test_of_two_owners_leaving_at_once_one_stays(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    second = people.member(team, Role.OWNER)

    def leave(person: SomePerson) -> None:
        caller = Caller(team.id, person.user_id, None, Role.OWNER, frozenset())
        with app.database.writing(TeamScope(team.id, person.user_id)) as session:
            service.remove_member(session, caller, person.user_id)

    first = AccountsFactory.caller(team)
    with ThreadPoolExecutor(1) as pool:
        with app.database.writing(TeamScope(team.id, first.user_id)) as session:
            service.remove_member(session, first, team.owner.user_id)
            session.flush()
            waiting = pool.submit(leave, second)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)  # until the first has left
        with pytest.raises(LastOwner):
            waiting.result(timeout=10)


def test_a_member_can_leave_but_remove_no_other(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    leaver, other = people.member(team), people.member(team)
    client = app.asked(cookie=leaver.cookie)
    assert client.delete(f"/api/v1/teams/{team.id}/members/{other.user_id}").status_code == 403
    assert client.delete(f"/api/v1/teams/{team.id}/members/{leaver.user_id}").status_code == 204
    assert client.get(f"/api/v1/teams/{team.id}").status_code == 404


def test_an_unknown_id_is_not_found(team: SomeTeam, client: TestClient) -> None:
    path = f"/api/v1/teams/{team.id}/members/{uuid4()}"
    assert [client.delete(path).status_code, client.patch(path, json={"role": "viewer"}).status_code] == [404, 404]


# -- invitations -----------------------------------------------------------------------------------


def test_an_invitation_is_shown_accepted_and_used_up(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    made = client.post(f"/api/v1/teams/{team.id}/invitations", json={"role": "viewer", "email": "jo@example.com"})
    secret = made.json()["secret"]
    assert (made.status_code, made.json()["created_by"]) == (201, team.owner.name)
    (listed,) = client.get(f"/api/v1/teams/{team.id}/invitations").json()["items"]
    assert (listed["id"], listed["secret"]) == (made.json()["id"], None)

    shown = app.asked().get(f"/api/v1/invitations/{secret}").json()
    assert shown == {
        "team": {"name": team.name, "slug": team.slug},
        "role": "viewer",
        "email": "jo@example.com",
        "expires_at": made.json()["expires_at"],
    }

    guest, late = (app.asked(cookie=people.team("Elsewhere").owner.cookie) for _ in range(2))
    assert guest.post(f"/api/v1/invitations/{secret}/accept").json()["slug"] == team.slug
    assert {one["slug"]: one["role"] for one in guest.get("/api/v1/session").json()["teams"]}[team.slug] == "viewer"
    assert client.get(f"/api/v1/teams/{team.id}/invitations").json()["items"] == []
    for again in (late.post(f"/api/v1/invitations/{secret}/accept"), late.get(f"/api/v1/invitations/{secret}")):
        assert (again.status_code, problem(again)) == (409, "invitation-used")


def test_of_two_simultaneous_acceptances_one_succeeds(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    for _ in range(3):
        secret = people.invitation(team)
        first, second = (app.asked(cookie=people.team("Elsewhere").owner.cookie) for _ in range(2))
        path = f"/api/v1/invitations/{secret}/accept"
        assert at_once(lambda: first.post(path), lambda: second.post(path)) == [200, 409]  # noqa: B023 - called before the next round


def test_a_member_does_not_use_up_an_invitation(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    secret = people.invitation(team)
    refused = client.post(f"/api/v1/invitations/{secret}/accept")
    assert (refused.status_code, problem(refused)) == (409, "already-member")
    assert app.asked().get(f"/api/v1/invitations/{secret}").status_code == 200


def test_an_invitation_ends_by_time_or_by_being_withdrawn(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    expiring, withdrawn = people.invitation(team, days=1), people.invitation(team, days=7)
    app.clock.move(days=1)
    assert app.asked().get(f"/api/v1/invitations/{expiring}").status_code == 404
    (listed,) = client.get(f"/api/v1/teams/{team.id}/invitations").json()["items"]
    path = f"/api/v1/teams/{team.id}/invitations/{listed['id']}"
    assert [client.delete(path).status_code, client.delete(path).status_code] == [204, 404]
    assert app.asked().get(f"/api/v1/invitations/{withdrawn}").status_code == 404


def test_an_admin_does_not_invite_an_owner(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    client = app.asked(cookie=people.member(team, Role.ADMIN).cookie)
    path = f"/api/v1/teams/{team.id}/invitations"
    assert client.post(path, json={"role": "owner"}).status_code == 403
    assert client.post(path, json={"role": "admin"}).status_code == 201


@pytest.mark.parametrize("secret", ["x", "x" * 33, "0" * 33, "%00", "..%2Fteams", "a" * 101])
def test_an_invalid_link_is_not_found(app: AppUnderTest, secret: str) -> None:
    assert app.asked().get(f"/api/v1/invitations/{secret}").status_code in {404, 422}


# -- tokens ----------------------------------------------------------------------------------------


def make_token(client: TestClient, team: SomeTeam, **changed: object) -> dict[str, Any]:
    sent = {"name": "ci", "scopes": ["upload", "read", "upload"], **changed}
    made = client.post(f"/api/v1/teams/{team.id}/tokens", json=sent)
    assert made.status_code == 201, made.text
    body: dict[str, Any] = made.json()
    return body


def test_a_token_is_returned_once_and_works(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    made = make_token(client, team)
    assert made["secret"].startswith(made["prefix"])
    assert made["scopes"] == ["read", "upload"]
    program = app.asked(token=made["secret"])
    assert program.get("/api/v1/artifacts").status_code == 200
    (listed,) = client.get(f"/api/v1/teams/{team.id}/tokens").json()["items"]
    assert listed["secret"] is None
    assert listed["last_used_at"] is not None
    assert made["last_used_at"] is None


def test_a_revoked_token_ends_at_once(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    made = make_token(client, team)
    program = app.asked(token=made["secret"])
    assert program.get("/api/v1/artifacts").status_code == 200
    path = f"/api/v1/teams/{team.id}/tokens/{made['id']}"
    assert [client.delete(path).status_code, client.delete(path).status_code] == [204, 404]
    refused = program.get("/api/v1/artifacts")
    assert (refused.status_code, problem(refused)) == (401, "token-not-valid")
    assert "revoked at 2026-11-21T12:00:00" in refused.json()["detail"]
    assert client.get(f"/api/v1/teams/{team.id}/tokens").json()["items"] == []


def test_a_token_expires(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    short, endless = make_token(client, team, expires_in_days=1), make_token(client, team, expires_in_days=None)
    app.clock.move(days=1)
    refused = app.asked(token=short["secret"]).get("/api/v1/artifacts")
    assert (refused.status_code, "expired" in refused.json()["detail"]) == (401, True)
    app.clock.move(days=10_000)
    assert app.asked(token=endless["secret"]).get("/api/v1/artifacts").status_code == 200


def test_a_program_needs_no_origin_and_may_not_act_for_a_person(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    token = people.token(team, TokenScope.WRITE)
    program = app.asked(token=token.secret)
    assert program.put("/api/v1/artifacts/cpu.pprof", content=b"some bytes").status_code == 201
    for refused in (program.get("/api/v1/session"), program.get(f"/api/v1/teams/{team.id}/tokens")):
        assert (refused.status_code, problem(refused)) == (403, "person-needed")


def test_a_token_for_uploads_does_not_browse(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    refused = app.asked(token=people.token(team, TokenScope.UPLOAD).secret).get("/api/v1/services")
    assert (refused.status_code, problem(refused)) == (403, "scope-missing")


@pytest.mark.parametrize("secret", ["", "x", "slp_", "slp_" + "0" * 39, "\x7f", "slp_" + "é" * 39])
def test_an_invalid_token_is_rejected(app: AppUnderTest, secret: str) -> None:
    client = app.asked()
    headers = {b"Authorization": f"Bearer {secret}".encode()}
    assert client.get("/api/v1/artifacts", headers=headers).status_code == 401


@pytest.mark.parametrize("wrong", [{"scopes": []}, {"scopes": ["all"]}, {"expires_in_days": 0}, {"name": ""}], ids=str)
def test_an_invalid_token_request_is_rejected(team: SomeTeam, client: TestClient, wrong: dict[str, object]) -> None:
    sent = {"name": "ci", "scopes": ["read"], **wrong}
    assert client.post(f"/api/v1/teams/{team.id}/tokens", json=sent).status_code == 422


# -- the log ---------------------------------------------------------------------------------------


def test_the_audit_log_records_actor_and_action(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient
) -> None:
    guest = people.team("Elsewhere").owner
    secret = client.post(f"/api/v1/teams/{team.id}/invitations", json={"role": "admin"}).json()["secret"]
    app.asked(cookie=guest.cookie).post(f"/api/v1/invitations/{secret}/accept")
    token = make_token(client, team)
    app.asked(token=token["secret"]).delete(f"/api/v1/artifacts/{uuid4()}")  # not there: not in the log
    client.delete(f"/api/v1/teams/{team.id}/members/{guest.user_id}")

    items = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]
    assert [(one["actor"], one["action"]) for one in reversed(items)] == [
        (team.owner.name, "team.created"),
        (team.owner.name, "invitation.created"),
        (guest.name, "member.joined"),
        (team.owner.name, "token.created"),
        (team.owner.name, "member.removed"),
    ]
    assert items[0]["details"] == {"name": guest.name, "role": "admin"}
    assert items[0]["subject"] == f"member {guest.name}"


def test_failed_requests_are_not_in_the_audit_log(team: SomeTeam, client: TestClient) -> None:
    client.delete(f"/api/v1/teams/{team.id}/members/{team.owner.user_id}")
    items = client.get(f"/api/v1/teams/{team.id}/audit-events").json()["items"]
    assert [one["action"] for one in items] == ["team.created"]


# -- pages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["members", "invitations", "tokens", "audit-events"])
def test_a_list_costs_the_same_however_long_it_is(
    team: SomeTeam, people: AccountsFactory, client: TestClient, queries: Statements, what: str
) -> None:
    path = f"/api/v1/teams/{team.id}/{what}"
    costs = []
    for _ in range(2):
        for _ in range(3):
            people.member(team)
            people.invitation(team)
            people.token(team)
        with queries.during() as asked:
            assert client.get(path).status_code == 200
        costs.append(len(asked))
    assert costs == [2, 2], "one to find out who asks, one for the page"


@pytest.mark.parametrize("what", ["members", "invitations", "tokens", "audit-events"])
def test_pages_hold_everything_once(team: SomeTeam, people: AccountsFactory, client: TestClient, what: str) -> None:
    for _ in range(4):
        people.member(team)
        people.invitation(team)
        people.token(team)
    path = f"/api/v1/teams/{team.id}/{what}"
    whole = client.get(path).json()
    assert whole["next_cursor"] is None
    paged, cursor = [], None
    while True:
        page = client.get(path, params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        paged += page["items"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert paged == whole["items"]


@pytest.mark.parametrize("cursor", ["x", "W10", "e30", "bnVsbA", "//", "é"])
def test_an_invalid_cursor_is_rejected(team: SomeTeam, client: TestClient, cursor: str) -> None:
    assert client.get(f"/api/v1/teams/{team.id}/members", params={"cursor": cursor}).status_code == 422


# -- the end of a team -----------------------------------------------------------------------------


def test_a_deleted_team_is_closed_at_once_and_erased_by_a_job(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, emptied: TestDatabase
) -> None:
    member, token = people.member(team, Role.OWNER), people.token(team)
    invitation = people.invitation(team)
    assert app.asked(cookie=team.owner.cookie).delete(f"/api/v1/teams/{team.id}").status_code == 204

    assert app.asked(cookie=member.cookie, team=team.id).get("/api/v1/artifacts").status_code == 404
    assert app.asked(cookie=member.cookie).get("/api/v1/session").json()["teams"] == []
    assert app.asked(token=token.secret).get("/api/v1/artifacts").status_code == 401
    assert app.asked().get(f"/api/v1/invitations/{invitation}").status_code == 404
    with emptied.as_admin() as connection:
        jobs = connection.execute("SELECT name, subject_id FROM job WHERE team_id = %s", (team.id,)).fetchall()
        assert jobs == [("accounts.erase-team", team.id)]
        with app.database.writing(TeamScope(team.id)) as session:
            service.erase_team(session)
        for table in ("team", "membership", "job", "audit_event", "api_token", "invitation"):
            assert connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,), table


def test_a_team_that_was_not_deleted_is_not_erased(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    with app.database.writing(TeamScope(team.id)) as session:
        service.erase_team(session)
    assert client.get(f"/api/v1/teams/{team.id}").status_code == 200


# -- set-up ----------------------------------------------------------------------------------------


def test_skipped_steps_are_of_the_team(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    member = app.asked(cookie=people.member(team, Role.MEMBER).cookie, team=team.id)
    viewer = app.asked(cookie=people.member(team, Role.VIEWER).cookie, team=team.id)
    path = f"/api/v1/teams/{team.id}"

    def skip(step: str, *, by: TestClient = member, is_skipped: bool = True) -> Response:
        return by.put(f"{path}/setup-steps/{step}", json={"is_skipped": is_skipped})

    assert at_once(*[lambda step=step: skip(step) for step in ("runner", "build", "runner")]) == [200] * 3
    assert viewer.get(path).json()["skipped_setup_steps"] == ["build", "runner"]
    assert (skip("metrics", by=viewer).status_code, skip("coffee").status_code) == (403, 422)
    assert skip("build", is_skipped=False).json()["skipped_setup_steps"] == ["runner"]
