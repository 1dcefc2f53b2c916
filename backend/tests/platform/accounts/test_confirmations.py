"""Confirming a sign-in in place: what it opens, and what an attacker with a cookie, a challenge or a session of theirs gets."""

from typing import Any

import pyotp
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.platform.accounts.rules.account_limits import SIGN_IN_BY_ADDRESS_AND_ACCOUNT
from slowpath.platform.accounts.rules.request_origin import LOOPBACK_COOKIE
from slowpath.platform.accounts.rules.second_factor import BY_ADDRESS_AND_ACCOUNT
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.software_passkey import SoftwarePasskey

pytestmark = pytest.mark.database
ORIGIN = "http://localhost:8080"
CONFIRMATION = "/api/v1/session/confirmation"
FACTORS = "/api/v1/user/second-factors"
REGISTRATIONS = "/api/v1/user/second-factor-registrations"
Json = Any


def problem(answer: Response) -> tuple[int, str]:
    return answer.status_code, str(answer.json()["type"]).removeprefix("urn:slowpath:")


class Desk:
    """Browsers of a team's people."""

    def __init__(self, app: AppUnderTest, team: SomeTeam) -> None:
        self.app, self.team = app, team

    def browser(self, cookie: str, address: str = "127.0.0.1") -> TestClient:
        client = TestClient(self.app.app, base_url=ORIGIN, client=(address, 50_000))
        client.headers.update({"Origin": ORIGIN, "Slowpath-Team": self.team.slug})
        client.cookies.set(LOOPBACK_COOKIE.name, cookie)
        return client

    def old(self, person: SomePerson) -> TestClient:
        """Return a browser whose sign-in is too old for a sensitive change."""
        client = self.browser(person.cookie)
        self.app.clock.move(minutes=16)
        assert problem(self.make_token(client)) == (403, "sign-in-too-old")
        return client

    def make_token(self, client: TestClient) -> Response:
        return client.post(f"/api/v1/teams/{self.team.id}/tokens", json={"name": "ci", "scopes": ["read"]})

    def add_totp(self, client: TestClient) -> str:
        started = client.post(REGISTRATIONS, json={"kind": "totp"}).json()
        sent = {"kind": "totp", "name": "Phone", "state": started["state"], "proof": self.code(started["totp_secret"])}
        assert client.post(FACTORS, json=sent).status_code == 201
        return str(started["totp_secret"])

    def add_passkey(self, client: TestClient) -> SoftwarePasskey:
        passkey = SoftwarePasskey(ORIGIN)
        started = client.post(REGISTRATIONS, json={"kind": "passkey"}).json()
        proof = passkey.create(started["passkey_options"])
        sent = {"kind": "passkey", "name": "Key", "state": started["state"], "proof": proof}
        assert client.post(FACTORS, json=sent).status_code == 201
        return passkey

    def code(self, secret: str) -> str:
        return pyotp.TOTP(secret).at(self.app.clock.now())


@pytest.fixture
def desk(app: AppUnderTest, team: SomeTeam) -> Desk:
    return Desk(app, team)


def state(client: TestClient) -> str:
    return str(client.get(CONFIRMATION).json()["state"])


def confirm(client: TestClient, **sent: str) -> Response:
    return client.post(CONFIRMATION, json={"state": state(client), "password": PASSWORD, **sent})


def test_a_password_confirms_and_the_former_cookie_is_worth_nothing(desk: Desk) -> None:
    client = desk.old(desk.team.owner)
    stolen = desk.browser(desk.team.owner.cookie)
    offered = client.get(CONFIRMATION)
    assert offered.headers["Cache-Control"] == "no-store"
    assert {**offered.json(), "state": ""} == {
        "state": "", "has_password": True, "needs_second_factor": False, "has_totp": False, "passkey_options": None,
        "provider": None,
        "saml_provider": None,
    }  # fmt: skip
    assert confirm(client).status_code == 204
    assert desk.make_token(client).status_code == 201
    assert stolen.get("/api/v1/session").status_code == 401, "a cookie that was copied before is invalid"
    events = client.get(f"/api/v1/teams/{desk.team.id}/audit-events", params={"action": "session.confirmed"}).json()
    assert [(one["actor"], one["details"]) for one in events["items"]] == [
        (desk.team.owner.name, {"by": "password"}),
    ]  # fmt: skip
    desk.app.clock.move(minutes=16)
    assert problem(desk.make_token(client)) == (403, "sign-in-too-old")


def test_everything_sensitive_needs_it(desk: Desk) -> None:
    client = desk.browser(desk.team.owner.cookie)
    url = f"/api/v1/teams/{desk.team.id}"
    account = client.post(f"{url}/service-accounts", json={"name": "ci", "role": "member"}).json()["id"]
    trust = {"service_account_id": account, "provider": "github", "repository": "a/b", "scopes": ["upload"]}
    desk.app.clock.move(minutes=16)
    for refused in (
        client.post(f"{url}/tokens", json={"name": "x", "scopes": ["read"], "service_account_id": account}),
        client.post(f"{url}/ci-trusts", json=trust),
        client.post("/api/v1/oidc/link-requests", json={}),
        client.delete(f"/api/v1/user/linked-identities/{account}"),
        client.post(REGISTRATIONS, json={"kind": "totp"}),
    ):
        assert problem(refused) == (403, "sign-in-too-old")
        assert "session/confirmation" in refused.json()["resolution"]
    assert confirm(client).status_code == 204
    assert client.post(f"{url}/ci-trusts", json=trust).status_code == 201


def test_a_user_with_a_code_needs_it_beside_the_password(desk: Desk) -> None:
    client = desk.browser(desk.team.owner.cookie)
    secret = desk.add_totp(client)
    desk.app.clock.move(minutes=16)
    assert client.get(CONFIRMATION).json()["has_totp"] is True
    assert problem(confirm(client)) == (401, "second-factor-rejected")
    assert problem(confirm(client, code="000000")) == (401, "second-factor-rejected")
    assert problem(confirm(client, password="a guess", code=desk.code(secret))) == (401, "wrong-password")
    assert problem(desk.make_token(client)) == (403, "sign-in-too-old")
    used = desk.code(secret)
    assert confirm(client, code=used).status_code == 204
    assert desk.make_token(client).status_code == 201
    assert problem(confirm(client, code=used)) == (401, "second-factor-rejected"), "a code is accepted once"


def test_a_session_of_the_password_alone_gets_its_second_factor(desk: Desk, app: AppUnderTest) -> None:
    owner = desk.team.owner
    answer = TestClient(app.app, base_url=ORIGIN, headers={"Origin": ORIGIN}).post(
        "/api/v1/session", json={"email": owner.email, "password": PASSWORD}
    )
    other = desk.browser(answer.cookies[LOOPBACK_COOKIE.name])
    secret = desk.add_totp(desk.browser(owner.cookie))
    app.clock.move(seconds=30)
    assert problem(desk.make_token(other)) == (403, "sign-in-too-old")
    assert confirm(other, code=desk.code(secret)).status_code == 204
    assert other.get("/api/v1/session").json()["is_multi_factor"] is True
    assert desk.make_token(other).status_code == 201


def test_a_challenge_of_a_passkey_is_not_replayed(desk: Desk, app: AppUnderTest) -> None:
    owner = desk.team.owner
    client = desk.browser(owner.cookie)
    passkey = desk.add_passkey(client)
    app.clock.move(minutes=16)
    offered = client.get(CONFIRMATION).json()
    sent = {"state": offered["state"], "password": PASSWORD, "passkey": passkey.get(offered["passkey_options"])}
    assert client.post(CONFIRMATION, json=sent).status_code == 204
    app.clock.move(minutes=5)
    for again in (sent, {**sent, "state": state(client)}):
        assert problem(client.post(CONFIRMATION, json=again)) == (401, "second-factor-rejected")
    fresh = passkey.get(offered["passkey_options"])  # another answer to the used challenge
    assert problem(client.post(CONFIRMATION, json={**sent, "passkey": fresh})) == (401, "sign-in-expired")

    entered = TestClient(app.app, base_url=ORIGIN, headers={"Origin": ORIGIN})
    assert entered.post("/api/v1/session", json={"email": owner.email, "password": PASSWORD}).status_code == 401
    of_sign_in = passkey.get(entered.get("/api/v1/session/second-factor").json()["passkey_options"])
    assert problem(confirm(client, passkey=of_sign_in)) == (401, "second-factor-rejected")
    offered = client.get(CONFIRMATION).json()
    of_confirmation = passkey.get(offered["passkey_options"])
    signed_in = entered.post("/api/v1/session/second-factor", json={"passkey": of_confirmation})
    assert problem(signed_in) == (401, "second-factor-rejected")
    entered.cookies.set(f"{LOOPBACK_COOKIE.name}-second-step", offered["state"], domain="localhost.local", path="/")
    signed_in = entered.post("/api/v1/session/second-factor", json={"passkey": of_confirmation})
    assert signed_in.status_code == 401, "a confirmation signs no one in"


def test_a_state_belongs_to_one_session(desk: Desk, app: AppUnderTest, people: AccountsFactory) -> None:
    owner = desk.team.owner
    answer = TestClient(app.app, base_url=ORIGIN, headers={"Origin": ORIGIN}).post(
        "/api/v1/session", json={"email": owner.email, "password": PASSWORD}
    )
    second = desk.browser(answer.cookies[LOOPBACK_COOKIE.name])
    member = desk.browser(people.member(desk.team).cookie)
    client = desk.old(owner)
    registration = member.post(CONFIRMATION, json={"state": state(member), "password": PASSWORD})
    assert registration.status_code == 204
    for foreign in (state(second), state(member), "made up"):
        sent = {"state": foreign, "password": PASSWORD}
        assert problem(client.post(CONFIRMATION, json=sent)) == (401, "sign-in-expired")
    late = state(client)
    app.clock.move(minutes=10)
    assert problem(client.post(CONFIRMATION, json={"state": late, "password": PASSWORD})) == (401, "sign-in-expired")
    used = {"state": state(client), "password": PASSWORD}
    assert client.post(CONFIRMATION, json=used).status_code == 204
    assert problem(client.post(CONFIRMATION, json=used)) == (401, "sign-in-expired")


def test_the_password_of_another_user_confirms_nothing(desk: Desk, people: AccountsFactory, app: AppUnderTest) -> None:
    """Whose browser was given the session of an attacker does not confirm it with their own password."""
    attacker = people.member(desk.team)
    planted = desk.browser(attacker.cookie)
    change = {"current_password": PASSWORD, "new_password": "several unrelated words"}
    assert desk.browser(attacker.cookie).put("/api/v1/user/password", json=change).status_code == 204
    app.clock.move(minutes=16)
    assert problem(confirm(planted)) == (401, "wrong-password")


def test_guesses_are_limited_as_those_of_a_sign_in(desk: Desk) -> None:
    client = desk.browser(desk.team.owner.cookie)
    secret = desk.add_totp(client)
    desk.app.clock.move(minutes=16)
    for _ in range(SIGN_IN_BY_ADDRESS_AND_ACCOUNT.times):
        assert problem(confirm(client, password="a guess")) == (401, "wrong-password")
    assert confirm(client, code=desk.code(secret)).status_code == 429
    entered = client.post("/api/v1/session", json={"email": desk.team.owner.email, "password": PASSWORD})
    assert entered.status_code == 429, "the same limit"
    elsewhere = desk.browser(desk.team.owner.cookie, "203.0.113.7")
    for _ in range(BY_ADDRESS_AND_ACCOUNT.times):
        assert problem(confirm(elsewhere, code="000000")) == (401, "second-factor-rejected")
    assert confirm(elsewhere, code=desk.code(secret)).status_code == 429
    third = desk.browser(desk.team.owner.cookie, "203.0.113.8")
    assert confirm(third, code=desk.code(secret)).status_code == 204, "the user is not locked out"


def test_only_a_browser_of_this_site_confirms(desk: Desk, app: AppUnderTest) -> None:
    client = desk.old(desk.team.owner)
    sent = {"state": state(client), "password": PASSWORD}
    for origin in ("https://evil.example", ""):
        refused = client.post(CONFIRMATION, json=sent, headers={"Origin": origin})
        assert problem(refused) == (403, "foreign-origin")
    made = confirm(client)
    assert made.status_code == 204
    token = desk.make_token(client).json()["secret"]
    for refused in (
        app.asked(token=token).get(CONFIRMATION),
        app.asked(token=token).post(CONFIRMATION, json=sent),
    ):
        assert problem(refused) == (403, "person-needed")
    assert desk.browser("x" * 32).get(CONFIRMATION).status_code == 401


def test_a_session_that_ended_meanwhile_stays_ended(desk: Desk) -> None:
    client = desk.old(desk.team.owner)
    begun = state(client)
    assert desk.browser(desk.team.owner.cookie).delete("/api/v1/sessions").status_code == 204
    assert client.post(CONFIRMATION, json={"state": begun, "password": PASSWORD}).status_code == 401
    assert client.get("/api/v1/session").status_code == 401
