"""The chain of audit events: pure verification, concurrent writers, changed rows, retention, and the cursor of a SIEM."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from slowpath.core.db_sessions import TeamScope
from slowpath.operations.retention.service import audit_log_retention
from slowpath.platform.accounts.rules.audit_chain import (
    AuditEntry,
    hash_entry,
    verify_entries,
)
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.accounts.service.audit_chain import BEFORE_FIRST, verify_audit_chain
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase


def chained(contents: list[str]) -> list[AuditEntry]:
    entries, digest = [], BEFORE_FIRST.hash
    for number, content in enumerate(contents, start=1):
        digest = hash_entry(digest, content)
        entries.append(AuditEntry(UUID(int=number), number, digest, content))
    return entries


@given(st.lists(st.text(), min_size=1, max_size=8), st.data())
def test_any_change_names_the_first_broken_entry(contents: list[str], data: st.DataObject) -> None:
    entries = chained(contents)
    assert verify_entries(BEFORE_FIRST, entries)[1:] == (len(entries), None)

    at = data.draw(st.integers(0, len(entries) - 1))
    old = entries[at]
    changed = [*entries[:at], AuditEntry(old.id, old.sequence, old.hash, old.content + "x"), *entries[at + 1 :]]
    _, count, broken = verify_entries(BEFORE_FIRST, changed)
    assert broken is not None
    assert (count, broken.sequence, broken.id) == (at, at + 1, old.id)

    rehashed = [*entries[:at], chained([*contents[:at], "other"])[-1], *entries[at + 1 :]]
    _, _, broken = verify_entries(BEFORE_FIRST, rehashed)
    assert (broken.sequence if broken else None) == (
        at + 2 if at + 1 < len(entries) and contents[at] != "other" else None
    )

    if at + 1 < len(entries):
        _, _, broken = verify_entries(BEFORE_FIRST, [*entries[:at], *entries[at + 1 :]])
        assert broken is not None
        assert (broken.sequence, broken.id) == (at + 1, None)


def write(app: AppUnderTest, team: SomeTeam, name: str, details: dict[str, Any] | None = None) -> None:
    with app.database.writing(TeamScope(team.id)) as session:
        record_audit_event(session, None, "team.renamed", "team", uuid4(), details or {"name": name})


def read(program: TestClient, team: SomeTeam, after: int = 0, **params: int) -> list[dict[str, Any]]:
    answer = program.get(f"/api/v1/teams/{team.id}/audit-entries", params={"after": after, **params})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def verify(client: TestClient, team: SomeTeam, **params: int | str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/teams/{team.id}/audit-verification", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.database
def test_concurrent_writers_make_one_chain_per_team(
    app: AppUnderTest, client: TestClient, team: SomeTeam, people: AccountsFactory
) -> None:
    other = people.team()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: write(app, (team, other)[number % 2], f"{number}"), range(60)))
    for each in (team, other):
        found = verify_audit_chain(app.database, each.id, after=None, limit=1000)
        assert (found.broken, found.is_complete) == (None, True)
        assert found.position.sequence == found.verified_count >= 30


@pytest.mark.database
def test_a_writer_of_another_team_does_not_wait(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, emptied: TestDatabase
) -> None:
    write(app, team, "first")
    with psycopg.connect(emptied.admin_url) as holder:
        holder.execute("SELECT FROM audit_chain WHERE team_id = %s FOR UPDATE", (team.id,))
        other = people.team()
        write(app, other, "does not wait")
    assert verify_audit_chain(app.database, other.id, after=None, limit=100).broken is None


@pytest.mark.database
def test_a_siem_reads_every_entry_by_its_cursor_and_verifies_it(
    app: AppUnderTest, client: TestClient, team: SomeTeam, people: AccountsFactory
) -> None:
    for number in range(5):
        write(app, team, f"n{number}", {"name": "=cmd()\u202e é\n", "float": 1e300, "nested": [{"b": 1, "a": None}]})
    program = app.asked(token=people.token(team, TokenScope.AUDIT).secret)
    entries: list[dict[str, Any]] = []
    while page := read(program, team, entries[-1]["sequence"] if entries else 0, limit=2):
        entries += page
    assert [entry["sequence"] for entry in entries] == list(range(1, len(entries) + 1))
    digest = bytes(32)
    for entry in entries:
        digest = sha256(digest + entry["content"].encode()).digest()
        assert entry["hash"] == digest.hex()
        covered = json.loads(entry["content"])
        assert (covered["action"], covered["details"], covered["team_id"]) == (
            entry["action"],
            entry["details"],
            str(team.id),
        )
        assert datetime.fromisoformat(covered["occurred_at"]) == datetime.fromisoformat(entry["occurred_at"])

    found = verify(program, team)
    assert (found["is_intact"], found["sequence"], found["hash"]) == (True, len(entries), digest.hex())
    known = entries[2]
    assert verify(program, team, after=3, after_hash=known["hash"])["verified_count"] == len(entries) - 3
    assert not verify(program, team, after=3, after_hash=64 * "0")["is_intact"]
    half = program.get(f"/api/v1/teams/{team.id}/audit-verification", params={"after": 3})
    assert (half.status_code, "after_hash" in half.json()["resolution"]) == (422, True)
    ahead = program.get(f"/api/v1/teams/{team.id}/audit-entries", params={"after": len(entries) + 1})
    assert (ahead.status_code, f"after={len(entries)}" in ahead.json()["resolution"]) == (404, True)
    assert program.get("/api/v1/services").status_code == 403
    assert (
        app.asked(token=people.token(team, TokenScope.WRITE).secret)
        .get(f"/api/v1/teams/{team.id}/audit-entries")
        .status_code
        == 403
    )


@pytest.mark.database
@pytest.mark.parametrize(
    ("statement", "broken", "has_id"),
    [
        ("UPDATE audit_event SET details = '{}' WHERE sequence = 3", 3, True),
        ("UPDATE audit_event SET actor_name = 'nobody' WHERE sequence = 1", 1, True),
        ("UPDATE audit_event SET created_at = created_at + interval '1 microsecond' WHERE sequence = 4", 4, True),
        ("DELETE FROM audit_event WHERE sequence = 2", 2, False),
        ("DELETE FROM audit_event WHERE sequence = (SELECT max(sequence) FROM audit_event)", None, False),
        ("UPDATE audit_chain SET last_hash = sha256('x')", None, False),
        (
            "UPDATE audit_event SET sequence = NULL WHERE sequence = (SELECT max(sequence) FROM audit_event)",
            None,
            False,
        ),
        ("ALTER TABLE audit_event DISABLE TRIGGER chain", None, True),
    ],
)
def test_verification_names_the_first_broken_entry(
    app: AppUnderTest,
    client: TestClient,
    team: SomeTeam,
    emptied: TestDatabase,
    statement: str,
    broken: int | None,
    has_id: bool,
) -> None:
    for number in range(5):
        write(app, team, f"n{number}")
    assert verify(client, team)["is_intact"]
    with psycopg.connect(emptied.admin_url, autocommit=True) as admin:
        admin.execute(statement)
        try:
            if "DISABLE" in statement:
                write(app, team, "unseen")
            found = verify(client, team)
        finally:
            admin.execute("ALTER TABLE audit_event ENABLE TRIGGER chain")
    assert not found["is_intact"]
    assert (found["broken_id"] is not None) == has_id
    assert broken is None or found["broken_sequence"] == broken


@pytest.mark.database
def test_retention_leaves_a_start_that_can_be_verified(
    app: AppUnderTest, people: AccountsFactory, emptied: TestDatabase
) -> None:
    with psycopg.connect(emptied.admin_url, autocommit=True) as admin:
        admin.execute("ALTER TABLE audit_event ALTER created_at SET DEFAULT clock_timestamp() - interval '400 days'")
        try:
            team = people.team()
            for number in range(3):
                write(app, team, f"old {number}")
            client = app.asked(cookie=team.owner.cookie)
            old = read(client, team)
            write(app, team, "the last old one")
        finally:
            admin.execute("ALTER TABLE audit_event ALTER created_at SET DEFAULT clock_timestamp()")
        admin.execute(
            "UPDATE audit_event SET created_at = clock_timestamp() WHERE sequence = %s", (old[-1]["sequence"] + 1,)
        )
        now = admin.execute("SELECT clock_timestamp()").fetchone()
    assert now is not None
    write(app, team, "new")
    changed = verify(client, team)
    assert (changed["broken_sequence"], changed["verified_count"]) == (len(old) + 1, len(old))

    with app.database.cross_team() as connection:
        assert audit_log_retention.delete_old_audit_events(connection, team.id, now[0]) == len(old) > 2
        assert audit_log_retention.delete_old_audit_events(connection, team.id, now[0]) == 0
    assert [entry["sequence"] for entry in read(client, team)] == [len(old) + 1, len(old) + 2]
    left = verify(client, team)
    assert (left["broken_sequence"], left["verified_count"]) == (len(old) + 1, 0), "still the changed one"

    with psycopg.connect(emptied.admin_url, autocommit=True) as admin:
        admin.execute(
            "UPDATE audit_event SET created_at = created_at - interval '400 days' WHERE sequence = %s", (len(old) + 1,)
        )
    with app.database.cross_team() as connection:
        assert audit_log_retention.delete_old_audit_events(connection, team.id, now[0]) == 1
    left = verify(client, team)
    assert (left["is_intact"], left["verified_count"], left["sequence"]) == (True, 1, len(old) + 2)
    known = old[0]
    assert verify(client, team, after=known["sequence"], after_hash=known["hash"])["is_intact"]


@pytest.mark.database
def test_the_application_cannot_write_the_chain(app: AppUnderTest, team: SomeTeam, emptied: TestDatabase) -> None:
    write(app, team, "first")
    for statement in (
        "UPDATE audit_chain SET last_sequence = 0",
        "DELETE FROM audit_chain",
        "UPDATE audit_event SET hash = NULL",
        "SELECT cross_team.chain_audit_event()",
    ):
        with psycopg.connect(emptied.app_url) as connection, pytest.raises(psycopg.Error):
            connection.execute(statement)


@pytest.mark.database
def test_service_accounts_cannot_read_the_audit_log(client: TestClient, team: SomeTeam) -> None:
    base = f"/api/v1/teams/{team.id}"
    account = client.post(f"{base}/service-accounts", json={"name": "ci", "role": "member"}).json()
    answer = client.post(f"{base}/tokens", json={"name": "x", "scopes": ["audit"], "service_account_id": account["id"]})
    assert (answer.status_code, answer.json()["resolution"]) == (422, "Create a token of the team instead.")


@pytest.mark.database
@pytest.mark.asked_by("viewer", "member")
def test_only_admins_read_entries(client: TestClient, team: SomeTeam, role: Role) -> None:
    assert client.get(f"/api/v1/teams/{team.id}/audit-entries").status_code == 403
