"""Groups are the roles of the team; of several, the highest counts."""

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.provisioned_role import decide_role
from slowpath.platform.accounts.rules.roles import Role
from slowpath.platform.scim.rules import count_allowed_operations
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.platform.scim.conftest import Directory, refused
from tests.platform.scim.test_users import claimed, members
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase


@pytest.fixture
def owner(app: AppUnderTest, team: SomeTeam) -> TestClient:
    return app.asked(cookie=team.owner.cookie, team=team.id)


@pytest.fixture
def member(people: AccountsFactory, team: SomeTeam) -> SomePerson:
    return people.member(team)


@pytest.mark.parametrize(
    ("groups", "held", "is_claimed", "expected"),
    [
        ((), Role.ADMIN, True, Role.VIEWER),
        ((), Role.ADMIN, False, Role.VIEWER),
        ((Role.MEMBER, Role.ADMIN), Role.VIEWER, True, Role.ADMIN),
        ((Role.MEMBER, Role.ADMIN), Role.VIEWER, False, Role.VIEWER),
        ((Role.MEMBER,), Role.OWNER, False, Role.MEMBER),
    ],
)
def test_the_highest_group_decides_and_only_a_proof_raises(
    groups: tuple[Role, ...], held: Role, is_claimed: bool, expected: Role
) -> None:
    assert decide_role(groups, held=held, is_claimed=is_claimed) is expected


@pytest.mark.parametrize(("members", "operations"), [(0, 100), (500, 100), (1_000, 50), (10_000, 5), (100_000, 1)])
def test_large_groups_take_fewer_operations(members: int, operations: int) -> None:
    assert count_allowed_operations(members) == operations


@pytest.mark.database
def test_groups_are_listed_and_found(directory: Directory, team: SomeTeam, member: SomePerson) -> None:
    listed = directory.http.get("/scim/v2/Groups").json()
    assert [group["displayName"] for group in listed["Resources"]] == ["viewer", "member", "admin", "owner"]
    assert [one["display"] for one in listed["Resources"][1]["members"]] == [member.name]
    found = directory.http.get("/scim/v2/Groups", params={"filter": 'displayName eq "ADMIN"'}).json()
    assert [group["id"] for group in found["Resources"]] == ["admin"]
    slim = directory.http.get("/scim/v2/Groups/owner", params={"excludedAttributes": "members"}).json()
    assert "members" not in slim
    assert directory.http.get("/scim/v2/Groups", params={"startIndex": 4}).json()["totalResults"] == 4
    assert "viewer, member" in refused(directory.http.get("/scim/v2/Groups/evil"), 404)


@pytest.mark.database
def test_the_order_of_groups_does_not_matter(
    directory: Directory, member: SomePerson, owner: TestClient, team: SomeTeam, emptied: TestDatabase
) -> None:
    user = directory.find(member.email)
    assert user is not None
    directory.sets_active(user["id"], active=True)
    claimed(emptied, user["id"], member)
    for group, role in (("admin", "admin"), ("viewer", "admin"), ("owner", "owner")):
        assert directory.adds(group, user["id"]).status_code == 200
        assert members(owner, team)[member.email] == (role, True)
    for group, role in (("owner", "admin"), ("member", "admin"), ("admin", "viewer"), ("viewer", "viewer")):
        assert directory.removes(group, user["id"]).status_code == 200
        assert members(owner, team)[member.email] == (role, True)


@pytest.mark.database
def test_one_owner_follows_another_in_one_request(
    directory: Directory, member: SomePerson, owner: TestClient, team: SomeTeam, emptied: TestDatabase
) -> None:
    former, next_owner = directory.find(team.owner.email), directory.find(member.email)
    assert former is not None
    assert next_owner is not None
    directory.sets_active(next_owner["id"], active=True)
    body = {"schemas": [], "displayName": "owner", "members": [{"value": next_owner["id"]}]}

    refused(directory.http.put("/scim/v2/Groups/owner", json=body), 409)
    claimed(emptied, next_owner["id"], member)
    assert directory.http.put("/scim/v2/Groups/owner", json=body).status_code == 200

    found = members(owner, team)
    assert found == {team.owner.email: ("viewer", False), member.email: ("owner", True)}


@pytest.mark.database
def test_groups_are_not_renamed_created_deleted_or_filled_with_strangers(directory: Directory) -> None:
    rename = {"op": "replace", "path": "displayName", "value": "bosses"}
    assert directory.patches("Groups/admin", rename).status_code == 400
    refused(directory.http.post("/scim/v2/Groups", json={"displayName": "bosses"}), 405)
    refused(directory.http.delete("/scim/v2/Groups/admin"), 405)
    refused(directory.adds("admin", "not-an-id"), 400, "invalidValue")
    refused(directory.adds("admin", "00000000-0000-4000-8000-000000000000"), 400, "invalidValue")
    okta = {"op": "replace", "value": {"id": "admin", "displayName": "admin"}}
    assert directory.patches("Groups/admin", okta).status_code == 200
