"""Signing in by SAML: what a response must state, and every way in which an attacker changes one."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml
from sqlalchemy import Engine

from slowpath.adapters.saml_provider import create_saml_provider
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.endpoints.saml import POLICY
from slowpath.platform.accounts.schemas.provider_sign_in import MAX_RESPONSE
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.saml_providers import (
    ENTITY_ID,
    PERSISTENT,
    SSO_URL,
    LyingSamlProvider,
    SentRequest,
    packed,
    read_form,
    read_request,
    signing_key,
)

pytestmark = pytest.mark.database
API = "/api/v1"
CALLBACK = f"{API}/saml/callback"
MIRA = "mira@corp.example"
METADATA = """<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{entity}">
<md:IDPSSODescriptor{wants} protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
{keys}<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:{binding}" Location="{url}"/>
</md:IDPSSODescriptor></md:EntityDescriptor>"""
KEY = """<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
<ds:X509Certificate>{}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"""


class Corp:
    """A server whose users sign in by SAML."""

    def __init__(self, emptied: TestDatabase, engine: Engine, **changed: object) -> None:
        stated = {
            "saml_entity_id": ENTITY_ID,
            "saml_sso_url": SSO_URL,
            "saml_certificate": signing_key("idp").certificate,
            "saml_name": "Corp",
        }
        self.app = built(Database(engine), settings_for(emptied.app_url, **{**stated, **changed}))
        self.app.clock.at = SystemClock().now()
        self.people = AccountsFactory(self.app)
        self.idp = LyingSamlProvider()

    def browser(self, person: SomePerson | None = None) -> TestClient:
        client = self.app.asked(cookie=person.cookie if person else None)
        client.headers["Origin"] = PUBLIC_URL
        return client

    def asks(self, browser: TestClient, *, to: str = "sign-in-requests", **sent: object) -> SentRequest:
        begun = browser.post(f"{API}/saml/{to}", json=sent)
        assert begun.status_code == 201, begun.text
        return read_request(begun.json()["url"])

    def answers(self, browser: TestClient, request: SentRequest, xml: str) -> Any:  # noqa: ANN401 - an answer of the test client
        return browser.post(CALLBACK, json={"state": request.relay_state, "response": packed(xml)})

    def signs_in(self, login: str = MIRA, browser: TestClient | None = None, **sent: str) -> Any:  # noqa: ANN401 - any JSON
        browser = browser or self.browser()
        request = self.asks(browser, **sent)
        done = self.answers(browser, request, self.idp.respond(request, login))
        assert done.status_code == 201, done.text
        return done.json()


@pytest.fixture
def corp(emptied: TestDatabase, engine: Engine) -> Corp:
    return Corp(emptied, engine)


def refused(answer: Any, status: int, slug: str) -> str:  # noqa: ANN401 - an answer of the test client
    assert (answer.status_code, answer.json().get("type")) == (status, f"urn:slowpath:{slug}"), answer.text
    return str(answer.json()["detail"])


# -- as it should go -------------------------------------------------------------------------------


@pytest.mark.parametrize("signs", [("assertion",), ("response",), ("assertion", "response")], ids=" and ".join)
def test_a_new_user_signs_in_twice(corp: Corp, signs: tuple[str, ...]) -> None:
    corp.idp.signs = signs
    methods = corp.browser().get(f"{API}/auth/methods").json()
    assert (methods["oidc"], methods["saml"]) == (None, {"name": "Corp"})
    browser = corp.browser()
    first = corp.signs_in(MIRA, browser, next="/t/x/dashboard?range=1h")
    assert (first["session"]["user"]["email"], first["session"]["user"]["name"]) == (MIRA, "Mira")
    assert first["next"] == "/t/x/dashboard?range=1h"
    assert browser.get(f"{API}/session").json()["user"] == first["session"]["user"]
    assert corp.signs_in()["session"]["user"]["id"] == first["session"]["user"]["id"]
    body = browser.get(f"{API}/user/linked-identities").json()
    assert [(one["name"], one["email"]) for one in body["linked"]] == [("Corp", MIRA)]
    assert browser.delete(f"{API}/session").json() == {"provider_sign_out_url": None}


def test_the_request_asks_for_a_persistent_name_by_a_form(corp: Corp) -> None:
    url = corp.browser().post(f"{API}/saml/sign-in-requests", json={}).json()["url"]
    assert url.startswith(f"{SSO_URL}&SAMLRequest=")
    request = read_request(url)
    assert (request.acs, request.issuer) == (f"{PUBLIC_URL}{API}/saml/acs", f"{PUBLIC_URL}{API}/saml/metadata")
    assert (request.name_format, request.forces_sign_in) == (PERSISTENT, False)
    assert len(request.relay_state) <= 80, "the limit of SAML"


def test_the_form_of_the_provider_is_handed_to_our_page(corp: Corp) -> None:
    """The browser sends no cookie with it, and another Origin."""
    browser = corp.browser()
    request = corp.asks(browser)
    xml = packed(corp.idp.respond(request, MIRA))
    stranger = corp.app.asked()
    stranger.headers["Origin"] = "https://idp.corp.example"
    form = {"SAMLResponse": xml, "RelayState": request.relay_state}
    page = stranger.post(f"{API}/saml/acs", data=form)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"] == POLICY
    assert page.headers["cache-control"] == "no-store"
    assert "set-cookie" not in page.headers
    _, fields = read_form(page.text)
    assert fields == {"state": request.relay_state, "response": xml}
    assert browser.post(CALLBACK, json=fields).status_code == 201


def test_the_page_contains_no_markup_of_others(corp: Corp) -> None:
    stranger = corp.app.asked()
    markup = '"><script>alert(1)</script>'
    page = stranger.post(f"{API}/saml/acs", data={"SAMLResponse": "AAAA", "RelayState": markup})
    assert markup not in page.text
    assert read_form(page.text)[1]["state"] == markup
    assert stranger.post(f"{API}/saml/acs", data={"SAMLResponse": markup}).status_code == 422
    assert stranger.post(f"{API}/saml/acs", data={"RelayState": "x"}).status_code == 422
    assert stranger.post(f"{API}/saml/acs", data={"SAMLResponse": "AAAA", "RelayState": "x" * 201}).status_code == 422


def test_a_response_may_be_larger_than_other_bodies_and_is_bounded(corp: Corp) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    groups = {f"group-{number}": "x" * 200 for number in range(300)}
    large = corp.idp.respond(request, MIRA, attributes={"email": MIRA, **groups})
    assert len(packed(large)) > 64 * 1024
    assert corp.app.asked().post(f"{API}/saml/acs", data={"SAMLResponse": packed(large)}).status_code == 200
    assert corp.answers(browser, request, large).status_code == 201
    for body in ({"SAMLResponse": "A" * (MAX_RESPONSE + 1)}, {"SAMLResponse": "A" * 4 * MAX_RESPONSE}):
        assert corp.app.asked().post(f"{API}/saml/acs", data=body).status_code in {413, 422}
        sent = {"state": "x", "response": body["SAMLResponse"]}
        assert corp.browser().post(CALLBACK, json=sent).status_code in {413, 422}


def test_a_signed_in_user_links_and_unlinks_identities(corp: Corp) -> None:
    team = corp.people.team()
    browser = corp.browser(team.owner)
    request = corp.asks(browser, to="link-requests", next="/t/x/settings")
    done = corp.answers(browser, request, corp.idp.respond(request, "else@corp.example", attributes={"mobile": "1"}))
    assert (done.status_code, done.json()["linked"]) == (201, True)
    assert corp.signs_in("else@corp.example")["session"]["user"]["id"] == str(team.owner.user_id)
    [linked] = browser.get(f"{API}/user/linked-identities").json()["linked"]
    assert browser.delete(f"{API}/user/linked-identities/{linked['id']}").status_code == 204
    assert browser.get(f"{API}/user/linked-identities").json() == {"has_password": True, "linked": []}


def test_a_stated_email_finds_its_user_and_removes_the_password(corp: Corp) -> None:
    planted = corp.people.team().owner
    assert corp.signs_in(planted.email)["session"]["user"]["id"] == str(planted.user_id)
    entered = corp.browser().post(f"{API}/session", json={"email": planted.email, "password": PASSWORD})
    refused(entered, 401, "wrong-password")


def test_emails_can_be_unverified(emptied: TestDatabase, engine: Engine) -> None:
    corp = Corp(emptied, engine, saml_emails="unverified")
    person = corp.people.team().owner
    for login in (person.email, "new@corp.example"):
        browser = corp.browser()
        request = corp.asks(browser)
        refused(corp.answers(browser, request, corp.idp.respond(request, login)), 403, "email-not-verified")
    assert corp.browser(person).get(f"{API}/session").status_code == 200


def test_people_of_a_domain_join_its_team_without_passwords(emptied: TestDatabase, engine: Engine) -> None:
    team = Corp(emptied, engine).people.team("Payments")
    corp = Corp(emptied, engine, passwords="off", sign_up="invited", sign_in_domains=f"corp.example={team.slug}:viewer")
    session = corp.signs_in()
    assert [(one["slug"], one["role"]) for one in session["session"]["teams"]] == [(team.slug, "viewer")]
    entered = corp.browser().post(f"{API}/session", json={"email": MIRA, "password": PASSWORD})
    assert "Corp" in refused(entered, 403, "passwords-off")


def test_the_attribute_of_the_email_can_be_set(emptied: TestDatabase, engine: Engine) -> None:
    corp = Corp(emptied, engine, saml_email_attribute="upn")
    browser = corp.browser()
    request = corp.asks(browser)
    stated = {"upn": MIRA, "email": "other@corp.example"}
    done = corp.answers(browser, request, corp.idp.respond(request, MIRA, attributes=stated))
    assert done.json()["session"]["user"]["email"] == MIRA


@pytest.mark.parametrize(
    "name", ["mail", "Email", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress"]
)
def test_usual_attributes_of_the_email_are_found(corp: Corp, name: str) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    done = corp.answers(browser, request, corp.idp.respond(request, MIRA, attributes={name: MIRA}))
    assert done.json()["session"]["user"]["email"] == MIRA


# -- confirming at the provider --------------------------------------------------------------------


def old_session(corp: Corp, emptied: TestDatabase) -> TestClient:
    browser = corp.browser()
    corp.signs_in(MIRA, browser)
    with psycopg.connect(emptied.admin_url) as admin:
        admin.execute("UPDATE user_session SET created_at = created_at - interval '16 minutes'")
    refused(browser.post(f"{API}/saml/link-requests", json={}), 403, "sign-in-too-old")
    return browser


def test_a_new_sign_in_at_the_provider_confirms_the_session(corp: Corp, emptied: TestDatabase) -> None:
    browser = old_session(corp, emptied)
    former = browser.cookies["slowpath"]
    methods = browser.get(f"{API}/session/confirmation").json()
    assert (methods["provider"], methods["saml_provider"]) == (None, "Corp")
    request = corp.asks(browser, to="confirmation-requests", next="/t/x/settings")
    assert request.forces_sign_in
    done = corp.answers(browser, request, corp.idp.respond(request, MIRA))
    assert (done.status_code, done.json()["next"]) == (201, "/t/x/settings")
    assert browser.cookies["slowpath"] != former
    assert browser.post(f"{API}/saml/link-requests", json={}).status_code == 201
    assert corp.app.asked(cookie=former).get(f"{API}/session").status_code == 401


@pytest.mark.parametrize(
    ("login", "changed"),
    [
        (MIRA, {"authenticated_at": "2020-01-01T00:00:00Z"}),
        (MIRA, {"authenticated_at": "2099-01-01T00:00:00Z"}),
        ("eve@corp.example", {}),
        ("unknown@corp.example", {}),
    ],
    ids=str,
)
def test_another_sign_in_confirms_nothing(
    corp: Corp, emptied: TestDatabase, login: str, changed: dict[str, Any]
) -> None:
    browser = old_session(corp, emptied)
    corp.signs_in("eve@corp.example")
    request = corp.asks(browser, to="confirmation-requests")
    refused(corp.answers(browser, request, corp.idp.respond(request, login, **changed)), 401, "sign-in-refused")
    refused(browser.post(f"{API}/saml/link-requests", json={}), 403, "sign-in-too-old")


# -- whose response it is --------------------------------------------------------------------------


def test_a_response_is_accepted_once(corp: Corp) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    stored, xml = dict(browser.cookies), corp.idp.respond(request, MIRA)
    assert corp.answers(browser, request, xml).status_code == 201
    assert "slowpath-saml-sign-in" not in browser.cookies
    refused(corp.answers(browser, request, xml), 401, "sign-in-refused")
    thief = corp.browser()
    thief.cookies.set("slowpath-saml-sign-in", stored["slowpath-saml-sign-in"])
    assert "already used" in refused(corp.answers(thief, request, xml), 401, "sign-in-refused")


def test_another_browser_cannot_end_what_one_began(corp: Corp) -> None:
    """Otherwise an attacker's page signs its reader in as the attacker."""
    mine, theirs = corp.browser(), corp.browser()
    request = corp.asks(mine)
    xml = corp.idp.respond(request, "eve@corp.example")
    refused(corp.answers(theirs, request, xml), 401, "sign-in-refused")
    own = corp.asks(theirs)
    refused(corp.answers(theirs, request, xml), 401, "sign-in-refused")
    own = corp.asks(theirs)
    refused(corp.answers(theirs, own, xml), 401, "sign-in-refused")


def test_a_flow_of_openid_connect_is_no_flow_of_saml(corp: Corp) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    other = corp.browser()
    other.cookies.set("slowpath-sign-in", browser.cookies["slowpath-saml-sign-in"])
    xml = corp.idp.respond(request, MIRA)
    refused(corp.answers(other, request, xml), 401, "sign-in-refused")


def test_a_response_that_comes_too_late_is_refused(corp: Corp) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    corp.app.clock.move(minutes=11)
    refused(corp.answers(browser, request, corp.idp.respond(request, MIRA)), 401, "sign-in-refused")


def test_a_page_of_another_site_begins_and_ends_nothing(corp: Corp) -> None:
    browser = corp.browser()
    browser.headers["Origin"] = "https://evil.example"
    refused(browser.post(f"{API}/saml/sign-in-requests", json={}), 403, "foreign-origin")
    refused(browser.post(CALLBACK, json={"state": "x", "response": "AAAA"}), 403, "foreign-origin")


def test_linking_is_finished_only_by_the_user_who_began_it(corp: Corp) -> None:
    team = corp.people.team()
    browser = corp.browser(team.owner)
    request = corp.asks(browser, to="link-requests")
    browser.cookies.set("slowpath", corp.people.member(team).cookie)
    refused(corp.answers(browser, request, corp.idp.respond(request, MIRA)), 401, "sign-in-refused")


def test_a_sign_in_that_the_provider_began_is_refused(corp: Corp) -> None:
    """Nothing ties it to this browser: an attacker could sign its user in as the attacker."""
    browser = corp.browser()
    request = corp.asks(browser)
    unsolicited = corp.idp.respond(request, MIRA, in_response_to="", subject_in_response_to="")
    sent = {"state": "", "response": packed(unsolicited)}
    assert "no sign-in in progress" in refused(corp.browser().post(CALLBACK, json=sent), 401, "sign-in-refused")
    refused(browser.post(CALLBACK, json=sent), 401, "sign-in-refused")
    request = corp.asks(browser)
    refused(corp.answers(browser, request, unsolicited), 401, "sign-in-refused")


@pytest.mark.parametrize("path", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_redirects_stay_on_the_site(corp: Corp, path: str) -> None:
    assert corp.signs_in(next=path)["next"] == "/"
    browser = corp.browser()
    request = corp.asks(browser)
    sent = {"state": path, "response": packed(corp.idp.respond(request, MIRA))}
    refused(browser.post(CALLBACK, json=sent), 401, "sign-in-refused")


# -- what a response states ------------------------------------------------------------------------

PAST, FUTURE = "2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"
OTHER = "https://other.example"


@pytest.mark.parametrize("signs", [("assertion",), ("response",)], ids=" and ".join)
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"status": "Requester"}, "did not sign you in"),
        ({"destination": OTHER}, "another address"),
        ({"destination": f"{PUBLIC_URL}{API}/saml/acs/evil"}, "another address"),
        ({"destination": ""}, "invalid"),
        ({"recipient": OTHER}, "another address"),
        ({"recipient": f"{OTHER}/?{PUBLIC_URL}{API}/saml/acs"}, "another address"),
        ({"recipient": ""}, "another address"),
        ({"in_response_to": "_other"}, "another request"),
        ({"subject_in_response_to": "_other"}, "another address"),
        ({"subject_in_response_to": ""}, "answers no request"),
        ({"in_response_to": "", "subject_in_response_to": "_other"}, "answers no request"),
        ({"audience": OTHER}, "another service"),
        ({"audience": ""}, "another service"),
        ({"issuer": OTHER}, "another identity provider"),
        ({"response_issuer": OTHER}, "another identity provider"),
        ({"not_before": FUTURE}, "not valid yet"),
        ({"not_on_or_after": PAST}, "expired"),
        ({"confirmed_until": PAST}, "expired"),
        ({"confirmation": ""}, "expired or is for another"),
        ({"method": "sender-vouches"}, "expired or is for another"),
        ({"name_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"}, "persistent name"),
        ({"name_format": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"}, "persistent name"),
        ({"qualifier": f' NameQualifier="{OTHER}"'}, "another identity provider"),
        ({"qualifier": f' SPNameQualifier="{OTHER}"'}, "invalid"),
        ({"name_id": ""}, "invalid"),
        ({"name_id": "x" * 256}, "255 characters"),
        ({"name_id": "a&#10;b"}, "invalid ones"),
    ],
    ids=str,
)
def test_a_response_that_states_something_else_is_refused(
    corp: Corp, signs: tuple[str, ...], changed: dict[str, Any], reason: str
) -> None:
    corp.idp.signs = signs
    browser = corp.browser()
    request = corp.asks(browser)
    answer = corp.answers(browser, request, corp.idp.respond(request, MIRA, **changed))
    assert reason in refused(answer, 401, "sign-in-refused")
    assert browser.get(f"{API}/session").status_code == 401


def test_a_comment_does_not_cut_a_name(corp: Corp) -> None:
    """Otherwise a user that may choose the name `id-mira@corp.example.evil` signs in as `id-mira@corp.example`."""
    mira = corp.signs_in()["session"]["user"]["id"]
    browser = corp.browser()
    request = corp.asks(browser)
    forged = corp.idp.respond(
        request, "eve@corp.example", name_id=f"id-{MIRA}<!-- -->.evil", attributes={"email": f"{MIRA}<!-- -->.evil"}
    )
    done = corp.answers(browser, request, forged)
    assert done.status_code == 201, done.text
    assert done.json()["session"]["user"]["id"] != mira
    assert done.json()["session"]["user"]["email"] == f"{MIRA}.evil"


# -- signatures ------------------------------------------------------------------------------------


def unsigned(idp: LyingSamlProvider, request: SentRequest) -> str:
    idp.signs = ()
    return idp.respond(request, MIRA)


def signed_by_another_key(idp: LyingSamlProvider, request: SentRequest) -> str:
    idp.key = signing_key("eve")
    return idp.respond(request, MIRA)


def changed_after_signing(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, "eve@corp.example").replace("id-eve@corp.example", f"id-{MIRA}")


def signature_removed(idp: LyingSamlProvider, request: SentRequest) -> str:
    xml = idp.respond(request, MIRA)
    return xml[: xml.index("<ds:Signature")] + xml[xml.index("</ds:Signature>") + len("</ds:Signature>") :]


def forged_first(idp: LyingSamlProvider, request: SentRequest) -> str:
    signed = idp.assertion(request, "eve@corp.example")
    idp.signs = ()
    return idp.respond(request, MIRA, assertions=idp.assertion(request, MIRA, assertion_id="_evil") + signed)


def forged_last(idp: LyingSamlProvider, request: SentRequest) -> str:
    signed = idp.assertion(request, "eve@corp.example")
    idp.signs = ()
    return idp.respond(request, MIRA, assertions=signed + idp.assertion(request, MIRA, assertion_id="_evil"))


def same_id(idp: LyingSamlProvider, request: SentRequest) -> str:
    signed = idp.assertion(request, "eve@corp.example")
    idp.signs = ()
    return idp.respond(request, MIRA, assertions=idp.assertion(request, MIRA) + signed)


def signed_one_inside_the_forged_one(idp: LyingSamlProvider, request: SentRequest) -> str:
    """The classic wrap: the forged assertion carries the signature, whose object is the signed one."""
    signed = idp.assertion(request, "eve@corp.example")
    start, end = signed.index("<ds:Signature"), signed.index("</ds:Signature>") + len("</ds:Signature>")
    signature, bare = signed[start:end], signed[:start] + signed[end:]
    wrapped = signature.replace("</ds:Signature>", f"<ds:Object>{bare}</ds:Object></ds:Signature>")
    idp.signs = ()
    forged = idp.assertion(request, MIRA, assertion_id="_evil")
    issuer_end = forged.index("</saml:Issuer>") + len("</saml:Issuer>")
    return idp.respond(request, MIRA, assertions=forged[:issuer_end] + wrapped + forged[issuer_end:])


def signed_one_in_extensions(idp: LyingSamlProvider, request: SentRequest) -> str:
    signed = idp.assertion(request, "eve@corp.example")
    idp.signs = ()
    xml = idp.respond(request, MIRA, assertions=idp.assertion(request, MIRA, assertion_id="_evil"))
    return xml.replace("<samlp:Status>", f"<samlp:Extensions>{signed}</samlp:Extensions><samlp:Status>")


def signed_response_in_a_forged_one(idp: LyingSamlProvider, request: SentRequest) -> str:
    idp.signs = ("response",)
    signed = idp.respond(request, "eve@corp.example")
    idp.signs = ()
    xml = idp.respond(request, MIRA, response_id="_evil", assertion_id="_evil2")
    return xml.replace("<samlp:Status>", f"<samlp:Extensions>{signed}</samlp:Extensions><samlp:Status>")


def sha1_signature(idp: LyingSamlProvider, request: SentRequest) -> str:
    idp.signature = Saml.RSA_SHA1
    return idp.respond(request, MIRA)


def sha1_digest(idp: LyingSamlProvider, request: SentRequest) -> str:
    idp.digest = Saml.SHA1
    return idp.respond(request, MIRA)


def reference_to_a_file(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA).replace('URI="#_a1"', 'URI="file:///etc/hostname"')


def reference_to_the_whole_document(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA).replace('URI="#_a1"', 'URI=""')


def second_reference(idp: LyingSamlProvider, request: SentRequest) -> str:
    xml = idp.respond(request, MIRA)
    start, end = xml.index("<ds:Reference"), xml.index("</ds:Reference>") + len("</ds:Reference>")
    return xml[:end] + xml[start:end].replace("#_a1", "http://127.0.0.1:9/") + xml[end:]


def transform_by_a_program(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA).replace(
        'Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"',
        'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"',
    )


def canonical_form_with_comments(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA).replace("xml-exc-c14n#", "xml-exc-c14n#WithComments")


def keyed_by_the_certificate(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA).replace("xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256")


def entities(idp: LyingSamlProvider, request: SentRequest) -> str:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(10))
    return idp.respond(request, MIRA, prologue=f"<!DOCTYPE r [{bomb}]>").replace(">Mira<", ">&e9;<")


def external_entity(idp: LyingSamlProvider, request: SentRequest) -> str:
    doctype = '<!DOCTYPE r [<!ENTITY file SYSTEM "file:///etc/hostname">]>'
    return idp.respond(request, MIRA, prologue=doctype).replace(">Mira<", ">&file;<")


def external_document_type(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA, prologue='<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">')


def encrypted(idp: LyingSamlProvider, request: SentRequest) -> str:
    data = '<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"/>'
    return idp.respond(request, MIRA, assertions=f"<saml:EncryptedAssertion>{data}</saml:EncryptedAssertion>")


def deep(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA, assertions="<a>" * 9_000 + "</a>" * 9_000)


def another_document(idp: LyingSamlProvider, request: SentRequest) -> str:
    return "<a/>"


def no_document(idp: LyingSamlProvider, request: SentRequest) -> str:
    return "no XML"


def no_time(idp: LyingSamlProvider, request: SentRequest) -> str:
    return idp.respond(request, MIRA, not_on_or_after="99999-99-99T99:99:99Z")


Forge = Callable[[LyingSamlProvider, SentRequest], str]


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (unsigned, "not signed"),
        (signed_by_another_key, "signature is invalid"),
        (changed_after_signing, "signature is invalid"),
        (signature_removed, "not signed"),
        (forged_first, "invalid"),
        (forged_last, "invalid"),
        (same_id, "invalid"),
        (signed_one_inside_the_forged_one, "invalid"),
        (signed_one_in_extensions, "invalid"),
        (signed_response_in_a_forged_one, "invalid"),
        (sha1_signature, "invalid"),
        (sha1_digest, "invalid"),
        (reference_to_a_file, "invalid"),
        (reference_to_the_whole_document, "invalid"),
        (second_reference, "invalid"),
        (transform_by_a_program, "invalid"),
        (canonical_form_with_comments, "invalid"),
        (keyed_by_the_certificate, "invalid"),
        (entities, "invalid"),
        (external_entity, "invalid"),
        (external_document_type, "invalid"),
        (encrypted, "encrypts its assertions"),
        (deep, "invalid"),
        (another_document, "invalid"),
        (no_document, "invalid"),
        (no_time, "invalid"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_forged_response_is_refused(corp: Corp, forge: Forge, reason: str) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    answer = corp.answers(browser, request, forge(corp.idp, request))
    assert reason in refused(answer, 401, "sign-in-refused")
    assert browser.get(f"{API}/session").status_code == 401


def test_text_that_is_no_base64_is_refused(corp: Corp) -> None:
    browser = corp.browser()
    request = corp.asks(browser)
    for text in ("A", "=AAA", base64.b64encode(b"\xff\xfe\x00").decode()):
        sent = {"state": request.relay_state, "response": text}
        refused(browser.post(CALLBACK, json=sent), 401, "sign-in-refused")
        request = corp.asks(browser)


# -- configuration ---------------------------------------------------------------------------------


def certificate_of(name: str = "idp") -> str:
    return KEY.format("".join(signing_key(name).certificate.splitlines()[1:-1]))


def written(folder: Path, **changed: str) -> Path:
    stated = {"entity": ENTITY_ID, "wants": "", "keys": certificate_of("former") + certificate_of(), **changed}
    stated = {"binding": "HTTP-Redirect", "url": "https://idp.corp.example/sso", **stated}
    path = folder / "metadata.xml"
    path.write_text(METADATA.format(**stated))
    return path


def test_metadata_names_the_provider_and_all_its_keys(emptied: TestDatabase, engine: Engine, tmp_path: Path) -> None:
    corp = Corp(emptied, engine, saml_entity_id="", saml_metadata_file=written(tmp_path))
    assert corp.signs_in()["session"]["user"]["email"] == MIRA
    corp.idp.key = signing_key("former")
    assert corp.signs_in()["session"]["user"]["email"] == MIRA


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"wants": ' WantAuthnRequestsSigned="true"'}, "signed requests"),
        ({"binding": "SOAP"}, "HTTP-Redirect"),
        ({"keys": ""}, "no certificate"),
        ({"keys": KEY.format("AAAA")}, "not configured correctly"),
        ({"url": "http://idp.corp.example/sso"}, "https"),
    ],
    ids=str,
)
def test_metadata_that_cannot_work_is_refused_at_the_start(
    tmp_path: Path, changed: dict[str, str], reason: str
) -> None:
    settings = settings_for("postgresql://x", saml_metadata_file=written(tmp_path, **changed))
    with pytest.raises(ValueError, match=reason):
        create_saml_provider(settings)


@pytest.mark.parametrize(
    "changed",
    [
        {"saml_metadata_file": Path("/nowhere/metadata.xml")},
        {"saml_entity_id": ENTITY_ID},
        {"saml_entity_id": ENTITY_ID, "saml_sso_url": SSO_URL, "saml_certificate": "no certificate"},
        {"saml_entity_id": ENTITY_ID, "saml_sso_url": "no address", "saml_certificate": "AAAA"},
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused_at_the_start(changed: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="SAML"):
        create_saml_provider(settings_for("postgresql://x", **changed))


def test_without_a_provider_there_is_no_such_way(app: AppUnderTest) -> None:
    browser = app.asked()
    assert browser.get(f"{API}/auth/methods").json()["saml"] is None
    assert browser.get(f"{API}/saml/metadata").status_code == 404
    assert browser.post(f"{API}/saml/sign-in-requests", json={}).status_code == 404
    assert browser.post(f"{API}/saml/acs", data={"SAMLResponse": "AAAA"}).status_code == 404
    assert browser.post(CALLBACK, json={"state": "x", "response": "AAAA"}).status_code == 404
