"""An invitation that got lost is sent again: another link, and the one before is worthless."""

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database


def test_a_renewed_invitation_has_another_link_and_another_end(
    app: AppUnderTest, team: SomeTeam, client: TestClient, people: AccountsFactory
) -> None:
    url = f"/api/v1/teams/{team.id}/invitations"
    made = client.post(url, json={"role": "viewer", "expires_in_days": 1}).json()
    app.clock.move(days=2)
    assert app.asked().get(f"/api/v1/invitations/{made['secret']}").status_code == 404
    renewed = client.post(f"{url}/{made['id']}/renew", json={"expires_in_days": 3})
    assert renewed.status_code == 200, renewed.text
    body = renewed.json()
    assert (body["id"], body["role"], body["secret"] != made["secret"]) == (made["id"], "viewer", True)
    assert app.asked().get(f"/api/v1/invitations/{made['secret']}").status_code == 404
    guest = people.team("Others").owner
    accepted = app.asked(cookie=guest.cookie).post(f"/api/v1/invitations/{body['secret']}/accept")
    assert accepted.status_code == 200, accepted.text
    assert client.post(f"{url}/{made['id']}/renew", json={}).status_code == 404


def test_an_admin_does_not_renew_an_owner_s_invitation(
    app: AppUnderTest, team: SomeTeam, client: TestClient, people: AccountsFactory
) -> None:
    url = f"/api/v1/teams/{team.id}/invitations"
    made = client.post(url, json={"role": "owner"}).json()
    admin = app.asked(cookie=people.member(team, Role.ADMIN).cookie)
    refused = admin.post(f"{url}/{made['id']}/renew", json={})
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:slowpath:role-too-low")
    assert app.asked().get(f"/api/v1/invitations/{made['secret']}").status_code == 200
