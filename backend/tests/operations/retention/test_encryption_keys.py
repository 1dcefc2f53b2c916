"""Stored credentials with several keys: read with each, encrypted again with the first, lost with none."""

from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import DecryptionError, SecretEncryptor, create_sealer, parse_keys
from slowpath.operations.retention.service.encryption_keys import (
    ENCRYPTED,
    renew_all,
    renew_encryption,
    renew_members,
)
from slowpath.platform.accounts.service.linked_identities import TOKEN_PURPOSE
from slowpath.platform.accounts.service.second_factors import TOTP_PURPOSE
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

SECRET, FIRST, SECOND = "of the tests, and no secret", "the first key 16", "the second key 16"


def test_each_key_decrypts_and_the_first_encrypts() -> None:
    bound = uuid4()
    former, one, both = (
        SecretEncryptor(SECRET),
        SecretEncryptor(SECRET, {1: FIRST}),
        SecretEncryptor(SECRET, {2: SECOND, 1: FIRST}),
    )
    for sealed in (former.seal("x", bound), one.seal("x", bound), both.seal("x", bound)):
        assert both.unseal(sealed, bound) == "x"
        with pytest.raises(DecryptionError):
            both.unseal(sealed, uuid4())
        with pytest.raises(DecryptionError):
            both.unseal(sealed[:-1] + bytes([sealed[-1] ^ 1]), bound)
    assert [both.is_current(each.seal("x")) for each in (former, one, both)] == [False, False, True]
    for reader, sealed in (
        (former, one.seal("x")),
        (one, both.seal("x")),
        (SecretEncryptor("other", {1: FIRST}), former.seal("x")),
    ):
        with pytest.raises(DecryptionError):
            reader.unseal(sealed)


@pytest.mark.parametrize(
    "text", ["key", "1=short", "0=" + FIRST, "256=" + FIRST, f"1={FIRST},1={SECOND}", f"x={FIRST}", "=" + FIRST]
)
def test_invalid_keys_are_rejected_without_showing_them(text: str) -> None:
    with pytest.raises(ValueError, match="SLOWPATH_ENCRYPTION_KEYS: entry") as raised:
        parse_keys(text)
    assert FIRST not in str(raised.value)


def test_no_key_leaves_the_secret_key() -> None:
    assert parse_keys("") == {}
    assert list(parse_keys(f"2={SECOND}, 1={FIRST}")) == [2, 1]


@pytest.mark.database
def test_the_credentials_of_a_team_are_encrypted_again(
    app: AppUnderTest, client: TestClient, team: SomeTeam, people: AccountsFactory, emptied: TestDatabase
) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "metric-sources": {
            "name": "ours",
            "url": "https://p.example",
            "credentials": {"kind": "bearer", "token": "t0"},
        },
        "notification-channels": {"name": "ours", "kind": "webhook", "url": "https://hooks.example/x"},
        "webhooks": {"name": "ours", "kind": "github"},
    }
    for path, body in bodies.items():
        answer = client.post(f"/api/v1/{path}", json=body)
        assert answer.status_code == 201, answer.text
    other = app.asked(cookie=people.team().owner.cookie)
    assert other.post("/api/v1/notification-channels", json=bodies["notification-channels"]).status_code == 201
    newer = SecretEncryptor(app.settings.secret_key.get_secret_value(), {1: FIRST})
    with app.database.writing(TeamScope(team.id)) as session:
        assert renew_encryption(session, newer) == (3, 0)
        assert renew_encryption(session, newer) == (0, 0), "of the team only, and once"
        assert renew_encryption(session, SecretEncryptor("lost", {2: SECOND})) == (0, 3), "what no key decrypts stays"
    without_former = SecretEncryptor("removed", {2: SECOND, 1: FIRST})
    with app.database.writing(TeamScope(team.id)) as session:
        assert renew_encryption(session, without_former) == (3, 0)
    with pytest.raises(DecryptionError):
        create_sealer(app.settings).unseal(newer.seal("x"))


@pytest.mark.database
def test_every_encrypted_column_of_a_team_is_known(emptied: TestDatabase) -> None:
    with emptied.as_admin() as connection:
        found = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns AS one "
            "WHERE table_schema = 'public' AND column_name LIKE 'encrypted_%' AND EXISTS (SELECT FROM "
            "information_schema.columns AS other WHERE other.table_name = one.table_name AND column_name = 'team_id')"
        ).fetchall()
    assert {(table.__tablename__, column.key) for table, column, _ in ENCRYPTED} == set(found)


@pytest.mark.database
def test_sessions_and_apps_for_codes_are_encrypted_again(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, emptied: TestDatabase
) -> None:
    member = people.member(team)
    former, factor = create_sealer(app.settings), uuid4()
    with emptied.as_admin() as admin:
        admin.execute("UPDATE user_session SET encrypted_id_token = %s", (former.seal("the ID token", TOKEN_PURPOSE),))
        admin.execute(
            "INSERT INTO second_factor (id, user_id, kind, name, secret, counter) VALUES (%s, %s, 'totp', 'x', %s, 0)",
            (factor, member.user_id, former.seal("the TOTP secret", TOTP_PURPOSE, factor)),
        )
    newer = SecretEncryptor(app.settings.secret_key.get_secret_value(), {1: FIRST})
    with app.database.writing(TeamScope(team.id)) as session:
        assert renew_members(session, newer) == (3, 0), "two sessions and an app"
        assert session.scope == TeamScope(team.id)
    outsider = people.team().owner
    with emptied.as_admin() as admin:
        admin.execute("DELETE FROM membership WHERE user_id = %s", (outsider.user_id,))
        admin.execute(
            "UPDATE user_session SET encrypted_id_token = %s WHERE user_id = %s",
            (former.seal("the ID token", TOKEN_PURPOSE), outsider.user_id),
        )
    assert renew_all(app.database, newer) == (1, 0), "a user without a team"
    assert renew_all(app.database, newer) == (0, 0)
    assert renew_all(app.database, SecretEncryptor("lost")) == (0, 4)

    alone = SecretEncryptor("removed", {1: FIRST})
    with emptied.as_admin() as admin:
        tokens = admin.execute("SELECT encrypted_id_token FROM user_session").fetchall()
        secret = admin.execute("SELECT secret FROM second_factor").fetchone()
    assert {alone.unseal(token, TOKEN_PURPOSE) for (token,) in tokens} == {"the ID token"}
    assert secret is not None
    assert alone.unseal(secret[0], TOTP_PURPOSE, factor) == "the TOTP secret"
