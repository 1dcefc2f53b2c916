"""Members that are no persons: what their tokens may, and how they are stopped."""

from itertools import count
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest

NUMBERS = count(1)

pytestmark = pytest.mark.database


class Accounts:
    """Asks about the service accounts of a team as one of its people."""

    def __init__(self, client: TestClient, team: SomeTeam) -> None:
        self.client = client
        self.url = f"/api/v1/teams/{team.id}"

    def make(self, name: str = "deployer", role: str = "member") -> Any:  # noqa: ANN401 - JSON
        made = self.client.post(f"{self.url}/service-accounts", json={"name": name, "role": role})
        assert made.status_code == 201, made.text
        return made.json()

    def token(self, account: Any, *scopes: str) -> Any:  # noqa: ANN401 - JSON
        sent = {"name": "ci", "scopes": scopes, "service_account_id": account["id"]}
        made = self.client.post(f"{self.url}/tokens", json=sent)
        assert made.status_code == 201, made.text
        return made.json()

    def change(self, account: Any, **what: object) -> Any:  # noqa: ANN401 - JSON
        changed = self.client.patch(f"{self.url}/service-accounts/{account['id']}", json=what)
        assert changed.status_code == 200, changed.text
        return changed.json()

    def annotated_by(self, program: TestClient) -> int:
        """Have a program write something, which needs the scope `write`; return the status."""
        made = self.client.post("/api/v1/environments", json={"name": f"of {next(NUMBERS)}"})
        assert made.status_code == 201, made.text
        sent = {"environment_id": made.json()["id"], "started_at": "2026-11-21T11:00:00Z", "text": "deployed"}
        return int(program.post("/api/v1/annotations", json=sent).status_code)

    def all(self) -> Any:  # noqa: ANN401 - JSON
        return self.client.get(f"{self.url}/service-accounts").json()["items"]


@pytest.fixture
def accounts(client: TestClient, team: SomeTeam) -> Accounts:
    return Accounts(client, team)


def test_the_log_names_the_account_and_not_its_token(accounts: Accounts, app: AppUnderTest) -> None:
    account = accounts.make()
    token = accounts.token(account, "write")
    assert token["service_account"] == {"id": account["id"], "name": "deployer", "disabled": False}
    assert accounts.annotated_by(app.asked(token=token["secret"])) == 201
    entry = accounts.client.get(f"{accounts.url}/audit-events").json()["items"][0]
    assert (entry["action"], entry["actor"], entry["actor_kind"]) == (
        "annotation.created", "deployer", "service-account",
    )  # fmt: skip
    [listed] = accounts.all()
    assert (listed["tokens"], listed["role"], listed["last_used_at"] is None) == (1, "member", False)


def test_one_that_is_disabled_is_refused_at_the_next_request_and_goes_on_when_enabled(
    accounts: Accounts, app: AppUnderTest
) -> None:
    account = accounts.make()
    program = app.asked(token=accounts.token(account, "read")["secret"])
    assert program.get("/api/v1/services").status_code == 200
    assert accounts.change(account, disabled=True)["disabled_at"] is not None
    refused = program.get("/api/v1/services")
    assert refused.status_code == 401
    assert "disabled" in refused.json()["detail"]
    accounts.change(account, disabled=False)
    assert program.get("/api/v1/services").status_code == 200


def test_its_role_bounds_its_tokens_whatever_their_scopes(accounts: Accounts, app: AppUnderTest) -> None:
    account = accounts.make()
    program = app.asked(token=accounts.token(account, "write")["secret"])
    assert accounts.annotated_by(program) == 201
    accounts.change(account, role="viewer")
    assert program.get("/api/v1/services").status_code == 200
    assert accounts.annotated_by(program) == 403
    accounts.change(account, role="member")
    assert accounts.annotated_by(program) == 201


def test_a_viewer_s_upload_token_may_nothing(accounts: Accounts, app: AppUnderTest) -> None:
    account = accounts.make()
    program = app.asked(token=accounts.token(account, "upload")["secret"])
    accounts.change(account, role="viewer")
    for refused in (program.get("/api/v1/services"), program.put("/api/v1/artifacts/x", content=b"x")):
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:slowpath:scope-missing")


def test_no_token_is_made_beyond_the_role(accounts: Accounts) -> None:
    account = accounts.make(role="viewer")
    sent = {"name": "ci", "scopes": ["read", "upload"], "service_account_id": account["id"]}
    refused = accounts.client.post(f"{accounts.url}/tokens", json=sent)
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:scope-beyond-role")


def test_it_cannot_be_an_admin(accounts: Accounts) -> None:
    for role in ("admin", "owner"):
        refused = accounts.client.post(f"{accounts.url}/service-accounts", json={"name": "x", "role": role})
        assert refused.status_code == 422


def test_its_token_manages_nothing(accounts: Accounts, app: AppUnderTest) -> None:
    program = app.asked(token=accounts.token(accounts.make(), "read", "upload", "write")["secret"])
    for refused in (
        program.get(f"{accounts.url}/service-accounts"),
        program.post(f"{accounts.url}/tokens", json={"name": "more", "scopes": ["write"]}),
        program.get(f"{accounts.url}/audit-events"),
        program.delete(accounts.url),
    ):
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:slowpath:person-needed")


def test_removing_it_ends_its_tokens(accounts: Accounts, app: AppUnderTest) -> None:
    account = accounts.make()
    program = app.asked(token=accounts.token(account, "read")["secret"])
    assert accounts.client.delete(f"{accounts.url}/service-accounts/{account['id']}").status_code == 204
    assert program.get("/api/v1/services").status_code == 401
    assert accounts.all() == []


def test_a_name_is_given_once(accounts: Accounts) -> None:
    first = accounts.make("one")
    accounts.make("two")
    again = accounts.client.post(f"{accounts.url}/service-accounts", json={"name": "one"})
    assert (again.status_code, again.json()["type"]) == (409, "urn:slowpath:name-taken")
    renamed = accounts.client.patch(f"{accounts.url}/service-accounts/{first['id']}", json={"name": "two"})
    assert renamed.status_code == 409
    assert accounts.change(first, name="three")["name"] == "three"


def test_rates_and_names_of_tokens_can_be_changed_but_not_their_scopes(accounts: Accounts) -> None:
    token = accounts.token(accounts.make(), "read")
    url = f"{accounts.url}/tokens/{token['id']}"
    changed = accounts.client.put(url, json={"name": "other", "requests_per_minute": 7})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["name"], changed.json()["requests_per_minute"]) == ("other", 7)
    assert "secret" not in changed.json() or changed.json()["secret"] is None
    assert accounts.client.put(url, json={"name": "x", "scopes": ["write"]}).status_code == 422
    assert accounts.client.put(url, json={"name": "x", "requests_per_minute": 0}).status_code == 422


@pytest.mark.asked_by("viewer", "member")
def test_members_without_the_permission_do_not_see_them(client: TestClient, team: SomeTeam, role: Role) -> None:
    assert client.get(f"/api/v1/teams/{team.id}/service-accounts").status_code == 403


def test_another_team_s_account_gets_no_token(accounts: Accounts, app: AppUnderTest, people: Any) -> None:  # noqa: ANN401
    theirs: SomeTeam = people.team("Others")
    other = Accounts(app.asked(cookie=theirs.owner.cookie), theirs)
    account = other.make()
    sent = {"name": "ci", "scopes": ["read"], "service_account_id": account["id"]}
    assert accounts.client.post(f"{accounts.url}/tokens", json=sent).status_code == 404


def test_tokens_and_sessions_end_at_once(
    client: TestClient, accounts: Accounts, app: AppUnderTest, asker: SomePerson
) -> None:
    token = accounts.token(accounts.make(), "read")
    program, elsewhere = app.asked(token=token["secret"]), app.asked(cookie=asker.cookie)
    assert program.get("/api/v1/services").status_code == 200
    assert client.delete(f"{accounts.url}/tokens/{token['id']}").status_code == 204
    assert program.get("/api/v1/services").status_code == 401
    assert client.delete("/api/v1/sessions").status_code == 204
    assert elsewhere.get("/api/v1/session").status_code == 401
