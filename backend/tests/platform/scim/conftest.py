"""An identity provider that provisions a team."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

USER = "urn:ietf:params:scim:schemas:core:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"


@dataclass(frozen=True)
class Directory:
    """The identity provider of a team."""

    http: TestClient

    def users(self, **query: object) -> dict[str, Any]:
        """List users; the name of a query with a dollar is a keyword of Python."""
        found: dict[str, Any] = self.http.get("/scim/v2/Users", params=query).json()  # type: ignore[arg-type]
        return found

    def find(self, user_name: str) -> dict[str, Any] | None:
        """Return the user of a name, as identity providers do before they create one."""
        found: list[dict[str, Any]] = self.users(filter=f'userName eq "{user_name}"')["Resources"]
        return found[0] if found else None

    def sends_user(self, user_name: str, **attributes: object) -> Any:  # noqa: ANN401 - an answer of the test client
        """Create a user."""
        body = {"schemas": [USER], "userName": user_name, **attributes}
        content = json.dumps(body)  # in ASCII, also unpaired surrogates
        return self.http.post("/scim/v2/Users", content=content, headers={"Content-Type": "application/scim+json"})

    def creates(self, user_name: str, **attributes: object) -> str:
        """Create a user and return the ID."""
        created = self.sends_user(user_name, **attributes)
        assert created.status_code == 201, created.text
        return str(created.json()["id"])

    def patches(self, path: str, *operations: Mapping[str, object]) -> Any:  # noqa: ANN401 - the same
        """Send operations."""
        return self.http.patch(f"/scim/v2/{path}", json={"schemas": [PATCH], "Operations": list(operations)})

    def sets_active(self, user_id: str, *, active: object) -> Any:  # noqa: ANN401 - the same
        """Activate or deactivate a user."""
        return self.patches(f"Users/{user_id}", {"op": "replace", "path": "active", "value": active})

    def adds(self, group: str, *user_ids: str) -> Any:  # noqa: ANN401 - the same
        """Add users to a group."""
        members = [{"value": user_id} for user_id in user_ids]
        return self.patches(f"Groups/{group}", {"op": "add", "path": "members", "value": members})

    def removes(self, group: str, user_id: str) -> Any:  # noqa: ANN401 - the same
        """Remove a user from a group."""
        return self.patches(f"Groups/{group}", {"op": "remove", "path": f'members[value eq "{user_id}"]'})


def refused(answer: Any, status: int, scim_type: str | None = None) -> str:  # noqa: ANN401 - the same
    """Assert that an answer is an error of SCIM, and return its detail."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/scim+json")
    body = answer.json()
    assert body["schemas"] == [ERROR]
    assert body["status"] == str(status)
    assert body.get("scimType") == scim_type, body
    return str(body["detail"])


@pytest.fixture
def directory(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> Directory:
    return Directory(app.asked(token=people.token(team, TokenScope.SCIM).secret))


@pytest.fixture
def other_team(people: AccountsFactory) -> SomeTeam:
    return people.team("Others")


@pytest.fixture
def other_directory(app: AppUnderTest, people: AccountsFactory, other_team: SomeTeam) -> Directory:
    return Directory(app.asked(token=people.token(other_team, TokenScope.SCIM).secret))
