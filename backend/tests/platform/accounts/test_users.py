"""Signing up, in and out, over HTTP against a real database."""

import logging
import time

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.account_limits import (
    MANY_SIGN_INS,
    MAX_SESSION_DAYS,
    SIGN_IN_BY_ADDRESS_AND_ACCOUNT,
)
from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.statements import Statements

pytestmark = pytest.mark.database

NEW = {"email": "Jo@Example.com", "name": "Jo", "password": "a long enough one"}


def sign_in(app: AppUnderTest, email: str, password: str = PASSWORD) -> TestClient:
    client = app.asked()
    client.headers["Origin"] = PUBLIC_URL
    answer = client.post("/api/v1/session", json={"email": email, "password": password})
    assert answer.status_code == 201, answer.text
    return client


def problem(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")


# -- signing up ------------------------------------------------------------------------------------


def test_signing_up_makes_a_person_with_a_team_and_signs_them_in(app: AppUnderTest) -> None:
    client = app.asked()
    made = client.post("/api/v1/sign-up", json=NEW)
    assert made.status_code == 201
    assert made.json()["user"]["name"] == "Jo"
    (team,) = made.json()["teams"]
    assert (team["name"], team["role"]) == ("Jo's team", "owner")
    assert client.get("/api/v1/session").json() == made.json()
    assert client.get(f"/api/v1/teams/{team['id']}").json()["slug"] == team["slug"]


def test_an_e_mail_signs_up_once_whatever_its_case(app: AppUnderTest) -> None:
    app.asked().post("/api/v1/sign-up", json=NEW)
    again = app.asked().post("/api/v1/sign-up", json={**NEW, "email": "jo@example.COM"})
    assert (again.status_code, problem(again)) == (409, "email-taken")


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "short"},
        {"password": "x" * 201},
        {"email": "nobody"},
        {"name": "   "},
        {"name": "a\x00b"},
        {"name": "abc\u202edef"},
        {"name": "x" * 101},
        {"colour": "red"},
        {"invitation": "x"},
    ],
    ids=str,
)
def test_invalid_users_are_rejected(app: AppUnderTest, wrong: dict[str, str]) -> None:
    assert app.asked().post("/api/v1/sign-up", json={**NEW, **wrong}).status_code == 422


def test_sign_up_can_be_closed_to_the_uninvited(emptied: TestDatabase, engine: Engine) -> None:
    closed = built(Database(engine), settings_for(emptied.app_url, sign_up="invited"))
    refused = closed.asked().post("/api/v1/sign-up", json=NEW)
    assert (refused.status_code, problem(refused)) == (403, "sign-up-closed")
    people = AccountsFactory(closed)
    secret = people.invitation(people.team(), Role.VIEWER)
    joined = closed.asked().post("/api/v1/sign-up", json={**NEW, "invitation": secret})
    assert joined.status_code == 201
    assert [team["role"] for team in joined.json()["teams"]] == ["viewer"]


# -- the cookie ------------------------------------------------------------------------------------


def test_on_loopback_the_cookie_is_plain(app: AppUnderTest) -> None:
    cookie = app.asked().post("/api/v1/sign-up", json=NEW).headers["set-cookie"]
    assert cookie.startswith("slowpath=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie
    assert "Domain" not in cookie


def test_over_https_the_cookie_is_bound_to_the_host(emptied: TestDatabase, engine: Engine) -> None:
    app = built(Database(engine), settings_for(emptied.app_url, public_url="https://slowpath.example"))
    client = TestClient(app.app, base_url="https://slowpath.example")
    cookie = client.post("/api/v1/sign-up", json=NEW).headers["set-cookie"]
    assert cookie.startswith("__Host-slowpath=")
    assert "Secure" in cookie
    assert client.get("/api/v1/session").status_code == 200


def test_sign_in_over_plain_http_is_rejected(app: AppUnderTest, team: SomeTeam) -> None:
    client = TestClient(app.app, base_url="http://192.168.1.5:8080")
    for path, body in (("session", {"email": team.owner.email, "password": PASSWORD}), ("sign-up", NEW)):
        refused = client.post(f"/api/v1/{path}", json=body)
        assert (refused.status_code, problem(refused)) == (403, "https-needed")
        assert "set-cookie" not in refused.headers
    client.cookies.set("slowpath", team.owner.cookie)
    assert problem(client.get("/api/v1/session")) == "https-needed"


# -- pages of others -------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:9999", "null", None])
def test_cross_site_requests_are_rejected(app: AppUnderTest, team: SomeTeam, origin: str | None) -> None:
    client = app.asked(cookie=team.owner.cookie)
    del client.headers["Origin"]
    headers = {} if origin is None else {"Origin": origin}
    refused = client.post("/api/v1/teams", json={"name": "Mine"}, headers=headers)
    assert (refused.status_code, problem(refused)) == (403, "foreign-origin")
    assert client.get("/api/v1/teams", headers=headers).status_code == 200, "reading has no effect to be afraid of"


def test_another_site_cannot_sign_a_browser_in_as_another_user(app: AppUnderTest, team: SomeTeam) -> None:
    refused = app.asked().post(
        "/api/v1/session",
        json={"email": team.owner.email, "password": PASSWORD},
        headers={"Origin": "http://evil.example"},
    )
    assert problem(refused) == "foreign-origin"


def test_the_names_of_this_machine_are_one(app: AppUnderTest, team: SomeTeam) -> None:
    client = app.asked(cookie=team.owner.cookie)
    answer = client.patch("/api/v1/user", json={"name": "New"}, headers={"Origin": "http://localhost:8080"})
    assert answer.status_code == 200


# -- signing in and out ----------------------------------------------------------------------------


def test_a_correct_password_signs_in(app: AppUnderTest, team: SomeTeam) -> None:
    client = sign_in(app, team.owner.email.upper())
    assert client.get("/api/v1/session").json()["user"]["id"] == str(team.owner.user_id)


def test_unknown_email_and_wrong_password_get_equal_responses(app: AppUnderTest, team: SomeTeam) -> None:
    answers = [
        app.asked().post("/api/v1/session", json={"email": email, "password": "not the password"})
        for email in (team.owner.email, "nobody@example.com")
    ]
    listed = [{**answer.json(), "request_id": None} for answer in answers]
    assert listed[0] == listed[1]
    assert [answer.status_code for answer in answers] == [401, 401]


def test_unknown_e_mail_and_wrong_password_take_alike_long(app: AppUnderTest, team: SomeTeam) -> None:
    def fastest(email: str) -> float:
        times = []
        for _ in range(8):
            app.throttle.tries.clear()
            start = time.perf_counter()
            app.asked().post("/api/v1/session", json={"email": email, "password": "not the password"})
            times.append(time.perf_counter() - start)
        return min(times)

    fastest("warm@example.com")
    known, unknown = fastest(team.owner.email), fastest("nobody@example.com")
    assert unknown > known * 0.5, "an unknown e-mail is answered without hashing"


def test_guessing_is_slowed_down_for_the_account_and_the_address(app: AppUnderTest, team: SomeTeam) -> None:
    rate = SIGN_IN_BY_ADDRESS_AND_ACCOUNT
    wrong = {"email": team.owner.email, "password": "a wrong guess"}
    for _ in range(rate.times):
        assert app.asked().post("/api/v1/session", json=wrong).status_code == 401
    refused = app.asked().post("/api/v1/session", json={**wrong, "password": PASSWORD})
    assert (refused.status_code, problem(refused)) == (429, "too-many")
    assert refused.json()["limit"] == rate.times
    assert "Retry-After" in refused.headers


def test_other_addresses_cannot_lock_a_user_out(app: AppUnderTest, team: SomeTeam) -> None:
    wrong = {"email": team.owner.email, "password": "a wrong guess"}
    for place in range(MANY_SIGN_INS.times // SIGN_IN_BY_ADDRESS_AND_ACCOUNT.times + 2):
        attacker = TestClient(app.app, base_url=PUBLIC_URL, client=(f"203.0.113.{place}", 50_000))
        answers = [
            attacker.post("/api/v1/session", json=wrong) for _ in range(SIGN_IN_BY_ADDRESS_AND_ACCOUNT.times + 1)
        ]
        assert answers[-1].status_code == 429, "each address is stopped"
    sign_in(app, team.owner.email)


@pytest.mark.parametrize(
    "password",
    ["password123", "Password2026!", "1234567890", "qwertyuiop", "aaaaaaaaaaaa", "letmeinletmein", "joan@example.com"],
)
def test_common_passwords_are_rejected(app: AppUnderTest, password: str) -> None:
    refused = app.asked().post("/api/v1/sign-up", json={**NEW, "email": "joan@example.com", "password": password})
    assert (refused.status_code, problem(refused)) == (422, "common-password")


def test_a_common_password_cannot_be_changed_to(app: AppUnderTest, team: SomeTeam) -> None:
    change = {"current_password": PASSWORD, "new_password": "password1234"}
    refused = app.asked(cookie=team.owner.cookie).put("/api/v1/user/password", json=change)
    assert problem(refused) == "common-password"


def test_knowing_the_password_clears_the_count(app: AppUnderTest, team: SomeTeam) -> None:
    rate = SIGN_IN_BY_ADDRESS_AND_ACCOUNT
    for _ in range(3):
        for _ in range(rate.times - 1):
            app.asked().post("/api/v1/session", json={"email": team.owner.email, "password": "wrong guess"})
        sign_in(app, team.owner.email)


def test_signing_out_ends_the_session_for_every_holder_of_its_cookie(app: AppUnderTest, team: SomeTeam) -> None:
    client = sign_in(app, team.owner.email)
    stolen = client.cookies["slowpath"]
    assert client.delete("/api/v1/session").json() == {"provider_sign_out_url": None}
    assert "slowpath" not in client.cookies
    ended = app.asked(cookie=stolen).get("/api/v1/session")
    assert (ended.status_code, problem(ended)) == (401, "session-ended")


def test_each_user_sets_whether_mentions_are_mailed(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    client, other = app.asked(cookie=team.owner.cookie), app.asked(cookie=people.member(team).cookie)
    assert client.get("/api/v1/user/email-preferences").json() == {"email_on_mention": True}
    assert client.patch("/api/v1/user/email-preferences", json={"email_on_mention": False}).json() == {
        "email_on_mention": False
    }
    assert client.get("/api/v1/user/email-preferences").json() == {"email_on_mention": False}
    assert other.get("/api/v1/user/email-preferences").json() == {"email_on_mention": True}
    assert client.patch("/api/v1/user/email-preferences", json={"email_on_mention": "no"}).status_code == 422


def test_each_user_states_their_logins(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    client, other = app.asked(cookie=team.owner.cookie), app.asked(cookie=people.member(team).cookie)
    path = "/api/v1/user/code-host-logins"
    assert client.get(path).json() == {"logins": []}
    assert client.put(path, json={"logins": ["octocat", "OctoCat", "octo.work"]}).json() == {
        "logins": ["OctoCat", "octo.work"]
    }
    assert client.get(path).json() == {"logins": ["OctoCat", "octo.work"]}
    assert other.get(path).json() == {"logins": []}
    assert client.put(path, json={"logins": ["@octocat"]}).status_code == 422
    assert client.put(path, json={"logins": [f"octo{at}" for at in range(11)]}).status_code == 422


def test_a_session_lives_thirty_days_from_its_last_use(app: AppUnderTest, team: SomeTeam) -> None:
    client = app.asked(cookie=team.owner.cookie)
    for _ in range(3):
        app.clock.move(days=29)
        assert client.get("/api/v1/session").status_code == 200
    app.clock.move(days=30, seconds=1)
    assert client.get("/api/v1/session").status_code == 401


def test_a_session_ends_after_ninety_days_however_often_it_is_used(app: AppUnderTest, team: SomeTeam) -> None:
    client = sign_in(app, team.owner.email)
    for _ in range(MAX_SESSION_DAYS - 1):
        app.clock.move(days=1)
        assert client.get("/api/v1/session").status_code == 200
    app.clock.move(days=1, seconds=1)
    assert problem(client.get("/api/v1/session")) == "session-ended"


def test_sessions_are_listed_and_ended_one_by_one_or_all(app: AppUnderTest, team: SomeTeam) -> None:
    here, there, far = (sign_in(app, team.owner.email) for _ in range(3))
    listed = here.get("/api/v1/sessions").json()
    assert len(listed) == 4  # one more from the sign-up
    assert [session["is_current"] for session in listed].count(True) == 1
    of_there = next(session["id"] for session in there.get("/api/v1/sessions").json() if session["is_current"])

    assert here.delete(f"/api/v1/sessions/{of_there}").status_code == 204
    assert here.delete(f"/api/v1/sessions/{of_there}").status_code == 404
    assert there.get("/api/v1/session").status_code == 401

    assert here.delete("/api/v1/sessions", params={"others_only": True}).status_code == 204
    assert (here.get("/api/v1/session").status_code, far.get("/api/v1/session").status_code) == (200, 401)

    assert here.delete("/api/v1/sessions").status_code == 204
    assert here.get("/api/v1/session").status_code == 401


def test_sessions_of_others_cannot_be_ended(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    member = people.member(team)
    of_member = app.asked(cookie=member.cookie).get("/api/v1/sessions").json()[0]["id"]
    assert app.asked(cookie=team.owner.cookie).delete(f"/api/v1/sessions/{of_member}").status_code == 404
    assert app.asked(cookie=member.cookie).get("/api/v1/session").status_code == 200


# -- changing oneself ------------------------------------------------------------------------------


def test_another_password_ends_all_other_sessions(app: AppUnderTest, team: SomeTeam) -> None:
    here, there = sign_in(app, team.owner.email), sign_in(app, team.owner.email)
    wrong = here.put("/api/v1/user/password", json={"current_password": "not it", "new_password": "another long one"})
    assert (wrong.status_code, problem(wrong)) == (401, "wrong-password")

    change = {"current_password": PASSWORD, "new_password": "another long one"}
    assert here.put("/api/v1/user/password", json=change).status_code == 204

    assert (here.get("/api/v1/session").status_code, there.get("/api/v1/session").status_code) == (200, 401)
    sign_in(app, team.owner.email, "another long one")
    old = app.asked().post("/api/v1/session", json={"email": team.owner.email, "password": PASSWORD})
    assert old.status_code == 401


def test_a_name_can_be_changed(client: TestClient) -> None:
    assert client.patch("/api/v1/user", json={"name": " Joan "}).json()["name"] == "Joan"
    assert client.get("/api/v1/session").json()["user"]["name"] == "Joan"


# -- what it costs, what it says -------------------------------------------------------------------


def test_finding_out_who_asks_is_one_statement(client: TestClient, queries: Statements) -> None:
    client.get("/api/v1/session")
    with queries.during() as asked:
        assert client.get("/api/v1/session").status_code == 200
    session, *settings = asked.seen
    assert session.startswith("SELECT * FROM cross_team.find_session(")
    assert len(settings) == 1, "one statement reads the settings of the user"


def test_no_secret_reaches_the_log(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    token, invitation = people.token(team), people.invitation(team)
    person: SomePerson = team.owner
    app.asked(cookie=person.cookie).get("/api/v1/session")
    app.asked(token=token.secret).get(f"/api/v1/teams/{team.id}")
    app.asked(cookie=person.cookie).post(f"/api/v1/invitations/{invitation}/accept")
    app.asked().get(f"/api/v1/invitations/{invitation}")
    app.asked().post("/api/v1/sign-up", json={**NEW, "email": person.email})
    app.asked().post("/api/v1/session", json={"email": person.email, "password": PASSWORD})
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("slowpath"))
    assert "/invitations/{secret}" in ours
    for secret in (token.secret, invitation, person.cookie, PASSWORD, NEW["password"]):
        assert secret not in ours


def test_a_time_zone_is_of_one_person_and_known_to_iana(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    client, other = app.asked(cookie=team.owner.cookie), app.asked(cookie=people.member(team).cookie)
    assert client.get("/api/v1/session").json()["user"]["time_zone"] is None

    changed = client.patch("/api/v1/user", json={"time_zone": "Europe/Berlin"})
    assert (changed.json()["time_zone"], changed.json()["name"]) == (
        "Europe/Berlin",
        client.get("/api/v1/session").json()["user"]["name"],
    )
    assert client.get("/api/v1/session").json()["user"]["time_zone"] == "Europe/Berlin"
    assert other.get("/api/v1/session").json()["user"]["time_zone"] is None
    assert client.patch("/api/v1/user", json={"name": "Ada"}).json()["time_zone"] == "Europe/Berlin"
    refused = client.patch("/api/v1/user", json={"time_zone": "Mars/Olympus"})
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:slowpath:invalid-time-zone")
    assert client.patch("/api/v1/user", json={"time_zone": None}).json()["time_zone"] is None
