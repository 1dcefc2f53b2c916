"""A new database equals a migrated one and the tables of the code; versions go up and down without a loss."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from psycopg.types.json import Jsonb
from sqlalchemy import create_engine, pool, text

from slowpath.metadata import METADATA
from tests.support.databases import ROOT, TestDatabase, alembic_config, made_database
from tests.support.schema_description import describe_schema

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


FIRST = "20261122_0500"
"""The first version: the schema in data/former_schema.sql."""
DATA = Path(__file__).with_name("data")
LOST = {"team_export"}
"""Former tables that a version drops with their rows."""
ADDED = {
    "profile_set", "profile_set_artifact", "profile_view", "profile_export", "production_event",
    "production_event_change_point", "production_event_history", "inbox_triage", "inbox_view", "service_subscription",
    "team_event", "mail_schedule", "subscriber_mail", "slack_interaction", "linked_issue",
    "bisect_preflight", "automatic_bisect", "budget", "budget_evaluation", "production_event_budget", "example_data", "executable",
    "pull_request_rules", "embedded_panel", "assembly", "compile_report", "metric_roll_up", "second_factor", "ci_trust",
    "pull_request",
    "stored_blob", "inbox_read_mark", "hidden_activity", "provisioned_member",
}  # fmt: skip
"""Tables that a version adds without rows."""
FILLED = {"audit_chain"}
"""Tables that a version adds with a row for each team that has audit events."""
NOT_RESTORED = re.compile(r"door\.(due_jobs|jobs_to_send|find_token)\(|fk_artifact_team_id_build_id")
"""What a downgrade leaves: functions that no version calls, and a foreign key that is valid."""

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
    assert [line for line in schema(former_database) ^ before if not NOT_RESTORED.search(line)] == []


@pytest.mark.processes
@pytest.mark.database
def test_a_database_of_the_former_release_loses_no_row(former_database: TestDatabase) -> None:
    with former_database.as_admin() as connection:
        connection.execute((DATA / "former_rows.sql").read_bytes())
    before = content(former_database)
    assert {len(rows) for rows in before.values()} == {1}

    former_database.migrate()
    after = content(former_database)
    assert len(after) == len(before) - len(LOST) + len(ADDED) + len(FILLED)
    assert {name: len(rows) for name, rows in after.items() if len(rows) != 1} == dict.fromkeys(ADDED, 0)

    former_database.migrate_down(FIRST)
    restored = content(former_database)
    assert {name: rows for name, rows in restored.items() if rows != before[name]} == {name: [] for name in LOST}


@pytest.mark.database
@pytest.mark.parametrize("version", ["20261121_0900", "20991231_0000"])
def test_a_database_of_an_unknown_version_is_refused(former_database: TestDatabase, version: str) -> None:
    with former_database.as_admin() as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", (version,))
    with pytest.raises(
        SystemExit, match=rf"schema version {version}, .* migrate it first with the release of .*, to {FIRST}"
    ):
        former_database.migrate()
    assert "deploy" in tables(former_database)


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
    former_database.migrate("20261123_0910")
    with psycopg.connect(former_database.admin_url) as reader:
        reader.execute("SELECT * FROM team_export")  # holds a lock until its transaction ends
        with pytest.raises(Exception, match="lock timeout"):
            former_database.migrate()
    assert "team_export" in tables(former_database)


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


@pytest.mark.database
def test_rows_keep_their_content_under_the_standard_names(former_database: TestDatabase) -> None:
    job = uuid4()
    with former_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'shop', 'Shop')", (TEAM,))
        connection.execute(
            "INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,"
            " fence, progress, step) VALUES (%s, %s, 'uploads.decode', 'decode', '{}', 'artifact', %s, 'waiting', 0, 5, 7, 0, '')",
            (TEAM, job, job),
        )

    former_database.migrate("20261123_0900")
    with former_database.as_admin() as connection:
        stored = connection.execute("SELECT name, fencing_token FROM job").fetchall()
        claimed = connection.execute(
            "SELECT name, fencing_token FROM cross_team.claim_next_job(%s, 'w', 2, interval '1 minute')", (job,)
        ).fetchall()
    assert (stored, claimed) == ([("artifacts.decode", 7)], [("artifacts.decode", 8)])

    former_database.migrate_down("20261122_0500")
    with former_database.as_admin() as connection:
        assert connection.execute("SELECT name, fence FROM job").fetchall() == [("uploads.decode", 8)]
        assert connection.execute("SELECT * FROM door.job_load()").fetchall() != []


@pytest.mark.database
def test_team_exports_are_dropped_with_their_jobs(former_database: TestDatabase) -> None:
    former_database.migrate("20261123_0900")
    job, other, export = uuid4(), uuid4(), uuid4()
    with former_database.as_admin() as connection:
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

    former_database.migrate("20261123_1000")
    with former_database.as_admin() as connection:
        assert connection.execute("SELECT name FROM job").fetchall() == [("retention.enforce",)]

    former_database.migrate_down("20261123_0900")
    with former_database.as_admin() as connection:
        assert connection.execute("SELECT count(*) FROM team_export").fetchone() == (0,)


@pytest.mark.database
def test_values_and_keys_get_the_standard_names_and_come_back(former_database: TestDatabase) -> None:
    former_database.migrate("20261123_0900")
    prose = [{"id": "1", "kind": "prose", "markdown": "view"}, {"id": "2", "kind": "view", "frozen_at": "2026"}]
    with former_database.as_admin() as connection:
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

    former_database.migrate("20261123_0910")
    assert _renamed_values(former_database) == (
        ("system", "deployment.created", "deployment"),
        (["build.evaluated", "comment.mention"], "disabled-after-failures"),
        [{"id": "1", "kind": "text", "markdown": "view"}, {"id": "2", "kind": "snapshot", "captured_at": "2026"}],
    )

    former_database.migrate_down("20261123_0900")
    assert _renamed_values(former_database) == (
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


FORMER_VALUES = (
    ["annulled", "measured", "text a00000", "unknown"],
    {"hosts": True, "paths": True, "labels": True, "people": True},
)


@pytest.mark.database
def test_the_last_former_values_get_the_standard_names_and_come_back(former_database: TestDatabase) -> None:
    with former_database.as_admin() as connection:
        connection.execute((DATA / "former_rows.sql").read_bytes())
        connection.execute(
            "INSERT INTO bisect_event (team_id, id, bisect_id, at, kind)"
            " SELECT team_id, gen_random_uuid(), bisect_id, at, unnest(%s::text[]) FROM bisect_event",
            (["annulled", "measured", "unknown"],),
        )
    former_database.migrate("20261123_1000")
    assert _last_values(former_database) == FORMER_VALUES

    former_database.migrate("20261124_0900")
    assert _last_values(former_database) == (
        ["baselines-unavailable", "invalidated", "measured", "text a00000"],
        {"hosts": True, "paths": True, "labels": True, "users": True},
    )

    former_database.migrate_down("20261123_1000")
    assert _last_values(former_database) == FORMER_VALUES


def _last_values(database: TestDatabase) -> tuple[list[str], object]:
    with database.as_admin() as connection:
        kinds = connection.execute("SELECT kind FROM bisect_event ORDER BY kind").fetchall()
        link = connection.execute("SELECT scrub FROM share_link").fetchone()
    return [kind for (kind,) in kinds], link[0] if link else None


@pytest.mark.database
def test_stored_evaluations_get_the_present_names_and_come_back(former_database: TestDatabase) -> None:
    former = {"verdict": "cannot-tell", "said": "cannot tell", "sentence": "text", "doubts": [{"id": "few-requests"}]}
    with former_database.as_admin() as connection:
        connection.execute((DATA / "former_rows.sql").read_bytes())
        connection.execute("UPDATE deploy_check SET said = %s", (Jsonb(former),))

    former_database.migrate("20261124_1000")
    assert _statement(former_database) == {
        "verdict": "inconclusive",
        "sentence": "text",
        "caveats": [{"id": "few-requests"}],
    }

    former_database.migrate_down("20261124_0900")
    assert _statement(former_database) == {**former, "verdict": "inconclusive", "said": "inconclusive"}


def _statement(database: TestDatabase) -> object:
    with database.as_admin() as connection:
        row = connection.execute("SELECT statement FROM deployment_evaluation").fetchone()
    return row[0] if row else None


@pytest.mark.database
def test_stored_audit_events_are_chained(former_database: TestDatabase) -> None:
    other = UUID(int=2)
    former_database.migrate("20261127_2110")
    with former_database.as_admin() as connection:
        for number, team in enumerate([TEAM, other, TEAM, TEAM]):
            connection.execute(
                "INSERT INTO team (id, slug, name) VALUES (%s, %s, 'x') ON CONFLICT DO NOTHING", (team, str(team))
            )
            connection.execute(
                "INSERT INTO audit_event (team_id, id, actor_kind, actor_name, action, subject_kind, details, created_at)"
                " VALUES (%s, %s, 'machine', 'é', 'team.renamed', 'team', %s, timestamptz '2026-01-01' - %s * interval '1 s')",
                (team, uuid4(), Jsonb({"name": "日本", "n": 1e3}), number),
            )
    former_database.migrate()
    with former_database.as_admin() as connection:
        rows = connection.execute(
            "SELECT team_id, sequence, hash, audit_event_content(audit_event) FROM audit_event ORDER BY team_id, created_at"
        ).fetchall()
        ends = connection.execute(
            "SELECT team_id, last_sequence, last_hash, first_sequence FROM audit_chain"
        ).fetchall()
    assert [(team, sequence) for team, sequence, _, _ in rows] == [(TEAM, 1), (TEAM, 2), (TEAM, 3), (other, 1)]
    hashes = {TEAM: bytes(32), other: bytes(32)}
    for team, _, stored, content in rows:
        hashes[team] = sha256(hashes[team] + content.encode()).digest()
        assert stored == hashes[team]
    assert set(ends) == {(TEAM, 3, hashes[TEAM], 1), (other, 1, hashes[other], 1)}


@pytest.mark.database
def test_open_pull_requests_move_into_the_table_of_repositories(former_database: TestDatabase) -> None:
    """Two services of one repository, one of a webhook only, one without a repository; 8 was merged, 9 is in a job."""
    mono, hooked, merged = (UUID(int=number) for number in (11, 12, 13))
    shop, cart, tools, bare = services = [UUID(int=number) for number in (21, 22, 23, 24)]
    former_database.migrate("20261128_0400")
    columns = "team_id, id, service_id, number, branch, base_branch, head_sha, base_sha, changed_at"
    with former_database.as_admin() as connection:
        connection.execute("INSERT INTO team (id, slug, name) VALUES (%s, 'a', 'a')", (TEAM,))
        for row_id in (mono, hooked):
            connection.execute(
                "INSERT INTO repository (team_id, id, label, kind, credentials, branch_heads, tags)"
                " VALUES (%s, %s, 'a', 'pushed', 'none', '{}', '{}')", (TEAM, row_id),
            )  # fmt: skip
        for row_id in services:
            connection.execute(
                "INSERT INTO service (team_id, id, slug, name, description) VALUES (%s, %s, %s, 'a', '')",
                (TEAM, row_id, str(row_id)),
            )
        for row_id in (shop, cart):
            connection.execute(
                "INSERT INTO service_repository (team_id, id, service_id, repository_id, directory, main_package)"
                " VALUES (%s, %s, %s, %s, '', '')", (TEAM, uuid4(), row_id, mono),
            )  # fmt: skip
        connection.execute(
            "INSERT INTO webhook (team_id, id, label, kind, encrypted_secret, repository_id, service_ids)"
            " VALUES (%s, %s, 'a', 'github', '', %s, %s)", (TEAM, uuid4(), hooked, Jsonb([str(tools)])),
        )  # fmt: skip
        connection.execute(
            "INSERT INTO pull_request (team_id, id, repository_id, number, head_sha, merge_sha, reviewers)"
            " VALUES (%s, %s, %s, 8, 'h8', 'm8', %s)", (TEAM, merged, mono, Jsonb([{"login": "lea"}])),
        )  # fmt: skip
        rows = [(shop, 7, "old", 1), (cart, 7, "new", 2), (shop, 8, "x", 1), (tools, 7, "t7", 1), (bare, 7, "b7", 1)]
        for service_id, number, head, day in rows:
            connection.execute(
                f"INSERT INTO open_pull_request ({columns}) VALUES"
                " (%s, %s, %s, %s, 'fast', 'main', %s, 'base', timestamptz '2026-11-20' + %s * interval '1 day')",
                (TEAM, uuid4(), service_id, number, head, day),
            )
        former = {"number": 9, "url": None, "head_sha": "h9", "base_sha": None, "branch": "b", "base_branch": "main"}
        for service_id in (shop, bare):
            connection.execute(
                "INSERT INTO job (team_id, id, name, queue, payload, subject_kind, subject_id, state, attempts, max_attempts,"
                " fencing_token, progress, step) VALUES (%s, %s, 'webhooks.pull-request-changed', 'bisect', %s, 'team', %s, 'waiting', 0, 5,"
                " 0, 0, '')",
                (TEAM, uuid4(), Jsonb({"service_id": str(service_id), "is_open": True, **former}), service_id),
            )
    former_database.migrate("20261128_0500")
    statement = (
        "SELECT repository_id, number, head_sha, base_sha, branch, is_open, reviewers FROM pull_request ORDER BY 1, 2"
    )
    with former_database.as_admin() as connection:
        assert connection.execute(statement).fetchall() == [
            (mono, 7, "new", "base", "fast", True, []),
            (mono, 8, "h8", None, "fast", False, [{"login": "lea"}]),
            (mono, 9, "h9", None, "b", True, []),
            (hooked, 7, "t7", "base", "fast", True, []),
        ]
        assert connection.execute("SELECT payload FROM job").fetchall() == [
            ({"service_id": str(shop), "repository_id": str(mono), "number": 9},)
        ]
    former_database.migrate_down("20261128_0400")
    with former_database.as_admin() as connection:
        back = connection.execute("SELECT service_id, number, head_sha FROM open_pull_request ORDER BY 1, 2").fetchall()
        assert back == [(shop, 7, "new"), (shop, 9, "h9"), (cart, 7, "new"), (cart, 9, "h9")]
        [(payload,)] = connection.execute("SELECT payload FROM job").fetchall()
        assert payload == {"service_id": str(shop), "is_open": True, **former}
