"""Retention rules over HTTP, what they delete and what they must not, orphaned blobs, storage limits."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, func, select

from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.core import stored_blobs
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import Unavailable
from slowpath.core.ids import BlobKey
from slowpath.core.jobs import JobRow
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.operations.retention.service import audit_log_retention, orphaned_blobs, retention_rules
from slowpath.operations.retention.tables import StorageSnapshot
from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.files import FilesFactory
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

RETENTION = "/api/v1/retention"
PREVIEW = "/api/v1/retention/preview"


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


@pytest.fixture
def admin(emptied: TestDatabase) -> Iterator[psycopg.Connection]:
    with emptied.as_admin() as connection:
        yield connection


@pytest.fixture
def now(app: AppUnderTest, admin: psycopg.Connection) -> datetime:
    """Return the time of the database, which stamps the rows, and set the clock of the app to it."""
    row = admin.execute("SELECT clock_timestamp()").fetchone()
    assert row is not None
    app.clock.at = row[0]
    return app.clock.at


def set_age(admin: psycopg.Connection, artifact_id: UUID, days: float) -> None:
    admin.execute(
        "UPDATE artifact SET created_at = clock_timestamp() - make_interval(secs => %s) WHERE id = %s",
        (days * 86_400, artifact_id),
    )


def set_rule(client: TestClient, kind: str, days: int | None) -> dict[str, Any]:
    answer = client.put(RETENTION, json={"rules": [{"kind": kind, "retention_days": days}]})
    assert answer.status_code == 200, answer.text
    return {rule["kind"]: rule for rule in answer.json()["rules"]}


def expire(app: AppUnderTest, team: SomeTeam, now: datetime) -> int:
    with app.database.writing(TeamScope(team.id)) as session:
        return retention_rules.delete_expired(session, now)


def stored_ids(app: AppUnderTest, team: SomeTeam) -> set[UUID]:
    with app.database.reading(TeamScope(team.id)) as session:
        return set(session.scalars(select(Artifact.id)))


def enforcements(app: AppUnderTest, team: SomeTeam) -> int:
    with app.database.reading(TeamScope(team.id)) as session:
        waiting = select(func.count()).select_from(JobRow).where(JobRow.name.like("retention.%"))
        return session.scalars(waiting).one()


# -- rules -----------------------------------------------------------------------------------------


def test_a_changed_rule_is_stored_audited_and_enforced_once(
    client: TestClient, app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection
) -> None:
    before = enforcements(app, team)
    assert set_rule(client, "trace", 90)["trace"]["retention_days"] == 90
    assert set_rule(client, "trace", 30)["trace"]["retention_days"] == 30
    assert set_rule(client, "trace", 30)["trace"]["retention_days"] == 30, "saving the same value changes nothing"

    audited = admin.execute("SELECT details FROM audit_event WHERE action = 'retention.updated' ORDER BY id").fetchall()
    assert sorted((row["trace"]["from"] or 0, row["trace"]["to"]) for (row,) in audited) == [(0, 90), (90, 30)]
    assert enforcements(app, team) - before == 1, "the job that waits deletes by both"


def test_a_rule_can_be_withdrawn(client: TestClient) -> None:
    set_rule(client, "spans", 7)
    assert set_rule(client, "spans", None)["spans"]["retention_days"] is None


@pytest.mark.parametrize(
    ("kind", "days", "limit"),
    [("audit", 364, 365), ("profile.cpu", 3651, 3650), ("metrics", 1001, 1000)],
)
def test_a_rule_beyond_a_limit_is_rejected_with_the_limit(client: TestClient, kind: str, days: int, limit: int) -> None:
    answer = client.put(RETENTION, json={"rules": [{"kind": kind, "retention_days": days}]})
    assert 400 <= answer.status_code < 500
    assert str(limit) in answer.text
    assert client.get(PREVIEW, params={"rule": [f"{kind}:{days}"]}).status_code == answer.status_code
    assert set_rule(client, kind, limit)[kind]["retention_days"] == limit, "the limit itself is allowed"


@pytest.mark.parametrize(
    "rule", [{"kind": "profile.unheard", "retention_days": 3}, {"kind": "metrics", "retention_days": None}]
)
def test_an_unknown_kind_and_endless_samples_are_refused(client: TestClient, rule: dict[str, Any]) -> None:
    answer = client.put(RETENTION, json={"rules": [rule]})
    assert 400 <= answer.status_code < 500
    assert answer.json()["resolution"]


def test_one_refused_rule_changes_no_other(client: TestClient) -> None:
    rules = [{"kind": "trace", "retention_days": 5}, {"kind": "audit", "retention_days": 1}]
    assert client.put(RETENTION, json={"rules": rules}).status_code >= 400
    found = {rule["kind"]: rule["retention_days"] for rule in client.get(RETENTION).json()["rules"]}
    assert found["trace"] is None


@pytest.mark.asked_by("viewer", "member")
def test_only_administrators_change_rules(client: TestClient, role: Role) -> None:
    assert client.put(RETENTION, json={"rules": [{"kind": "trace", "retention_days": 5}]}).status_code == 403
    assert client.get(RETENTION).status_code == 200


# -- deletion --------------------------------------------------------------------------------------


def test_a_file_expires_when_it_is_older_than_the_rule_of_its_kind(
    client: TestClient,
    app: AppUnderTest,
    team: SomeTeam,
    files: FilesFactory,
    admin: psycopg.Connection,
    now: datetime,
) -> None:
    old, young = files.decoded(content=b"old"), files.decoded(content=b"young")
    unread = files.refused(content=b"unread")
    set_age(admin, old, 30.01)
    set_age(admin, young, 29.99)
    set_age(admin, unread, 1000)

    assert expire(app, team, now) == 0, "without a rule nothing expires"
    set_rule(client, "profile.cpu", 30)
    assert expire(app, team, now) == 1
    assert stored_ids(app, team) == {young, unread}

    set_rule(client, "unread", 999)
    assert expire(app, team, now) == 1
    assert stored_ids(app, team) == {young}
    assert expire(app, team, now) == 0


def test_a_file_that_still_waits_for_its_decoding_does_not_expire(
    client: TestClient,
    app: AppUnderTest,
    team: SomeTeam,
    files: FilesFactory,
    admin: psycopg.Connection,
    now: datetime,
) -> None:
    waiting = files.received(content=b"waiting")
    set_age(admin, waiting, 100)
    set_rule(client, "unread", 1)

    preview = client.get(PREVIEW).json()
    assert (preview["files"], preview["retained_artifacts"]) == (0, 1)
    assert expire(app, team, now) == 0
    assert stored_ids(app, team) == {waiting}


def test_a_side_of_a_comparison_that_is_not_computed_yet_does_not_expire(
    client: TestClient,
    app: AppUnderTest,
    team: SomeTeam,
    files: FilesFactory,
    admin: psycopg.Connection,
    now: datetime,
) -> None:
    base, candidate, other = (files.decoded(content=name) for name in (b"base", b"candidate", b"other"))
    for each in (base, candidate, other):
        set_age(admin, each, 100)
    sides = {"base": {"artifact_ids": [str(base)]}, "candidate": {"artifact_ids": [str(candidate)]}}
    created = client.post("/api/v1/comparisons", json=sides)
    assert created.status_code in {200, 201, 202}, created.text
    set_rule(client, "profile.cpu", 1)

    preview = client.get(PREVIEW).json()
    assert (preview["files"], preview["retained_artifacts"]) == (1, 2)
    assert expire(app, team, now) == 1
    assert stored_ids(app, team) == {base, candidate}

    admin.execute("UPDATE comparison SET state = 'failed' WHERE id = %s", (created.json()["id"],))
    assert expire(app, team, now) == 2


def test_rules_of_one_team_delete_nothing_of_another(
    client: TestClient, app: AppUnderTest, people: AccountsFactory, files: FilesFactory,
    admin: psycopg.Connection, now: datetime,
) -> None:  # fmt: skip
    mine = files.decoded()
    other = people.team("Others")
    theirs = FilesFactory(app, other).decoded()
    for each in (mine, theirs):
        set_age(admin, each, 100)
    set_rule(client, "profile.cpu", 1)

    assert expire(app, other, now) == 0
    assert stored_ids(app, other) == {theirs}


def test_the_audit_log_is_retained_for_a_year_whatever_is_asked(
    client: TestClient, app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection, now: datetime
) -> None:
    with app.database.reading(TeamScope(team.id)) as session:
        assert audit_log_retention.audit_log_cutoff(session, now) is None
    set_rule(client, "audit", 365)
    admin.execute("UPDATE retention_rule SET days = 1 WHERE kind = 'audit'")
    with app.database.reading(TeamScope(team.id)) as session:
        assert audit_log_retention.audit_log_cutoff(session, now) == now - timedelta(days=365)


# -- orphaned blobs --------------------------------------------------------------------------------


def record(app: AppUnderTest, team: SomeTeam, *paths: str) -> list[BlobKey]:
    """Store blobs as a process does, and return their keys."""
    keys = [BlobKey(f"{team.id}/{path}") for path in paths]
    for key in keys:
        AccountingBlobStore(app.blobs, app.database).put(key, b"0123456789")
    return keys


def delete(app: AppUnderTest, team: SomeTeam, keys: list[BlobKey]) -> int:
    with app.database.writing(TeamScope(team.id)) as session:
        return orphaned_blobs.delete_blobs(session, app.blobs, keys)


def make_due(admin: psycopg.Connection) -> None:
    """Let the time of the checks come."""
    admin.execute("UPDATE stored_blob SET check_at = clock_timestamp(), recorded_at = recorded_at - interval '6 hours'")


def test_what_nothing_needs_is_deleted_when_its_check_is_due(
    app: AppUnderTest, team: SomeTeam, files: FilesFactory, admin: psycopg.Connection
) -> None:
    stored = files.decoded(content=b"stored")
    with app.database.reading(TeamScope(team.id)) as session:
        digest = session.scalars(select(Artifact.sha256).where(Artifact.id == stored)).one()
    gone, report = "cd" * 32, uuid4()
    needed = record(app, team, f"originals/ab/{digest}", f"profiles/v1/ab/{digest}", f"unknown/{gone}")
    orphaned = record(app, team, f"originals/cd/{gone}", f"traces/v1/cd/{gone}/page", f"reports/{report}/x.gz")
    assert delete(app, team, needed + orphaned) == 0, "what stored them may not be committed yet"
    make_due(admin)
    assert delete(app, team, needed + orphaned) == 3
    assert [key for key in needed + orphaned if key in app.blobs.stored] == needed
    left = admin.execute("SELECT key, check_at FROM stored_blob WHERE key = ANY(%s)", (needed + orphaned,)).fetchall()
    assert sorted(left) == sorted((key, None) for key in needed)


def test_deleted_rows_make_their_blobs_due_at_once_and_shared_bytes_stay(
    app: AppUnderTest, team: SomeTeam, files: FilesFactory, admin: psycopg.Connection
) -> None:
    stored = files.decoded(content=b"shared")
    with app.database.reading(TeamScope(team.id)) as session:
        digest = session.scalars(select(Artifact.sha256).where(Artifact.id == stored)).one()
    comparison = uuid4()
    keys = record(app, team, f"originals/ab/{digest}", f"comparisons/{comparison}/a", f"comparisons/{comparison}0/b")
    with app.database.writing(TeamScope(team.id)) as session:
        mark_unused(session, [keys[0], f"{team.id}/comparisons/{comparison}"])
    assert admin.execute("SELECT count(*) FROM job WHERE name = 'blobs.delete-orphaned'").fetchone() == (1,)
    assert delete(app, team, keys) == 1
    assert [key for key in keys if key in app.blobs.stored] == [keys[0], keys[2]]


def test_bytes_that_arrive_after_their_deletion_are_deleted_too(
    app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection
) -> None:
    [key] = record(app, team, f"comparisons/{uuid4()}/all")
    with app.database.writing(TeamScope(team.id)) as session:
        mark_unused(session, [key])
    assert delete(app, team, [key]) == 1
    app.blobs.put(key, b"of a process that recorded the blob before the deletion")
    make_due(admin)
    assert delete(app, team, [key]) == 1
    assert (app.blobs.stored.get(key), admin.execute("SELECT count(*) FROM stored_blob").fetchone()) == (None, (0,))


def test_a_blob_that_is_stored_again_is_not_deleted(
    app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection
) -> None:
    [key] = record(app, team, f"reports/{uuid4()}/x.gz")
    with app.database.writing(TeamScope(team.id)) as session:
        mark_unused(session, [key])
    record(app, team, key.partition("/")[2])
    assert delete(app, team, [key]) == 0
    assert key in app.blobs.stored


def test_an_upload_of_the_same_bytes_and_their_deletion_exclude_each_other(
    app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection
) -> None:
    digest = "ef" * 32
    [key] = record(app, team, f"originals/ef/{digest}")
    make_due(admin)
    with app.database.writing(TeamScope(team.id)) as upload:
        queries.lock_bytes(upload, digest)  # it found the bytes, and is about to commit its row
        assert delete(app, team, [key]) == 0
    assert delete(app, team, [key]) == 1


def test_storing_waits_while_the_blob_is_deleted(app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection) -> None:
    """Otherwise the bytes could arrive between the deletion of the former ones and the commit."""
    [key] = record(app, team, f"comparisons/{uuid4()}/all")
    make_due(admin)
    storing = Thread(target=record, args=(app, team, key.partition("/")[2]))
    with app.database.writing(TeamScope(team.id)) as session:
        assert orphaned_blobs.delete_blobs(session, app.blobs, [key]) == 1
        storing.start()
        storing.join(0.5)
        assert storing.is_alive()
        assert key not in app.blobs.stored
    storing.join(10)
    assert key in app.blobs.stored
    assert admin.execute("SELECT is_unused FROM stored_blob").fetchall() == [(False,)]


def test_a_deletion_that_fails_or_dies_is_repeated(
    app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = record(app, team, *(f"comparisons/{uuid4()}/all" for _ in range(3)))
    make_due(admin)

    def delete_one_and_fail(some: Iterable[BlobKey]) -> None:
        del app.blobs.stored[next(iter(some))]
        raise Unavailable("The blob store is not available.")

    with monkeypatch.context() as patch:
        patch.setattr(app.blobs, "delete", delete_one_and_fail)
        with pytest.raises(Unavailable):
            delete(app, team, keys)
    assert admin.execute("SELECT count(*) FROM stored_blob").fetchone() == (3,)
    assert delete(app, team, keys) == 3
    assert not [key for key in keys if key in app.blobs.stored]


KILLED = """
import os, signal, sys
from pathlib import Path
import slowpath.metadata
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.core.db_sessions import Database
from slowpath.evidence.artifacts.service.storage_accounting import AccountingBlobStore
from sqlalchemy import create_engine

url, folder, key, moment = sys.argv[1:]
blobs = AccountingBlobStore(ObstoreBlobs(folder), Database(create_engine(url)))
def chunks():
    yield b"x"
    os.kill(os.getpid(), signal.SIGKILL)
blobs.put(key, chunks() if moment == "before" else b"x")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.processes
@pytest.mark.parametrize("moment", ["before", "after"])
def test_what_a_killed_process_stored_is_found_without_listing(
    app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection, tmp_path: Path, moment: str
) -> None:
    blobs, key = ObstoreBlobs(tmp_path.as_uri()), BlobKey(f"{team.id}/comparisons/{uuid4()}/all")
    url = app.settings.sqlalchemy_url
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, tmp_path.as_uri(), key, moment],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert killed.returncode == -signal.SIGKILL
    assert blobs.exists(key) == (moment == "after")
    make_due(admin)
    with app.database.writing(TeamScope(team.id)) as session:
        assert orphaned_blobs.delete_blobs(session, blobs, stored_blobs.select_due_blobs(session, 10, BlobKey(""))) == 1
    assert not blobs.exists(key)
    assert admin.execute("SELECT count(*) FROM stored_blob").fetchone() == (0,)


def test_blobs_whose_owner_was_deleted_without_a_mark_become_due(
    app: AppUnderTest, team: SomeTeam, files: FilesFactory, admin: psycopg.Connection
) -> None:
    stored = files.decoded(content=b"stored")
    with app.database.reading(TeamScope(team.id)) as session:
        digest = session.scalars(select(Artifact.sha256).where(Artifact.id == stored)).one()
    needed = record(app, team, f"originals/ab/{digest}", "unknown/x")
    orphaned = record(
        app, team, f"trace-cuts/{uuid4()}", f"profiles/v1/cd/{'cd' * 32}", f"team-exports/{uuid4()}", "exports/no-id"
    )
    admin.execute("UPDATE stored_blob SET check_at = NULL")
    with app.database.writing(TeamScope(team.id)) as session:
        orphaned_blobs.mark_orphaned_blobs(session)
    due = {key for (key,) in admin.execute("SELECT key FROM stored_blob WHERE check_at IS NOT NULL")}
    assert due == set(orphaned)
    assert needed


def test_storage_is_recorded_by_folder_and_old_snapshots_go(
    client: TestClient, app: AppUnderTest, team: SomeTeam, admin: psycopg.Connection, now: datetime
) -> None:
    record(app, team, "originals/1", f"reports/{uuid4()}/x.gz")
    for _ in range(2):
        with app.database.writing(TeamScope(team.id)) as session:
            orphaned_blobs.record_storage(session, 1, now)
        admin.execute("UPDATE storage_snapshot SET created_at = created_at - interval '91 days'")
    with app.database.writing(TeamScope(team.id)) as session:
        orphaned_blobs.record_storage(session, 1, now)
    with app.database.reading(TeamScope(team.id)) as session:
        assert session.scalars(select(func.count()).select_from(StorageSnapshot)).one() == 1

    usage = client.get("/api/v1/usage").json()
    folders = {folder["name"]: (folder["files"], folder["bytes"]) for folder in usage["folders"]}
    assert (folders["originals"], folders["reports"]) == ((1, 10), (1, 10))
    assert usage["deleted_blobs"] == 1


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limit", "state"), [(1_000, "ok"), (100, "near-limit"), (80, "reached")])
def test_the_usage_page_shows_the_share_of_the_limit(
    emptied: TestDatabase, engine: Engine, limit: int, state: str
) -> None:
    app = built(Database(engine), settings_for(emptied.app_url, max_team_bytes=limit))
    team = AccountsFactory(app).team()
    FilesFactory(app, team).received(content=b"x" * 80)
    client = app.asked(cookie=team.owner.cookie)

    limits = {each["resource"]: each for each in client.get("/api/v1/usage").json()["limits"]}
    assert (limits["bytes"]["limit"], limits["bytes"]["used"], limits["bytes"]["state"]) == (limit, 80, state)
