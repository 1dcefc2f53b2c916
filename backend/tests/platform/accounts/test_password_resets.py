"""Forgotten passwords over HTTP: the same answer for everybody, a link that is good once and for an hour."""

import psycopg
import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from slowpath.platform.accounts.service import password_resets
from slowpath.platform.accounts.service.password_resets import PasswordResetMail
from tests.factories.accounts import PASSWORD, AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest, built
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

NEW = "another horse battery"


@pytest.fixture
def posting(app: AppUnderTest) -> AppUnderTest:
    """Give the app with a configured mail server."""
    changed = {"smtp_url": SecretStr("smtp://127.0.0.1:1"), "mail_from": "Slowpath <slowpath@example.com>"}
    return built(app.database, app.settings.model_copy(update=changed))


def asked(client: TestClient, email: str) -> int:
    return int(client.post("/api/v1/password-resets", json={"email": email}).status_code)


def resets(admin: psycopg.Connection) -> list[tuple[object, ...]]:
    return admin.execute("SELECT id, secret_hash FROM password_reset ORDER BY created_at").fetchall()


def drawn(app: AppUnderTest, admin: psycopg.Connection) -> PasswordResetMail:
    """Draw the newest link, as the job does that mails it."""
    with app.database.cross_team() as cross_team:
        letter = password_resets.prepare_password_reset(cross_team, resets(admin)[-1][0], app.clock.now())  # type: ignore[arg-type]  # a uuid
    assert letter is not None
    return letter


def choose(client: TestClient, secret: str, password: str = NEW) -> int:
    return int(
        client.post("/api/v1/password-resets/confirm", json={"secret": secret, "password": password}).status_code
    )


def signs_in(app: AppUnderTest, person: SomePerson, password: str) -> bool:
    answer = app.asked().post("/api/v1/session", json={"email": person.email, "password": password})
    return int(answer.status_code) == 201


def test_the_link_is_good_once_and_ends_all_sessions(
    posting: AppUnderTest, team: SomeTeam, emptied: TestDatabase
) -> None:
    anonymous, owner = posting.asked(), team.owner
    assert asked(anonymous, owner.email.upper()) == 204
    with emptied.as_admin() as admin:
        ((_, no_secret),) = resets(admin)
        assert no_secret is None, "the secret is drawn by the job that mails it"
        jobs = admin.execute("SELECT name, subject_kind, payload::text FROM job").fetchall()
        letter = drawn(posting, admin)
    assert [(name, kind) for name, kind, _ in jobs] == [("accounts.mail-password-reset", "team")]
    assert (letter.to, letter.secret in repr(letter)) == (owner.email, False)

    assert choose(anonymous, letter.secret, "short") == 422
    assert choose(anonymous, letter.secret) == 204
    assert posting.asked(cookie=owner.cookie).get("/api/v1/session").status_code == 401
    assert choose(anonymous, letter.secret) == 404
    assert (signs_in(posting, owner, PASSWORD), signs_in(posting, owner, NEW)) == (False, True)


def test_responses_do_not_reveal_existing_accounts(
    posting: AppUnderTest, team: SomeTeam, emptied: TestDatabase
) -> None:
    anonymous = posting.asked()
    known, unknown = (
        anonymous.post("/api/v1/password-resets", json={"email": email})
        for email in (team.owner.email, "stranger@example.com")
    )
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
    assert min(known.elapsed, unknown.elapsed).total_seconds() >= 0.19
    with emptied.as_admin() as admin:
        assert len(resets(admin)) == 1


def test_the_link_ends_after_an_hour_and_with_any_other_that_was_used(
    posting: AppUnderTest, team: SomeTeam, emptied: TestDatabase
) -> None:
    anonymous = posting.asked()
    with emptied.as_admin() as admin:
        asked(anonymous, team.owner.email)
        first = drawn(posting, admin)
        asked(anonymous, team.owner.email)
        second = drawn(posting, admin)
        assert choose(anonymous, second.secret) == 204
        assert choose(anonymous, first.secret) == 404, "the person already used the other link"

        asked(anonymous, team.owner.email)
        third = drawn(posting, admin)
        posting.clock.move(hours=1)
        assert choose(anonymous, third.secret) == 404
        with posting.database.cross_team() as cross_team:
            assert password_resets.prepare_password_reset(cross_team, resets(admin)[-1][0], posting.clock.now()) is None  # type: ignore[arg-type]  # a uuid


@pytest.mark.parametrize("secret", ["x", "x" * 100, "0" * 33])
def test_made_up_links_are_refused(posting: AppUnderTest, secret: str) -> None:
    assert choose(posting.asked(), secret) == 404


def test_nobodys_mail_box_is_filled(posting: AppUnderTest, team: SomeTeam) -> None:
    anonymous = posting.asked()
    listed = [asked(anonymous, team.owner.email) for _ in range(6)]
    assert listed == [204] * 5 + [429]
    assert asked(anonymous, "stranger@example.com") == 204


def test_without_a_mail_server_the_response_states_it(app: AppUnderTest, people: AccountsFactory) -> None:
    answer = app.asked().post("/api/v1/password-resets", json={"email": people.team().owner.email})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:slowpath:no-mail")
