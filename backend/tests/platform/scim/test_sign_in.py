"""A provisioned membership is claimed by a sign-in at a certified provider, with a verified address."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from slowpath.platform.accounts.rules.roles import Role, TokenScope
from tests.factories.accounts import SomeTeam
from tests.platform.accounts.test_oidc import API, Corp
from tests.platform.scim.conftest import Directory
from tests.support.databases import TestDatabase
from tests.support.issuers import certified_provider

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with certified_provider() as address:
        yield address


@pytest.fixture
def corp(emptied: TestDatabase, engine: Engine, provider: str) -> Corp:
    return Corp(emptied, engine, provider, sign_up="invited")


def provisioned(corp: Corp, name: str = "Ingesters") -> tuple[SomeTeam, Directory, str]:
    """Return a team, its identity provider, and the ID of its token."""
    team = corp.people.team(name)
    token = corp.people.token(team, TokenScope.SCIM)
    return team, Directory(corp.app.asked(token=token.secret)), str(token.id)


def teams(corp: Corp, login: str) -> dict[str, str]:
    """Sign in and return the roles by teams."""
    found = corp.signs_in(login)["session"]["teams"]
    return {team["name"]: team["role"] for team in found}


def test_a_new_user_joins_every_team_that_waits(corp: Corp) -> None:
    _, first, _ = provisioned(corp)
    _, second, _ = provisioned(corp, "Others")
    user = first.creates("MIRA@corp.example", active=True)
    second.creates("mira", emails=[{"value": "mira@corp.example", "primary": True}])
    first.adds("admin", user)

    assert teams(corp, "mira@corp.example") == {"Ingesters": "admin", "Others": "viewer"}
    first.sets_active(user, active=False)
    assert teams(corp, "mira@corp.example") == {"Others": "viewer"}
    first.sets_active(user, active=True)
    assert teams(corp, "mira@corp.example") == {"Ingesters": "admin", "Others": "viewer"}
    first.http.delete(f"/scim/v2/Users/{user}")
    assert teams(corp, "mira@corp.example") == {"Others": "viewer"}


def test_an_unverified_address_claims_nothing(corp: Corp) -> None:
    _, directory, _ = provisioned(corp)
    directory.creates("mira@corp.example")
    browser = corp.browser()
    answer = browser.post(f"{API}/oidc/callback", json=corp.returned(browser, "unverified:mira@corp.example"))
    assert answer.status_code == 403


def test_without_a_token_or_inactive_nothing_waits(corp: Corp) -> None:
    team, directory, token = provisioned(corp)
    directory.creates("gone@corp.example", active=False)
    directory.creates("mira@corp.example")
    owner = corp.browser(team.owner)
    assert owner.delete(f"{API}/teams/{team.id}/tokens/{token}").status_code == 204
    for login in ("gone@corp.example", "mira@corp.example"):
        browser = corp.browser()
        answer = browser.post(f"{API}/oidc/callback", json=corp.returned(browser, login))
        assert answer.json()["type"] == "urn:slowpath:sign-up-closed"


def test_a_member_added_by_hand_gets_the_role_of_the_groups_with_the_proof(corp: Corp) -> None:
    team, directory, _ = provisioned(corp)
    member = corp.people.member(team, Role.MEMBER)
    user = directory.find(member.email)
    assert user is not None
    directory.adds("admin", user["id"])
    assert corp.browser(member).get(f"{API}/session").json()["teams"][0]["role"] == "member"

    assert teams(corp, member.email) == {"Ingesters": "admin"}


def test_a_row_of_another_account_is_not_taken(corp: Corp) -> None:
    """The account that claimed a row retains it; another one does not replace it."""
    team, directory, _ = provisioned(corp)
    waiting = directory.creates("mira@corp.example")
    other = corp.people.member(team, Role.VIEWER)
    assert teams(corp, "mira@corp.example") == {"Ingesters": "viewer"}
    renamed = directory.patches(f"Users/{waiting}", {"op": "replace", "path": "userName", "value": "jun@corp.example"})
    assert renamed.status_code == 200
    directory.adds("admin", waiting)
    browser = corp.browser()
    answer = browser.post(f"{API}/oidc/callback", json=corp.returned(browser, "jun@corp.example"))
    assert answer.json()["type"] == "urn:slowpath:sign-up-closed", "a claimed row waits for no one"
    assert corp.browser(other).get(f"{API}/session").json()["teams"][0]["role"] == "viewer"
