"""A new database equals a migrated one and the tables of the code; versions go up and down without a loss."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import create_engine, pool, text

from slowpath.metadata import METADATA
from tests.support.databases import ROOT, TestDatabase, alembic_config, made_database
from tests.support.schema_description import describe_schema

SQUAWK = Path(sys.executable).with_name("squawk")
NOT_FOR_US = (
    "prefer-robust-stmts",  # each migration is one transaction: it is there whole or not at all
    "prefer-text-field",  # that one is about varchar with a length; ours have none
    "require-concurrent-index-creation",  # tables made by the same migration have no rows to lock
    "require-timeout-settings",  # env.py sets them for every migration
    "require-table-schema",  # public is the search path of the owner
    "prefer-bigint-over-int",  # what is counted here stays far below 2^31; ids are uuids
    "transaction-nesting",  # Alembic's own BEGIN and COMMIT
)


FIRST = "20261128_1000"
"""The first version: the schema in data/former_schema.sql."""
DATA = Path(__file__).with_name("data")
ADDED = {"provisioned_member"}
"""Tables that a version adds without rows."""

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE application_name = 'slowpath migrations' AND wait_event_type = 'Lock' AND datname = current_database()
"""

Content = dict[str, list[tuple[object, ...]]]


@pytest.fixture
def empty_database() -> Iterator[TestDatabase]:
    with made_database(f"slowpath_test_migrations_{os.getpid()}") as database:
        yield database


@pytest.fixture
def former_database() -> Iterator[TestDatabase]:
    """Give a database of the first version without rows."""
    with made_database(f"slowpath_test_former_{os.getpid()}") as database:
        with psycopg.connect(database.owner_url) as connection:
            connection.execute((DATA / "former_schema.sql").read_bytes())
        yield database


def tables(database: TestDatabase) -> set[str]:
    with database.as_admin() as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname IN ('public', 'cross_team')")
        return {name for (name,) in found}


def schema(database: TestDatabase) -> set[str]:
    with database.as_admin() as connection:
        return describe_schema(connection)


def content(database: TestDatabase) -> Content:
    """Return the rows of every table, as text."""
    names = sorted(tables(database) - {"alembic_version"})
    with database.as_admin() as connection:
        return {
            name: connection.execute(
                sql.SQL("SELECT {}::text FROM {}").format(sql.Identifier(name), sql.Identifier(name))
            ).fetchall()
            for name in names
        }


@pytest.mark.database
def test_a_new_database_has_every_table(empty_database: TestDatabase) -> None:
    empty_database.migrate()
    assert tables(empty_database) == {*METADATA.tables, "alembic_version"}


@pytest.mark.database
def test_a_new_database_equals_a_migrated_one(empty_database: TestDatabase, former_database: TestDatabase) -> None:
    """Tables, functions, policies, grants, indexes, triggers and constraints."""
    empty_database.migrate()
    former_database.migrate()
    assert schema(empty_database) ^ schema(former_database) == set()


@pytest.mark.database
@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE team NO FORCE ROW LEVEL SECURITY",
        "REVOKE SELECT (hash) ON user_password FROM slowpath_keeper",
        "GRANT EXECUTE ON FUNCTION cross_team.find_user TO PUBLIC",
        "DROP INDEX ix_audit_event_newest",
        "ALTER TABLE job DISABLE TRIGGER notify",
        "ALTER TABLE regression DROP CONSTRAINT ck_regression_state",
        "DROP POLICY team ON build",
        "ALTER FUNCTION cross_team.find_team SECURITY INVOKER",
    ],
)
def test_the_comparison_of_schemas_finds_a_difference(migrated: TestDatabase, statement: LiteralString) -> None:
    with psycopg.connect(migrated.admin_url) as connection:
        before = describe_schema(connection)
        connection.execute(statement)
        changed = describe_schema(connection)
        connection.rollback()
    assert len(before ^ changed) in {1, 2}


@pytest.mark.processes
@pytest.mark.database
def test_every_version_goes_down_from_where_it_went_up(former_database: TestDatabase) -> None:
    """Step by step, so that a downgrade that only works from the newest state is found."""
    before = schema(former_database)
    versions = [step.revision for step in ScriptDirectory.from_config(alembic_config("")).walk_revisions()]
    for version in reversed(versions[:-1]):
        former_database.migrate(version)
        former_database.migrate_down("-1")
        former_database.migrate(version)
    former_database.migrate_down(FIRST)
    assert schema(former_database) ^ before == set()


@pytest.mark.processes
@pytest.mark.database
def test_a_database_of_the_former_release_loses_no_row(former_database: TestDatabase) -> None:
    with former_database.as_admin() as connection:
        connection.execute((DATA / "former_rows.sql").read_bytes())
    before = content(former_database)
    assert {len(rows) for rows in before.values()} == {1}

    former_database.migrate()
    after = content(former_database)
    assert set(after) == set(before) | ADDED
    assert {name: len(rows) for name, rows in after.items() if len(rows) != 1} == dict.fromkeys(ADDED, 0)

    former_database.migrate_down(FIRST)
    assert content(former_database) == before


@pytest.mark.database
@pytest.mark.parametrize("version", ["20261121_0900", "20261127_2110", "20991231_0000"])
def test_a_database_of_an_unknown_version_is_refused(former_database: TestDatabase, version: str) -> None:
    with former_database.as_admin() as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", (version,))
    with pytest.raises(
        SystemExit,
        match=rf"schema version {version}, .* migrate it first with the release of .* \(commit [0-9a-f]{{8}}\), to {FIRST} or later",
    ):
        former_database.migrate()
    assert "provisioned_member" not in tables(former_database)


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


@pytest.mark.processes
@pytest.mark.database
def test_a_migration_gives_up_on_a_lock_instead_of_making_all_wait(former_database: TestDatabase) -> None:
    with psycopg.connect(former_database.admin_url) as writer:
        writer.execute("LOCK TABLE team IN ROW EXCLUSIVE MODE")  # as a writer has it until its transaction ends
        config = alembic_config(former_database.owner_url)
        config.attributes["lock_patience_s"] = 0.0
        with pytest.raises(Exception, match="lock timeout"):
            command.upgrade(config, "head")
    assert "provisioned_member" not in tables(former_database)


@pytest.mark.processes
@pytest.mark.database
def test_a_migration_without_its_lock_lets_others_go_first_and_is_tried_again(former_database: TestDatabase) -> None:
    """It waits behind a transaction that uses the table, and another writer waits behind it."""
    with ThreadPoolExecutor(1) as thread, psycopg.connect(former_database.admin_url) as writer:
        writer.execute("LOCK TABLE team IN ROW EXCLUSIVE MODE")
        migrating = thread.submit(former_database.migrate)
        with former_database.as_admin() as admin:
            for _attempt in range(2):
                _wait_until_it_waits(admin)
                begun = time.monotonic()
                admin.execute("DELETE FROM team")
                assert time.monotonic() - begun < 2.0
        assert not migrating.done()
        writer.rollback()
        migrating.result()
    assert "provisioned_member" in tables(former_database)


def _wait_until_it_waits(admin: psycopg.Connection) -> None:
    deadline = time.monotonic() + 30.0
    while admin.execute(WAITING).fetchone() != (1,):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.skipif(not SQUAWK.exists(), reason="squawk-cli is not installed")
def test_squawk_finds_no_danger(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = alembic_config("postgresql://nobody@localhost/none")
    command.upgrade(config, f"{FIRST}:head", sql=True)
    script = tmp_path / "head.sql"
    script.write_text(capfd.readouterr().out, encoding="utf-8")
    excluded = [f"--exclude={rule}" for rule in NOT_FOR_US]
    done = subprocess.run(
        [str(SQUAWK), *excluded, str(script)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
