"""The migrations go up, down and up again, and lead to what the tables say."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg.types.json import Jsonb
from sqlalchemy import create_engine, pool, text

from slowpath.metadata import METADATA
from tests.support.databases import ROOT, TestDatabase, alembic_config, made_database

SQUAWK = Path(sys.executable).with_name("squawk")
TEAM = UUID(int=1)
NOT_FOR_US = (
    "prefer-robust-stmts",  # each migration is one transaction: it is there whole or not at all
    "prefer-text-field",  # that one is about varchar with a length; ours have none
    "require-concurrent-index-creation",  # tables made by the same migration have no rows to lock
    "require-timeout-settings",  # env.py sets them for every migration
    "require-table-schema",  # public is the search path of the owner
    "prefer-bigint-over-int",  # what is counted here stays far below 2^31; ids are uuids
    "renaming-table",  # the version of 2026-11-23: all processes are stopped for it
    "renaming-column",
    "renaming-object",
    "transaction-nesting",  # Alembic's own BEGIN and COMMIT
)


@pytest.fixture
def empty_database() -> Iterator[TestDatabase]:
    with made_database(f"slowpath_test_migrations_{os.getpid()}") as database:
        yield database


def tables(database: TestDatabase) -> set[str]:
    with database.as_admin() as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname IN ('public', 'cross_team')")
        return {name for (name,) in found}


@pytest.mark.database
def test_up_down_and_up_again(empty_database: TestDatabase) -> None:
    empty_database.migrate()
    first = tables(empty_database)
    assert first == {*METADATA.tables, "alembic_version"}

    empty_database.migrate_down()
    assert tables(empty_database) == {"alembic_version"}
    with empty_database.as_admin() as connection:
        left = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname = 'cross_team'").fetchall()
        functions = connection.execute(
            "SELECT proname FROM pg_proc JOIN pg_roles ON pg_roles.oid = proowner WHERE rolname LIKE 'slowpath%'"
        ).fetchall()
    assert (left, functions) == ([], [])

    empty_database.migrate()
    assert tables(empty_database) == first


@pytest.mark.database
def test_every_migration_goes_down_from_where_it_went_up(empty_database: TestDatabase) -> None:
    """Step by step, so that a downgrade that only works from the newest state is found."""
    revisions = [step.revision for step in ScriptDirectory.from_config(alembic_config("")).walk_revisions()]
    for revision in reversed(revisions):
        empty_database.migrate(revision)
        empty_database.migrate_down("-1")
        empty_database.migrate(revision)


@pytest.mark.database
def test_autogenerate_finds_nothing(migrated: TestDatabase) -> None:
    engine = create_engine(migrated.owner_url.replace("postgresql:", "postgresql+psycopg:"), poolclass=pool.NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


@pytest.mark.database
def test_autogenerate_would_find_something(migrated: TestDatabase) -> None:
    engine = create_engine(migrated.owner_url.replace("postgresql:", "postgresql+psycopg:"), poolclass=pool.NullPool)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE team ADD COLUMN colour varchar"))
        context = MigrationContext.configure(connection)
        found = compare_metadata(context, METADATA)
        connection.rollback()
    assert [change[0] for change in found] == ["remove_column"]


@pytest.mark.database
def test_tokens_that_announced_deployments_go_on_to(empty_database: TestDatabase) -> None:
    empty_database.migrate("20261122_0450")
    with empty_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'northwind', 'Northwind')", (TEAM,))
        for number, scope in enumerate(("upload", "read")):
            connection.execute(
                "INSERT INTO api_token (team_id, id, name, prefix, secret_hash, scopes) VALUES (%s, %s, %s, '', %s, %s)",
                (TEAM, uuid4(), scope, bytes([number]), [scope]),
            )

    empty_database.migrate("20261122_0500")

    with empty_database.as_admin() as connection:
        rows = connection.execute("SELECT name, scopes FROM api_token ORDER BY name").fetchall()
    assert rows == [("read", ["read"]), ("upload", ["upload", "deploy"])]


@pytest.mark.database
def test_a_migration_gives_up_on_a_lock_instead_of_making_all_wait(empty_database: TestDatabase) -> None:
    empty_database.migrate()
    with psycopg.connect(empty_database.admin_url) as reader:
        reader.execute("SELECT * FROM team")  # holds a lock until its transaction ends
        with pytest.raises(Exception, match="lock timeout"):
            empty_database.migrate_down()
    assert "team" in tables(empty_database)


@pytest.mark.skipif(not SQUAWK.exists(), reason="squawk-cli is not installed")
def test_squawk_finds_no_danger(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = alembic_config("postgresql://nobody@localhost/none")
    command.upgrade(config, "head", sql=True)
    script = tmp_path / "head.sql"
    script.write_text(capfd.readouterr().out, encoding="utf-8")
    excluded = [f"--exclude={rule}" for rule in NOT_FOR_US]
    done = subprocess.run(
        [str(SQUAWK), *excluded, str(script)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.database
def test_rows_keep_their_content_under_the_standard_names(empty_database: TestDatabase) -> None:
    empty_database.migrate("20261122_0500")
    job = uuid4()
    with empty_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'shop', 'Shop')", (TEAM,))
        connection.execute(
            "INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,"
            " fence, progress, step) VALUES (%s, %s, 'uploads.decode', 'decode', '{}', 'artifact', %s, 'waiting', 0, 5, 7, 0, '')",
            (TEAM, job, job),
        )

    empty_database.migrate("20261123_0900")
    with empty_database.as_admin() as connection:
        kept = connection.execute("SELECT name, fencing_token FROM job").fetchall()
        claimed = connection.execute(
            "SELECT name, fencing_token FROM cross_team.claim_next_job(%s, 'w', 2, interval '1 minute')", (job,)
        ).fetchall()
    assert (kept, claimed) == ([("artifacts.decode", 7)], [("artifacts.decode", 8)])

    empty_database.migrate_down("20261122_0500")
    with empty_database.as_admin() as connection:
        assert connection.execute("SELECT name, fence FROM job").fetchall() == [("uploads.decode", 8)]
        assert connection.execute("SELECT * FROM door.job_load()").fetchall() != []


@pytest.mark.database
def test_team_exports_are_dropped_with_their_jobs(empty_database: TestDatabase) -> None:
    empty_database.migrate("20261123_0900")
    job, other, export = uuid4(), uuid4(), uuid4()
    with empty_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'shop', 'Shop')", (TEAM,))
        for row, name in ((job, "retention.export-team"), (other, "retention.enforce")):
            connection.execute(
                "INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,"
                " fencing_token, progress, step) VALUES (%s, %s, %s, 'notify', '{}', 'team', %s, 'waiting', 0, 5, 0, 0, '')",
                (TEAM, row, name, row),
            )
        connection.execute(
            "INSERT INTO team_export (team_id, id, state, job_id) VALUES (%s, %s, 'waiting', %s)", (TEAM, export, job)
        )

    empty_database.migrate("20261123_1000")
    with empty_database.as_admin() as connection:
        assert connection.execute("SELECT name FROM job").fetchall() == [("retention.enforce",)]

    empty_database.migrate_down("20261123_0900")
    with empty_database.as_admin() as connection:
        assert connection.execute("SELECT count(*) FROM team_export").fetchone() == (0,)


@pytest.mark.database
def test_values_and_keys_get_the_standard_names_and_come_back(empty_database: TestDatabase) -> None:
    empty_database.migrate("20261123_0900")
    prose = [{"id": "1", "kind": "prose", "markdown": "view"}, {"id": "2", "kind": "view", "frozen_at": "2026"}]
    with empty_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'shop', 'Shop')", (TEAM,))
        connection.execute(
            "INSERT INTO audit_event (team_id, id, actor_kind, actor_name, action, subject_kind, details)"
            " VALUES (%s, %s, 'machine', 'Slowpath', 'deploy.known', 'deploy', '{}')",
            (TEAM, uuid4()),
        )
        connection.execute(
            "INSERT INTO notification_channel (team_id, id, label, kind, target, events, state)"
            " VALUES (%s, %s, 'x', 'webhook', '{}', %s, 'dead')",
            (TEAM, uuid4(), Jsonb(["build.judged", "comment.mention"])),
        )
        connection.execute(
            "INSERT INTO report (team_id, id, number, title, blocks, version, changed_at) VALUES (%s, %s, 1, 'r', %s, 0, now())",
            (TEAM, uuid4(), Jsonb(prose)),
        )

    empty_database.migrate("20261123_0910")
    assert _renamed_values(empty_database) == (
        ("system", "deployment.created", "deployment"),
        (["build.evaluated", "comment.mention"], "disabled-after-failures"),
        [{"id": "1", "kind": "text", "markdown": "view"}, {"id": "2", "kind": "snapshot", "captured_at": "2026"}],
    )

    empty_database.migrate_down("20261123_0900")
    assert _renamed_values(empty_database) == (
        ("machine", "deploy.known", "deploy"),
        (["build.judged", "comment.mention"], "dead"),
        prose,
    )


def _renamed_values(database: TestDatabase) -> tuple[object, object, object]:
    with database.as_admin() as connection:
        event = connection.execute("SELECT actor_kind, action, subject_kind FROM audit_event").fetchone()
        channel = connection.execute("SELECT events, state FROM notification_channel").fetchone()
        report = connection.execute("SELECT blocks FROM report").fetchone()
    return event, channel, report[0] if report else None
