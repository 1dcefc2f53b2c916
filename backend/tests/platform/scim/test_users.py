"""What an identity provider may do with the members of its team, and what it may not."""

from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import Role, TokenScope
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.platform.scim.conftest import Directory, refused
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database
API = "/api/v1"


@pytest.fixture
def owner(app: AppUnderTest, team: SomeTeam) -> TestClient:
    return app.asked(cookie=team.owner.cookie, team=team.id)


@pytest.fixture
def member(people: AccountsFactory, team: SomeTeam) -> SomePerson:
    return people.member(team)


def members(client: TestClient, team: SomeTeam) -> dict[str, tuple[str, bool]]:
    """Return role and management of the members by their emails."""
    found = client.get(f"{API}/teams/{team.id}/members").json()["items"]
    return {one["email"]: (one["role"], one["is_managed"]) for one in found}


def claimed(emptied: TestDatabase, user_id: str, person: SomePerson) -> None:
    """Do what a sign-in at the identity provider does; that itself is tested with a real one."""
    with emptied.as_admin() as admin:
        statement = "UPDATE provisioned_member SET user_id = %s, claimed_at = now() WHERE id = %s"
        admin.execute(statement, (person.user_id, user_id))


def actions(emptied: TestDatabase, team: SomeTeam) -> list[str]:
    with emptied.as_admin() as admin:
        rows = admin.execute(
            "SELECT action FROM audit_event WHERE team_id = %s ORDER BY created_at, sequence", (team.id,)
        ).fetchall()
    return [action for (action,) in rows]


def test_a_user_is_created_found_changed_and_deleted(directory: Directory) -> None:
    assert directory.find("Ann@Corp.example") is None
    emails = [{"value": "ann@corp.example", "type": "work", "primary": True}]
    created = directory.sends_user("Ann@corp.example", externalId="X7", displayName="Ann", emails=emails, active=True)

    assert created.status_code == 201, created.text
    user = created.json()
    assert created.headers["location"] == user["meta"]["location"]
    assert (user["userName"], user["active"], user["externalId"]) == ("Ann@corp.example", True, "X7")
    found = directory.find("ann@CORP.example")
    assert found is not None
    assert found["id"] == user["id"]
    assert directory.users(filter='externalId eq "X7"')["totalResults"] == 1
    assert directory.users(filter='externalId eq "x7"')["totalResults"] == 0
    patched = directory.patches(
        f"Users/{user['id']}",
        {"op": "Replace", "path": "name.familyName", "value": "Bee"},
        {"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "R"},
        {"op": "replace", "value": {"displayName": "Ann Bee", "nickName": "A"}},
    ).json()
    assert (patched["name"]["familyName"], patched["displayName"]) == ("Bee", "Ann Bee")
    body = {"schemas": user["schemas"], "userName": "ann@corp.example"}
    replaced = directory.http.put(f"/scim/v2/Users/{user['id']}", json=body).json()
    assert (replaced["active"], replaced.get("name")) == (True, None)
    assert directory.http.delete(f"/scim/v2/Users/{user['id']}").status_code == 204
    refused(directory.http.get(f"/scim/v2/Users/{user['id']}"), 404)


def test_pages_list_every_member_once(directory: Directory, team: SomeTeam, member: SomePerson) -> None:
    ids = [directory.creates(f"p{number}@corp.example") for number in range(5)]
    pages = [directory.users(startIndex=first, count=3) for first in (1, 4, 7)]

    assert [len(page["Resources"]) for page in pages] == [3, 3, 1]
    assert {page["totalResults"] for page in pages} == {7}
    listed = [user["id"] for page in pages for user in page["Resources"]]
    assert len(set(listed)) == 7
    assert set(ids) < set(listed)
    assert directory.users(startIndex=-5, count=-1)["Resources"] == []
    assert directory.users(startIndex=10**15)["totalResults"] == 7
    names = {user["userName"] for user in directory.users()["Resources"]}
    assert {team.owner.email, member.email} < names


@pytest.mark.parametrize(
    "given",
    ["userName", 'userName sw "a"', 'userName eq "a" or userName eq "b"', "((((", 'password eq "x"', "not (" * 60],
)
def test_other_filters_are_refused(directory: Directory, given: str) -> None:
    refused(directory.http.get("/scim/v2/Users", params={"filter": given}), 400, "invalidFilter")


def test_a_long_filter_is_refused(directory: Directory) -> None:
    answer = directory.http.get("/scim/v2/Users", params={"filter": "a" * 501})
    assert "filter" in refused(answer, 400, "invalidSyntax")


@pytest.mark.parametrize("same", ["ANN@corp.example", "\uff41nn@corp.example"], ids=["case", "full width"])
def test_a_user_name_is_unique_whatever_its_letters(directory: Directory, same: str) -> None:
    directory.creates("ann@corp.example")
    refused(directory.sends_user(same), 409, "uniqueness")


def test_a_member_added_by_hand_is_matched_not_created(
    directory: Directory, member: SomePerson, owner: TestClient, team: SomeTeam
) -> None:
    refused(directory.sends_user(member.email.upper()), 409, "uniqueness")
    found = directory.find(member.email)
    assert found is not None
    assert found["groups"][0]["value"] == "member"

    assert directory.sets_active(found["id"], active=False).status_code == 200

    assert member.email not in members(owner, team)
    again = directory.sets_active(found["id"], active=True)
    assert again.json()["id"] == found["id"]
    assert members(owner, team)[member.email] == ("member", False)


def test_an_unproven_address_gets_no_higher_role(
    directory: Directory, member: SomePerson, owner: TestClient, team: SomeTeam, emptied: TestDatabase
) -> None:
    """Who was added by hand may have signed up with the address of someone else."""
    user = directory.find(member.email)
    assert user is not None

    assert directory.adds("admin", user["id"]).status_code == 200
    assert members(owner, team)[member.email] == ("member", False)
    directory.removes("admin", user["id"])
    directory.removes("member", user["id"])
    assert members(owner, team)[member.email] == ("viewer", False)

    claimed(emptied, user["id"], member)
    directory.adds("admin", user["id"])
    assert members(owner, team)[member.email] == ("admin", True)


def test_leaving_ends_what_a_member_could_come_back_with(
    app: AppUnderTest, directory: Directory, owner: TestClient, team: SomeTeam, people: AccountsFactory,
    emptied: TestDatabase,
) -> None:  # fmt: skip
    admin = people.member(team, Role.ADMIN)
    browser = app.asked(cookie=admin.cookie, team=team.id)
    sent = {"name": "mine", "scopes": ["read"]}
    token = browser.post(f"{API}/teams/{team.id}/tokens", json=sent).json()["secret"]
    account = browser.post(f"{API}/teams/{team.id}/service-accounts", json={"name": "ci"}).json()
    shared = browser.post(f"{API}/teams/{team.id}/tokens", json={**sent, "service_account_id": account["id"]}).json()
    invited = browser.post(f"{API}/teams/{team.id}/invitations", json={"role": "admin"})
    assert invited.status_code == 201, invited.text
    user = directory.find(admin.email)
    assert user is not None

    assert directory.sets_active(user["id"], active="False").status_code == 200

    assert browser.get(f"{API}/services").status_code == 404
    assert browser.get(f"{API}/session").status_code == 200, "the account is none of the team's business"
    assert app.asked(token=token).get(f"{API}/services").status_code == 401
    assert app.asked(token=shared["secret"]).get(f"{API}/services").status_code == 200
    assert owner.get(f"{API}/teams/{team.id}/invitations").json()["items"] == []
    assert {"provisioned-member.deactivated", "member.removed", "token.revoked", "invitation.revoked"} <= set(
        actions(emptied, team)
    )
    activity = owner.get(f"{API}/activity").json()["items"]
    assert activity[0]["action"] == "member.removed"


def test_the_last_owner_stays(directory: Directory, team: SomeTeam, owner: TestClient) -> None:
    user = directory.find(team.owner.email)
    assert user is not None
    for answer in (
        directory.sets_active(user["id"], active=False),
        directory.http.delete(f"/scim/v2/Users/{user['id']}"),
        directory.removes("owner", user["id"]),
        directory.http.put("/scim/v2/Groups/owner", json={"schemas": [], "displayName": "owner"}),
    ):
        assert "without an owner" in refused(answer, 409)
    assert members(owner, team) == {team.owner.email: ("owner", False)}


def test_a_managed_member_is_not_changed_by_hand(
    directory: Directory, member: SomePerson, owner: TestClient, team: SomeTeam, emptied: TestDatabase,
    app: AppUnderTest,
) -> None:  # fmt: skip
    user = directory.find(member.email)
    assert user is not None
    directory.sets_active(user["id"], active=True)
    claimed(emptied, user["id"], member)
    path = f"{API}/teams/{team.id}/members/{member.user_id}"

    for answer in (owner.patch(path, json={"role": "viewer"}), owner.delete(path)):
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:slowpath:managed-by-scim")
    assert app.asked(cookie=member.cookie, team=team.id).delete(path).status_code == 204, "everyone may leave"
    assert directory.http.get(f"/scim/v2/Users/{user['id']}").json()["active"] is False
    directory.sets_active(user["id"], active=True)
    assert members(owner, team)[member.email] == ("member", True)

    tokens = owner.get(f"{API}/teams/{team.id}/tokens").json()["items"]
    owner.delete(f"{API}/teams/{team.id}/tokens/{tokens[0]['id']}")
    assert owner.patch(path, json={"role": "viewer"}).status_code == 200, "without a token, by hand again"


def test_nothing_of_a_team_shows_or_changes_accounts_or_other_teams(
    directory: Directory, other_directory: Directory, member: SomePerson, app: AppUnderTest, team: SomeTeam,
    people: AccountsFactory, other_team: SomeTeam, emptied: TestDatabase,
) -> None:  # fmt: skip
    people.joins(member, other_team)
    mine, theirs = directory.find(member.email), other_directory.find(member.email)
    assert mine is not None
    assert theirs is not None
    waiting = directory.creates("new@corp.example")
    stranger = people.team("Third").owner

    known, unknown = directory.sends_user(stranger.email), directory.sends_user("x" + stranger.email)
    assert known.status_code == unknown.status_code == 201
    assert known.json().keys() == unknown.json().keys(), "the answer tells nothing about accounts"
    for user_id in (mine["id"], waiting):
        path = f"/scim/v2/Users/{user_id}"
        body = {"schemas": mine["schemas"], "userName": "taken@corp.example", "active": False}
        refused(other_directory.http.get(path), 404)
        refused(other_directory.http.put(path, json=body), 404)
        refused(other_directory.sets_active(user_id, active=False), 404)
        refused(other_directory.http.delete(path), 404)
        refused(other_directory.adds("owner", user_id), 400, "invalidValue")
    listed = {user["id"] for user in other_directory.users()["Resources"]}
    assert not listed & {mine["id"], waiting}
    renamed = {"schemas": mine["schemas"], "userName": "evil@corp.example", "displayName": "Evil", "active": False}
    assert directory.http.put(f"/scim/v2/Users/{mine['id']}", json=renamed).status_code == 200

    with emptied.as_admin() as admin:
        account = admin.execute("SELECT name, email FROM app_user WHERE id = %s", (member.user_id,)).fetchone()
        count = admin.execute("SELECT count(*) FROM app_user").fetchone()
    assert account == (member.name, member.email)
    assert count == (4,), "SCIM creates no account"
    assert app.asked(cookie=member.cookie, team=other_team.id).get(f"{API}/services").status_code == 200
    assert app.asked(cookie=member.cookie, team=team.id).get(f"{API}/services").status_code == 404


def test_no_other_credential_reaches_scim_and_its_token_nothing_else(
    app: AppUnderTest, directory: Directory, people: AccountsFactory, team: SomeTeam, owner: TestClient
) -> None:
    for scope in set(TokenScope) - {TokenScope.SCIM}:
        http = app.asked(token=people.token(team, scope).secret)
        refused(http.get("/scim/v2/Users"), 403)
        refused(http.post("/scim/v2/Users", json={}), 403)
    refused(owner.get("/scim/v2/Users"), 403)
    challenge = app.asked().get("/scim/v2/Users")
    refused(challenge, 401)
    assert challenge.headers["www-authenticate"].startswith("Bearer")
    for path in ("services", "artifacts", f"teams/{team.id}/members", "session", "jobs"):
        assert directory.http.get(f"{API}/{path}").status_code == 403


def test_only_an_owner_creates_a_token_and_alone(
    app: AppUnderTest, owner: TestClient, people: AccountsFactory, team: SomeTeam
) -> None:
    admin = app.asked(cookie=people.member(team, Role.ADMIN).cookie, team=team.id)
    path, sent = f"{API}/teams/{team.id}/tokens", {"name": "Okta", "scopes": ["scim"], "expires_in_days": None}
    account = owner.post(f"{API}/teams/{team.id}/service-accounts", json={"name": "ci"}).json()["id"]

    assert admin.post(path, json=sent).json()["type"] == "urn:slowpath:role-too-low"
    mixed = owner.post(path, json={**sent, "scopes": ["scim", "read"]})
    assert mixed.json()["type"] == "urn:slowpath:scim-scope-alone"
    of_account = owner.post(path, json={**sent, "service_account_id": account})
    assert of_account.json()["type"] == "urn:slowpath:scope-beyond-role"
    assert owner.post(path, json=sent).status_code == 201
    app.clock.move(minutes=16)
    assert owner.post(path, json=sent).json()["type"] == "urn:slowpath:sign-in-too-old"


HOSTILE: list[Any] = [
    {"userName": "a\x00b"}, {"userName": " "}, {"userName": "x" * 300}, {"userName": 7}, {"userName": None}, {},
    {"userName": "a\u202eb"}, {"userName": "a", "emails": [{"value": "no address"}]},
    {"userName": "a", "emails": [{"value": f"a{number}@b.example"} for number in range(21)]},
    {"userName": "a", "active": "perhaps"}, {"userName": "a", "name": "text"}, {"userName": "\ud800"},
]  # fmt: skip


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_users_are_refused(directory: Directory, body: dict[str, Any]) -> None:
    answer = directory.sends_user(
        **{"user_name": "", **{("user_name" if k == "userName" else k): v for k, v in body.items()}}
    )
    assert answer.status_code == 400, answer.text
    assert answer.json()["scimType"] in {"invalidValue", "invalidSyntax"}


@pytest.mark.parametrize(
    ("operation", "scim_type"),
    [
        ({"op": "replace", "path": "userName[", "value": "x"}, "invalidPath"),
        ({"op": "replace", "path": "id", "value": "00000000-0000-0000-0000-000000000000"}, "mutability"),
        ({"op": "replace", "path": "groups", "value": [{"value": "owner"}]}, "mutability"),
        ({"op": "remove", "path": "userName"}, "mutability"),
        ({"op": "explode", "path": "userName"}, "invalidSyntax"),
        ({"op": "remove"}, "noTarget"),
        ({"op": "replace", "path": "emails[" + "not (" * 200 + "]", "value": "x"}, "invalidPath"),
    ],
)
def test_hostile_patches_are_refused(directory: Directory, operation: dict[str, Any], scim_type: str) -> None:
    user_id = directory.creates("ann@corp.example")
    answer = directory.patches(f"Users/{user_id}", operation)
    assert answer.status_code in {400, 403}, answer.text
    assert answer.json()["scimType"] in {scim_type, "invalidValue", "invalidSyntax"}
    assert directory.http.get(f"/scim/v2/Users/{user_id}").json()["userName"] == "ann@corp.example"


def test_bodies_are_bounded(directory: Directory) -> None:
    user_id = directory.creates("ann@corp.example")
    operation = {"op": "replace", "path": "displayName", "value": "x"}
    assert "100" in refused(directory.patches(f"Users/{user_id}", *[operation] * 101), 400, "tooMany")
    deep: Any = "x"
    for _ in range(70):
        deep = [deep]
    refused(directory.sends_user("bob@corp.example", name=deep), 413)
    refused(directory.sends_user("bob@corp.example", displayName="x" * 70_000), 413)
    refused(
        directory.http.post("/scim/v2/Users", content=b"{", headers={"Content-Type": "application/scim+json"}),
        400,
        "invalidSyntax",
    )
    refused(directory.http.get("/scim/v2/Nothing"), 404)
    refused(directory.http.post("/scim/v2/Groups", json={}), 405)
    refused(directory.http.get("/scim/v2/Users/not-an-id"), 400, "invalidSyntax")


def test_requests_are_counted(app: AppUnderTest, team: SomeTeam, owner: TestClient) -> None:
    sent = {"name": "Okta", "scopes": ["scim"], "requests_per_minute": 2}
    secret = owner.post(f"{API}/teams/{team.id}/tokens", json=sent).json()["secret"]
    http = app.asked(token=secret)
    answers = [http.get("/scim/v2/Groups") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    refused(answers[2], 429)
    assert int(answers[2].headers["retry-after"]) > 0


def test_an_account_that_is_deleted_leaves_its_place(
    directory: Directory, member: SomePerson, emptied: TestDatabase
) -> None:
    user = directory.find(member.email)
    assert user is not None
    directory.sets_active(user["id"], active=True)
    with emptied.as_admin() as admin:
        connection: psycopg.Connection = admin
        connection.execute("DELETE FROM app_user WHERE id = %s", (member.user_id,))
    assert directory.http.get(f"/scim/v2/Users/{user['id']}").json()["active"] is True
    assert directory.sets_active(user["id"], active=False).status_code == 200
