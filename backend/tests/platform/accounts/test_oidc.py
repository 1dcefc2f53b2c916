"""Signing in by an issuer: with a certified provider from beginning to end, and every way in which it must not go."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import psycopg
import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr
from sqlalchemy import Engine

from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.provider_flow import parse_domain_teams, safe_return_path
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.issuers import (
    CLIENT_ID,
    CLIENT_SECRET,
    LyingIssuer,
    certified_provider,
    signed_in_there,
    signed_out_there,
)

pytestmark = pytest.mark.database
API = "/api/v1"
Json = Any


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with certified_provider() as address:
        yield address


class Corp:
    """A server whose users sign in by an issuer."""

    def __init__(self, emptied: TestDatabase, engine: Engine, issuer: str, **changed: object) -> None:
        settings = settings_for(
            emptied.app_url,
            oidc_issuer=issuer,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=SecretStr(CLIENT_SECRET),
            oidc_name="Corp",
            **changed,
        )
        self.app = built(Database(engine), settings)
        self.app.clock.at = SystemClock().now()
        self.people = AccountsFactory(self.app)

    def browser(self, person: SomePerson | None = None) -> TestClient:
        client = self.app.asked(cookie=person.cookie if person else None)
        client.headers["Origin"] = PUBLIC_URL
        return client

    def returned(
        self, browser: TestClient, login: str, *, to: str = "sign-in-requests", **sent: object
    ) -> dict[str, str]:
        """Begin, and do at the provider what a person does; return what the browser comes back with."""
        begun = browser.post(f"{API}/oidc/{to}", json=sent)
        assert begun.status_code == 201, begun.text
        return signed_in_there(begun.json()["url"], login)

    def signs_in(self, login: str, browser: TestClient | None = None, **sent: str) -> Json:
        browser = browser or self.browser()
        done = browser.post(f"{API}/oidc/callback", json=self.returned(browser, login, **sent))
        assert done.status_code == 201, done.text
        return done.json()


@pytest.fixture
def corp(emptied: TestDatabase, engine: Engine, provider: str) -> Corp:
    return Corp(emptied, engine, provider)


def refused(answer: Any, status: int, slug: str) -> None:  # noqa: ANN401 - an answer of the test client
    assert (answer.status_code, answer.json().get("type")) == (status, f"urn:slowpath:{slug}"), answer.text


# -- as it should go -------------------------------------------------------------------------------


def test_a_new_user_signs_in_twice(corp: Corp) -> None:
    assert corp.browser().get(f"{API}/auth/methods").json() == {
        "are_passwords_enabled": True, "sign_up": True, "is_mail_configured": False, "oidc": {"name": "Corp"},
        "saml": None,
    }  # fmt: skip
    browser = corp.browser()
    first = corp.signs_in("mira@corp.example", browser, next="/t/x/dashboard?range=1h")
    assert (first["session"]["user"]["email"], first["session"]["user"]["name"]) == ("mira@corp.example", "Mira")
    assert first["next"] == "/t/x/dashboard?range=1h"
    assert [team["role"] for team in first["session"]["teams"]] == ["owner"]
    assert browser.get(f"{API}/session").json()["user"] == first["session"]["user"]
    again = corp.signs_in("mira@corp.example")
    assert again["session"]["user"]["id"] == first["session"]["user"]["id"]
    body = browser.get(f"{API}/user/linked-identities").json()
    assert (body["has_password"], [(one["name"], one["email"]) for one in body["linked"]]) == (
        False, [("Corp", "mira@corp.example")],
    )  # fmt: skip
    left = browser.delete(f"{API}/session").json()["provider_sign_out_url"]
    assert browser.get(f"{API}/session").status_code == 401
    query = dict(parse_qsl(urlsplit(left).query))
    assert (query["client_id"], query["post_logout_redirect_uri"]) == (CLIENT_ID, f"{PUBLIC_URL}/sign-in")
    assert len(query["id_token_hint"].split(".")) == 3
    _, back = signed_out_there(left)
    assert back == f"{PUBLIC_URL}/sign-in"


def test_signing_out_here_needs_nothing_of_the_issuer(corp: Corp, emptied: TestDatabase, engine: Engine) -> None:
    browser = corp.browser()
    corp.signs_in("mira@corp.example", browser)
    away = Corp(emptied, engine, "http://127.0.0.1:9")  # no server answers there
    left = away.app.asked(cookie=browser.cookies[next(iter(browser.cookies))])
    left.headers["Origin"] = PUBLIC_URL
    assert left.delete(f"{API}/session").json() == {"provider_sign_out_url": None}
    assert browser.get(f"{API}/session").status_code == 401


def test_sign_out_after_a_password_does_not_redirect(corp: Corp) -> None:
    browser = corp.browser(corp.people.team().owner)
    assert browser.delete(f"{API}/session").json() == {"provider_sign_out_url": None}


def test_the_token_is_stored_encrypted(corp: Corp, emptied: TestDatabase) -> None:
    corp.signs_in("mira@corp.example")
    with psycopg.connect(emptied.admin_url) as admin:
        ((stored,),) = admin.execute("SELECT encrypted_id_token FROM user_session").fetchall()
    assert stored
    assert b"eyJ" not in bytes(stored)


def test_a_signed_in_user_links_and_unlinks_identities(corp: Corp) -> None:
    team = corp.people.team()
    browser = corp.browser(team.owner)
    sent = corp.returned(browser, "unverified:else@corp.example", to="link-requests", next="/t/x/settings")
    done = browser.post(f"{API}/oidc/callback", json=sent)
    assert (done.status_code, done.json()["linked"]) == (201, True)
    assert corp.signs_in("unverified:else@corp.example")["session"]["user"]["id"] == str(team.owner.user_id)
    [linked] = browser.get(f"{API}/user/linked-identities").json()["linked"]
    assert browser.delete(f"{API}/user/linked-identities/{linked['id']}").status_code == 204
    assert browser.get(f"{API}/user/linked-identities").json() == {"has_password": True, "linked": []}


def test_a_first_password_needs_a_recent_sign_in(corp: Corp) -> None:
    browser = corp.browser()
    corp.signs_in("mira@corp.example", browser)
    [linked] = browser.get(f"{API}/user/linked-identities").json()["linked"]
    refused(browser.delete(f"{API}/user/linked-identities/{linked['id']}"), 409, "last-sign-in")
    assert browser.put(f"{API}/user/password", json={"new_password": PASSWORD}).status_code == 204
    entered = corp.browser().post(f"{API}/session", json={"email": "mira@corp.example", "password": PASSWORD})
    assert entered.status_code == 201
    refused(browser.put(f"{API}/user/password", json={"new_password": PASSWORD + "2"}), 401, "wrong-password")
    assert browser.delete(f"{API}/user/linked-identities/{linked['id']}").status_code == 204


def test_a_first_password_is_not_set_by_an_old_session(corp: Corp) -> None:
    browser = corp.browser()
    corp.signs_in("mira@corp.example", browser)
    corp.app.clock.move(minutes=30)
    refused(browser.put(f"{API}/user/password", json={"new_password": PASSWORD}), 403, "sign-in-too-old")


def test_an_account_without_a_password_is_not_deleted_by_an_old_session(corp: Corp) -> None:
    browser, end = corp.browser(), {"email": "mira@corp.example"}
    corp.signs_in("mira@corp.example", browser)
    corp.app.clock.move(minutes=16)
    refused(browser.post(f"{API}/user/deletion", json=end), 403, "sign-in-too-old")
    corp.signs_in("mira@corp.example", browser)
    assert browser.post(f"{API}/user/deletion", json=end).status_code == 204


def test_people_of_a_domain_join_its_team(emptied: TestDatabase, engine: Engine, provider: str) -> None:
    plain = Corp(emptied, engine, provider)
    team = plain.people.team("Payments")
    corp = Corp(
        emptied,
        engine,
        provider,
        sign_up="invited",
        sign_in_domains=f"corp.example={team.slug}:viewer,gone.example=x:member",
    )
    session = corp.signs_in("mira@corp.example")
    assert [(one["slug"], one["role"]) for one in session["session"]["teams"]] == [(team.slug, "viewer")]
    for login in ("eve@evil-corp.example", "eve@corp.example.evil.example", "eve@gone.example"):
        browser = corp.browser()
        refused(browser.post(f"{API}/oidc/callback", json=corp.returned(browser, login)), 403, "sign-up-closed")


def test_a_member_removed_from_the_team_of_a_domain_stays_removed(
    emptied: TestDatabase, engine: Engine, provider: str
) -> None:
    team = Corp(emptied, engine, provider).people.team("Payments")
    corp = Corp(emptied, engine, provider, sign_in_domains=f"corp.example={team.slug}")
    user = corp.signs_in("mira@corp.example")["session"]["user"]
    gone = corp.browser(team.owner).delete(f"{API}/teams/{team.id}/members/{user['id']}")
    assert gone.status_code == 204, gone.text
    assert corp.signs_in("mira@corp.example")["session"]["teams"] == []


def test_an_invitation_lets_in_where_sign_up_is_closed(emptied: TestDatabase, engine: Engine, provider: str) -> None:
    corp = Corp(emptied, engine, provider, sign_up="invited")
    team = corp.people.team("Payments")
    secret = corp.people.invitation(team)
    session = corp.signs_in("mira@corp.example", invitation=secret)
    assert [one["slug"] for one in session["session"]["teams"]] == [team.slug]


def test_passwords_can_be_off(emptied: TestDatabase, engine: Engine, provider: str) -> None:
    corp = Corp(emptied, engine, provider, passwords="off")
    person = corp.people.team().owner
    browser = corp.browser()
    assert browser.get(f"{API}/auth/methods").json()["are_passwords_enabled"] is False
    tries = (
        browser.post(f"{API}/session", json={"email": person.email, "password": PASSWORD}),
        browser.post(f"{API}/sign-up", json={"email": "new@example.com", "name": "New", "password": PASSWORD}),
        corp.browser(person).put(
            f"{API}/user/password", json={"current_password": PASSWORD, "new_password": PASSWORD + "2"}
        ),
    )
    for one in tries:
        refused(one, 403, "passwords-off")
    assert corp.signs_in(person.email)["session"]["user"]["id"] == str(person.user_id)


# -- e-mails that have an account -------------------------------------------------------------------


def test_a_verified_e_mail_finds_its_person_and_ends_other_sessions(corp: Corp) -> None:
    """A stranger signs up with another's e-mail and a password, and waits for them to sign in."""
    planted = corp.people.team().owner
    session = corp.signs_in(planted.email)
    assert session["session"]["user"]["id"] == str(planted.user_id)
    assert corp.browser(planted).get(f"{API}/session").status_code == 401
    entered = corp.browser().post(f"{API}/session", json={"email": planted.email, "password": PASSWORD})
    refused(entered, 401, "wrong-password")


def test_an_unverified_email_finds_and_creates_no_user(corp: Corp) -> None:
    person = corp.people.team().owner
    for login in (f"unverified:{person.email}", "unverified:new@corp.example"):
        browser = corp.browser()
        answer = browser.post(f"{API}/oidc/callback", json=corp.returned(browser, login))
        refused(answer, 403, "email-not-verified")
        assert browser.get(f"{API}/session").status_code == 401
    assert corp.browser(person).get(f"{API}/session").status_code == 200


def test_letters_that_case_fold_into_others_find_no_user(emptied: TestDatabase, engine: Engine) -> None:
    """`stra\u00dfe@` and `strasse@` are two mailboxes and fold into one."""
    lying = LyingIssuer()
    with lying.running():
        corp = Corp(emptied, engine, lying.address)
        sent = {"email": "strasse@corp.example", "name": "S", "password": PASSWORD}
        assert corp.browser().post(f"{API}/sign-up", json=sent).status_code == 201
        browser = corp.browser()
        begun = browser.post(f"{API}/oidc/sign-in-requests", json={}).json()["url"]
        query = dict(parse_qsl(urlsplit(begun).query))
        lying.nonce, lying.claims = query["nonce"], {"email": "stra\u00dfe@corp.example"}
        answer = browser.post(f"{API}/oidc/callback", json={"state": query["state"], "code": "c"})
        refused(answer, 403, "email-not-verified")


# -- what comes back -------------------------------------------------------------------------------


def test_a_response_is_accepted_once(corp: Corp) -> None:
    browser = corp.browser()
    sent = corp.returned(browser, "mira@corp.example")
    stored = dict(browser.cookies)
    assert browser.post(f"{API}/oidc/callback", json=sent).status_code == 201
    assert "slowpath-sign-in" not in browser.cookies
    refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    thief = corp.browser()
    thief.cookies.set("slowpath-sign-in", stored["slowpath-sign-in"])
    answer = thief.post(f"{API}/oidc/callback", json=sent)
    refused(answer, 401, "sign-in-refused")
    assert "already used" in answer.json()["detail"]


def test_another_browser_cannot_end_what_one_began(corp: Corp) -> None:
    """Otherwise an attacker sends a link that signs its reader in as the attacker."""
    mine, theirs = corp.browser(), corp.browser()
    sent = corp.returned(mine, "eve@corp.example")
    refused(theirs.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    corp.returned(theirs, "mira@corp.example")  # a sign-in of their own under way
    refused(theirs.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")


def test_a_code_of_another_sign_in_is_not_taken(corp: Corp) -> None:
    """The code is bound to the verifier that only the browser that began has; the state is right, the code is not."""
    mine, theirs = corp.browser(), corp.browser()
    stolen = corp.returned(theirs, "mira@corp.example")["code"]
    sent = {**corp.returned(mine, "eve@corp.example"), "code": stolen}
    refused(mine.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")


@pytest.mark.parametrize(
    "changed",
    [
        {"state": "another"},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"code": "another"},
        {"code": None},
        {"error": "access_denied"},
        {"error": "server_error", "code": None},
    ],
    ids=str,
)
def test_an_answer_that_was_changed_is_refused(corp: Corp, changed: dict[str, str | None]) -> None:
    browser = corp.browser()
    sent = {**corp.returned(browser, "mira@corp.example"), **changed}
    refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    assert browser.get(f"{API}/session").status_code == 401


def test_an_answer_that_comes_too_late_is_refused(corp: Corp) -> None:
    browser = corp.browser()
    sent = corp.returned(browser, "mira@corp.example")
    corp.app.clock.move(minutes=11)
    refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")


def test_a_forged_cookie_is_rejected(corp: Corp) -> None:
    browser = corp.browser()
    sent = corp.returned(browser, "mira@corp.example")
    for made_up in ("", "AAAA", "!!!", browser.cookies["slowpath-sign-in"][:-8] + "AAAAAAA="):
        forger = corp.browser()
        forger.cookies.set("slowpath-sign-in", made_up)
        refused(forger.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")


def test_a_page_of_another_site_begins_and_ends_nothing(corp: Corp) -> None:
    browser = corp.browser()
    browser.headers["Origin"] = "https://evil.example"
    for path in ("oidc/sign-in-requests", "oidc/callback"):
        refused(browser.post(f"{API}/{path}", json={"state": "x"} if "sess" in path else {}), 403, "foreign-origin")


def test_linking_is_finished_only_by_the_user_who_began_it(corp: Corp) -> None:
    """Otherwise an attacker's account at the issuer is linked to another user."""
    team: SomeTeam = corp.people.team()
    browser = corp.browser(team.owner)
    sent = corp.returned(browser, "mira@corp.example", to="link-requests")
    browser.cookies.set("slowpath", corp.people.member(team).cookie)
    refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    signed_out = corp.browser(team.owner)
    sent = corp.returned(signed_out, "mira@corp.example", to="link-requests")
    signed_out.delete(f"{API}/session")
    assert signed_out.post(f"{API}/oidc/callback", json=sent).status_code == 401


def test_an_account_is_linked_to_one_person(corp: Corp) -> None:
    corp.signs_in("mira@corp.example")
    browser = corp.browser(corp.people.team().owner)
    sent = corp.returned(browser, "mira@corp.example", to="link-requests")
    refused(browser.post(f"{API}/oidc/callback", json=sent), 409, "sign-in-taken")


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/a\\b",
        "/\n//x",
        "",
    ],
)
def test_redirects_stay_on_the_site(corp: Corp, path: str) -> None:
    assert safe_return_path(path) == "/"
    assert corp.signs_in("mira@corp.example", next=path)["next"] == "/"


def test_beginning_too_often_is_refused(corp: Corp) -> None:
    answers = [corp.browser().post(f"{API}/oidc/sign-in-requests", json={}) for _ in range(61)]
    assert [answers[59].status_code, answers[60].status_code] == [201, 429]


def test_without_an_issuer_there_is_no_such_way(app: AppUnderTest) -> None:
    browser = app.asked()
    assert browser.get(f"{API}/auth/methods").json()["oidc"] is None
    assert browser.post(f"{API}/oidc/sign-in-requests", json={}).status_code == 404
    assert browser.post(f"{API}/oidc/callback", json={"state": "x", "code": "y"}).status_code == 404


@pytest.mark.parametrize("text", ["corp.example", "corp.example=", "=team", "corp.example=team:owner", "a=b:root"])
def test_domains_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="SLOWPATH_SIGN_IN_DOMAINS"):
        parse_domain_teams(text)


# -- confirming at the issuer ----------------------------------------------------------------------


def old_session(corp: Corp, emptied: TestDatabase) -> TestClient:
    browser = corp.browser()
    corp.signs_in("mira@corp.example", browser)
    with psycopg.connect(emptied.admin_url) as admin:
        admin.execute("UPDATE user_session SET created_at = created_at - interval '16 minutes'")
    refused(browser.post(f"{API}/oidc/link-requests", json={}), 403, "sign-in-too-old")
    return browser


def test_a_new_sign_in_at_the_issuer_confirms_the_session(corp: Corp, emptied: TestDatabase) -> None:
    browser = old_session(corp, emptied)
    former = browser.cookies["slowpath"]
    assert browser.get(f"{API}/session/confirmation").json()["provider"] == "Corp"
    begun = browser.post(f"{API}/oidc/confirmation-requests", json={"next": "/t/x/settings"}).json()["url"]
    asked = dict(parse_qsl(urlsplit(begun).query))
    assert (asked["prompt"], asked["max_age"]) == ("login", "0")
    sent = signed_in_there(begun, "mira@corp.example")
    done = browser.post(f"{API}/oidc/callback", json=sent)
    assert (done.status_code, done.json()["next"], done.json()["linked"]) == (201, "/t/x/settings", False)
    assert browser.cookies["slowpath"] != former
    assert browser.post(f"{API}/oidc/link-requests", json={}).status_code == 201
    stolen = corp.app.asked(cookie=former)
    assert stolen.get(f"{API}/session").status_code == 401
    refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")


def test_another_account_at_the_issuer_confirms_nothing(corp: Corp, emptied: TestDatabase) -> None:
    browser = old_session(corp, emptied)
    corp.signs_in("eve@corp.example")
    for login in ("eve@corp.example", "unknown@corp.example", "unverified:mira@corp.example"):
        sent = corp.returned(browser, login, to="confirmation-requests")
        refused(browser.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    refused(browser.post(f"{API}/oidc/link-requests", json={}), 403, "sign-in-too-old")


def test_a_confirmation_belongs_to_the_session_that_began_it(corp: Corp, emptied: TestDatabase) -> None:
    browser = old_session(corp, emptied)
    sent = corp.returned(browser, "mira@corp.example", to="confirmation-requests")
    other = corp.browser()
    corp.signs_in("mira@corp.example", other)
    other.cookies.set("slowpath-sign-in", browser.cookies["slowpath-sign-in"])
    refused(other.post(f"{API}/oidc/callback", json=sent), 401, "sign-in-refused")
    left = corp.browser()
    left.cookies.set("slowpath-sign-in", browser.cookies["slowpath-sign-in"])
    assert left.post(f"{API}/oidc/callback", json=sent).status_code == 401, "signed out meanwhile"


@pytest.mark.parametrize("ago_s", [None, 3_600, 90, -90, 1e300, "now"])
def test_an_issuer_that_asked_nothing_confirms_nothing(
    emptied: TestDatabase, engine: Engine, ago_s: float | str | None
) -> None:
    lying = LyingIssuer()
    with lying.running():
        corp = Corp(emptied, engine, lying.address)
        browser = corp.browser()

        def returned(to: str) -> dict[str, str]:
            query = dict(parse_qsl(urlsplit(browser.post(f"{API}/oidc/{to}", json={}).json()["url"]).query))
            lying.nonce = query["nonce"]
            return {"state": query["state"], "code": "c"}

        assert browser.post(f"{API}/oidc/callback", json=returned("sign-in-requests")).status_code == 201
        stated = lying.now - ago_s if isinstance(ago_s, int | float) else ago_s
        lying.claims = {"auth_time": stated}
        refused(browser.post(f"{API}/oidc/callback", json=returned("confirmation-requests")), 401, "sign-in-refused")
        lying.claims = {"auth_time": lying.now}
        assert browser.post(f"{API}/oidc/callback", json=returned("confirmation-requests")).status_code == 201
