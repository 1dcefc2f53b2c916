"""Second factors over HTTP: registered, used, replayed, stolen, guessed, required by a team, reset."""

import base64
import json
from dataclasses import replace

import pyotp
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.core.db_sessions import TeamScope
from slowpath.platform.accounts.rules.request_origin import LOOPBACK_COOKIE
from slowpath.platform.accounts.rules.second_factor import BY_ADDRESS_AND_ACCOUNT, TOTP_BY_ACCOUNT
from slowpath.platform.accounts.service.second_factors import delete_second_factors
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase
from tests.support.software_passkey import SoftwarePasskey

pytestmark = pytest.mark.database
ORIGIN = "http://localhost:8080"
FACTORS = "/api/v1/user/second-factors"
REGISTRATIONS = "/api/v1/user/second-factor-registrations"
RECOVERY_CODES = "/api/v1/user/recovery-codes"
PASSWORD_URL = "/api/v1/user/password"
DELETION = "/api/v1/user/deletion"
STEP = "/api/v1/session/second-factor"


def problem(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")


def browser(app: AppUnderTest, address: str = "127.0.0.1") -> TestClient:
    client = TestClient(app.app, base_url=ORIGIN, client=(address, 50_000))
    client.headers["Origin"] = ORIGIN
    return client


def enter_password(app: AppUnderTest, person: SomePerson, address: str = "127.0.0.1") -> TestClient:
    client = browser(app, address)
    answer = client.post("/api/v1/session", json={"email": person.email, "password": PASSWORD})
    assert (answer.status_code, problem(answer)) == (401, "second-factor-required")
    assert client.get("/api/v1/teams").status_code == 401, "the password alone opens nothing"
    return client


def signed_in(app: AppUnderTest, person: SomePerson) -> TestClient:
    client = browser(app)
    client.cookies.set(LOOPBACK_COOKIE.name, person.cookie)
    return client


def add_totp(client: TestClient, app: AppUnderTest) -> tuple[str, list[str]]:
    started = client.post(REGISTRATIONS, json={"kind": "totp"}).json()
    secret = started["totp_secret"]
    assert started["totp_qr_code"].startswith("data:image/svg+xml")
    sent = {"kind": "totp", "name": "Phone", "state": started["state"], "proof": code(app, secret)}
    made = client.post(FACTORS, json=sent)
    assert made.status_code == 201, made.text
    return secret, made.json()["recovery_codes"]


def add_passkey(client: TestClient, passkey: SoftwarePasskey) -> Response:
    started = client.post(REGISTRATIONS, json={"kind": "passkey"}).json()
    proof = passkey.create(started["passkey_options"])
    return client.post(FACTORS, json={"kind": "passkey", "name": "Key", "state": started["state"], "proof": proof})


def code(app: AppUnderTest, secret: str) -> str:
    return pyotp.TOTP(secret).at(app.clock.now())


@pytest.fixture
def owner(team: SomeTeam) -> SomePerson:
    return team.owner


def test_a_code_of_the_app_finishes_the_sign_in_once(app: AppUnderTest, owner: SomePerson) -> None:
    secret, codes = add_totp(signed_in(app, owner), app)
    assert len(set(codes)) == 10
    app.clock.move(seconds=30)
    client = enter_password(app, owner)
    assert client.get(STEP).json() == {"has_totp": True, "passkey_options": None}
    entered = client.post(STEP, json={"code": code(app, secret)})
    assert (entered.status_code, entered.json()["is_multi_factor"]) == (201, True)
    assert entered.json()["user"]["email"] == owner.email
    assert client.get("/api/v1/session").json() == entered.json()

    again = enter_password(app, owner).post(STEP, json={"code": code(app, secret)})
    assert (again.status_code, problem(again)) == (401, "second-factor-rejected"), "the code was seen before"


def test_the_code_that_registered_the_app_does_not_sign_in(app: AppUnderTest, owner: SomePerson) -> None:
    secret, _ = add_totp(signed_in(app, owner), app)
    assert enter_password(app, owner).post(STEP, json={"code": code(app, secret)}).status_code == 401


def test_a_recovery_code_works_once(app: AppUnderTest, owner: SomePerson) -> None:
    _, codes = add_totp(signed_in(app, owner), app)
    first = enter_password(app, owner)
    assert first.post(STEP, json={"code": codes[3].replace("-", " ").upper()}).status_code == 201
    assert first.get(FACTORS).json()["recovery_codes_left"] == 9
    assert enter_password(app, owner).post(STEP, json={"code": codes[3]}).status_code == 401
    renewed = first.post(RECOVERY_CODES).json()["recovery_codes"]
    assert enter_password(app, owner).post(STEP, json={"code": codes[4]}).status_code == 401
    assert enter_password(app, owner).post(STEP, json={"code": renewed[0]}).status_code == 201


def test_a_passkey_finishes_the_sign_in(app: AppUnderTest, owner: SomePerson) -> None:
    passkey = SoftwarePasskey(ORIGIN)
    assert add_passkey(signed_in(app, owner), passkey).status_code == 201
    client = enter_password(app, owner)
    options = client.get(STEP).json()["passkey_options"]
    assert json.loads(options)["rpId"] == "localhost"
    answer = passkey.get(options)
    cookies = dict(client.cookies)
    assert client.post(STEP, json={"passkey": answer}).status_code == 201

    thief = browser(app)
    thief.cookies.update(cookies)
    assert thief.post(STEP, json={"passkey": answer}).status_code == 401, "a recorded answer is worth nothing"
    assert client.post(STEP, json={"passkey": answer}).status_code == 401, "the cookie of the step is gone"


def test_forged_answers_of_passkeys_are_rejected(app: AppUnderTest, owner: SomePerson) -> None:
    passkey = SoftwarePasskey(ORIGIN)
    add_passkey(signed_in(app, owner), passkey)
    client = enter_password(app, owner)
    options = client.get(STEP).json()["passkey_options"]
    elsewhere = json.dumps({**json.loads(options), "rpId": "evil.example"})
    former = json.dumps({**json.loads(options), "challenge": base64.urlsafe_b64encode(b"x" * 32).decode()})
    forged = [
        replace(passkey, origin="http://evil.example").get(options),
        SoftwarePasskey(ORIGIN).get(options),
        SoftwarePasskey(ORIGIN, credential_id=passkey.credential_id).get(options),
        passkey.get(elsewhere),
        passkey.get(former),
        "{}",
        "[1]",
        '{"id": 1, "rawId": null, "response": {}}',
        "not JSON",
        "[" * 16_000,
        json.dumps({**json.loads(passkey.get(options)), "response": {"clientDataJSON": "W1tb" * 3_000}}),
    ]
    for answer in forged:
        app.throttle.tries.clear()
        refused = client.post(STEP, json={"passkey": answer})
        assert (refused.status_code, problem(refused)) == (401, "second-factor-rejected")
    assert client.post(STEP, json={"passkey": passkey.get(options)}).status_code == 201


def test_a_copied_passkey_is_found_by_its_counter(app: AppUnderTest, owner: SomePerson) -> None:
    passkey = SoftwarePasskey(ORIGIN)
    add_passkey(signed_in(app, owner), passkey)
    copied = replace(passkey)
    for _ in range(2):
        client = enter_password(app, owner)
        assert client.post(STEP, json={"passkey": passkey.get(client.get(STEP).json()["passkey_options"])}).is_success
    client = enter_password(app, owner)
    assert (
        client.post(STEP, json={"passkey": copied.get(client.get(STEP).json()["passkey_options"])}).status_code == 401
    )


def test_a_passkey_of_another_site_cannot_be_registered(app: AppUnderTest, owner: SomePerson) -> None:
    client = signed_in(app, owner)
    refused = add_passkey(client, SoftwarePasskey("http://evil.example"))
    assert (refused.status_code, problem(refused)) == (401, "second-factor-rejected")
    state = client.post(REGISTRATIONS, json={"kind": "passkey"}).json()["state"]
    for proof in ("[" * 16_000, "{}", '{"id": 1}'):
        sent = {"kind": "passkey", "name": "x", "state": state, "proof": proof}
        assert problem(client.post(FACTORS, json=sent)) == "second-factor-rejected"
    assert client.get(FACTORS).json() == {"factors": [], "recovery_codes_left": 0}


def test_passkeys_need_a_host_name(app: AppUnderTest, owner: SomePerson) -> None:
    refused = app.asked(cookie=owner.cookie).post(REGISTRATIONS, json={"kind": "passkey"})
    assert (refused.status_code, problem(refused)) == (422, "passkey-unavailable")


def test_codes_cannot_be_guessed_from_many_addresses(app: AppUnderTest, owner: SomePerson) -> None:
    _, codes = add_totp(signed_in(app, owner), app)
    places = TOTP_BY_ACCOUNT.times // BY_ADDRESS_AND_ACCOUNT.times
    for place in range(places):
        client = enter_password(app, owner, f"203.0.113.{place}")
        for _ in range(BY_ADDRESS_AND_ACCOUNT.times):
            assert client.post(STEP, json={"code": "000000"}).status_code == 401
        assert client.post(STEP, json={"code": "000000"}).status_code == 429
    late = enter_password(app, owner, "203.0.113.200")
    assert late.post(STEP, json={"code": "000000"}).status_code == 429
    assert late.post(STEP, json={"code": codes[0]}).status_code == 201, "the user is not locked out"


def test_a_state_of_another_user_or_purpose_is_rejected(
    app: AppUnderTest, owner: SomePerson, people: AccountsFactory, team: SomeTeam
) -> None:
    client, other = signed_in(app, owner), signed_in(app, people.member(team))
    started = client.post(REGISTRATIONS, json={"kind": "totp"}).json()
    sent = {"kind": "totp", "name": "x", "state": started["state"], "proof": code(app, started["totp_secret"])}
    assert problem(other.post(FACTORS, json=sent)) == "sign-in-expired"
    assert problem(client.post(FACTORS, json={**sent, "kind": "passkey"})) == "sign-in-expired"
    thief = browser(app)
    thief.cookies.set(f"{LOOPBACK_COOKIE.name}-second-step", started["state"])
    assert problem(thief.post(STEP, json={"code": sent["proof"]})) == "sign-in-expired"
    app.clock.move(minutes=10)
    assert problem(client.post(FACTORS, json=sent)) == "sign-in-expired"


def test_an_old_session_changes_no_factor(app: AppUnderTest, owner: SomePerson) -> None:
    client = signed_in(app, owner)
    add_totp(client, app)
    factor = client.get(FACTORS).json()["factors"][0]["id"]
    app.clock.move(minutes=16)
    for refused in (
        client.post(REGISTRATIONS, json={"kind": "totp"}),
        client.post(RECOVERY_CODES),
        client.delete(f"{FACTORS}/{factor}"),
    ):
        assert (refused.status_code, problem(refused)) == (403, "sign-in-too-old")


def test_a_password_alone_neither_changes_the_password_nor_deletes_the_account(
    app: AppUnderTest, owner: SomePerson
) -> None:
    secret, _ = add_totp(signed_in(app, owner), app)
    app.clock.move(minutes=16)
    stolen = signed_in(app, owner)
    change = {"current_password": PASSWORD, "new_password": "several unrelated words"}
    end = {"email": owner.email, "current_password": PASSWORD}
    for refused in (
        stolen.put(PASSWORD_URL, json=change),
        stolen.put(PASSWORD_URL, json={**change, "current_password": "a guess"}),
        stolen.post(DELETION, json=end),
    ):
        assert (refused.status_code, problem(refused)) == (403, "sign-in-too-old")
    client = enter_password(app, owner)
    assert client.post(STEP, json={"code": code(app, secret)}).status_code == 201
    assert problem(client.put(PASSWORD_URL, json={**change, "current_password": "a guess"})) == "wrong-password"
    assert client.put(PASSWORD_URL, json=change).status_code == 204
    assert client.post(DELETION, json={**end, "current_password": change["new_password"]}).status_code == 204


def test_a_password_alone_suffices_without_a_second_factor(app: AppUnderTest, owner: SomePerson) -> None:
    app.clock.move(minutes=16)
    change = {"current_password": PASSWORD, "new_password": "several unrelated words"}
    assert signed_in(app, owner).put(PASSWORD_URL, json=change).status_code == 204


def test_a_recent_sign_in_without_the_second_factor_is_not_enough(app: AppUnderTest, owner: SomePerson) -> None:
    answer = browser(app).post("/api/v1/session", json={"email": owner.email, "password": PASSWORD})
    other = browser(app)
    other.cookies.update(answer.cookies)
    started = other.post(REGISTRATIONS, json={"kind": "totp"}).json()
    add_totp(signed_in(app, owner), app)
    factor = other.get(FACTORS).json()["factors"][0]["id"]
    change = {"current_password": PASSWORD, "new_password": "several unrelated words"}
    proof = {"state": started["state"], "proof": code(app, started["totp_secret"])}
    for refused in (
        other.post(FACTORS, json={"kind": "totp", "name": "Another", **proof}),
        other.post(REGISTRATIONS, json={"kind": "totp"}),
        other.post(RECOVERY_CODES),
        other.delete(f"{FACTORS}/{factor}"),
        other.put(PASSWORD_URL, json=change),
        other.post(DELETION, json={"email": owner.email, "current_password": PASSWORD}),
    ):
        assert (refused.status_code, problem(refused)) == (403, "sign-in-too-old")
    assert len(other.get(FACTORS).json()["factors"]) == 1


def test_secrets_are_not_stored_in_clear(app: AppUnderTest, owner: SomePerson, emptied: TestDatabase) -> None:
    secret, codes = add_totp(signed_in(app, owner), app)
    with emptied.as_admin() as admin:
        stored = b"".join(row[0] for row in admin.execute("SELECT secret FROM second_factor").fetchall())
    assert secret.encode() not in stored
    assert not any(one.replace("-", "").encode() in stored for one in codes)


def test_a_team_can_require_a_second_factor(
    app: AppUnderTest, owner: SomePerson, people: AccountsFactory, team: SomeTeam
) -> None:
    client, member = signed_in(app, owner), signed_in(app, people.member(team))
    url = f"/api/v1/teams/{team.id}"
    assert problem(client.patch(url, json={"requires_second_factor": True})) == "second-factor-missing"
    add_totp(client, app)
    assert client.patch(url, json={"requires_second_factor": True}).json()["requires_second_factor"] is True
    assert client.get("/api/v1/services").status_code == 200

    refused = member.get("/api/v1/services", headers={"Slowpath-Team": team.slug})
    assert (refused.status_code, problem(refused)) == (403, "second-factor-missing")
    assert member.get("/api/v1/session").json()["teams"][0]["requires_second_factor"] is True
    add_totp(member, app)
    assert member.get("/api/v1/services").status_code == 200

    factor = member.get(FACTORS).json()["factors"][0]["id"]
    assert member.delete(f"{FACTORS}/{factor}").status_code == 204
    assert member.get(FACTORS).json() == {"factors": [], "recovery_codes_left": 0}
    assert problem(member.get("/api/v1/services")) == "second-factor-missing"
    events = client.get(f"{url}/audit-events", params={"action": "team.second-factor-changed"}).json()["items"]
    assert [event["details"]["requires_second_factor"] for event in events] == [True]


def test_only_owners_change_the_rule(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    member = signed_in(app, people.member(team))
    add_totp(member, app)
    assert member.patch(f"/api/v1/teams/{team.id}", json={"requires_second_factor": True}).status_code == 403


def test_an_operator_resets_what_was_lost(app: AppUnderTest, owner: SomePerson) -> None:
    client = signed_in(app, owner)
    add_totp(client, app)
    with app.database.writing(TeamScope(user_id=owner.user_id)) as session:
        assert delete_second_factors(session, owner.user_id) == 1
    answer = browser(app).post("/api/v1/session", json={"email": owner.email, "password": PASSWORD})
    assert (answer.status_code, answer.json()["is_multi_factor"]) == (201, False)


def test_changes_of_factors_are_in_the_logs_of_all_teams_of_the_user(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, owner: SomePerson
) -> None:
    client = signed_in(app, owner)
    second = client.post("/api/v1/teams", json={"name": "Second"}).json()["id"]
    other = people.team()
    add_totp(client, app)
    client.post(RECOVERY_CODES)
    factor = client.get(FACTORS).json()["factors"][0]["id"]
    assert client.delete(f"{FACTORS}/{factor}").status_code == 204

    def logged(reader: TestClient, team_id: object) -> list[tuple[str, str, str]]:
        rows = reader.get(f"/api/v1/teams/{team_id}/audit-events").json()["items"]
        about = "second-factor", "recovery-codes"
        return [(row["action"], row["actor"], row["subject"]) for row in rows if row["action"].startswith(about)]

    expected = [
        ("second-factor.deleted", owner.name, "second-factor Phone"),
        ("recovery-codes.renewed", owner.name, "user"),
        ("second-factor.created", owner.name, "second-factor Phone"),
    ]
    assert logged(client, team.id) == expected
    assert logged(client, second) == expected
    assert logged(signed_in(app, other.owner), other.id) == []
