"""Separation of teams by PostgreSQL itself. Read from its own catalog, so new tables count."""

import re
import time
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from slowpath.adapters.postgres import assert_safe_role, await_safe_role, create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import InvalidRequest
from slowpath.metadata import METADATA
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.sample_rows import snapshot, team_tables
from tests.support.two_team_world import CANARY, FullBlobStore, TwoTeamWorld, make_world

pytestmark = pytest.mark.database

OURS = "relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'alembic_version'"
OF_PEOPLE = {"app_user", "user_password", "user_session", "user_identity", "password_reset", "second_factor"}
SAME_FOR_ALL_TEAMS = {
    "uq_probe_callback_hash": "the caller knows a secret and no team",
    "uq_app_user_email_key": "signing up shows that an e-mail is taken; without mail it cannot do otherwise",
    "uq_team_slug": "ends in random letters",
    "uq_invitation_secret_hash": "of 192 random bits",
    "uq_invitation_mail_secret_hash": "of 192 random bits",
    "uq_password_reset_secret_hash": "of 192 random bits",
    "uq_api_token_secret_hash": "of 192 random bits",
    "uq_share_link_secret_hash": "of 192 random bits",
    "uq_user_session_secret_hash": "of 192 random bits",
    "uq_user_identity_issuer_subject": "chosen by the issuer; a user cannot ask for another's",
}
"""Keys without the team: each would tell another team that something exists, if it could be chosen."""


@pytest.fixture(scope="module")
def admin(migrated: TestDatabase) -> Iterator[psycopg.Connection]:
    with migrated.as_admin() as connection:
        yield connection


@pytest.fixture(scope="module")
def world(migrated: TestDatabase, engine: Engine, admin: psycopg.Connection) -> Iterator[TwoTeamWorld]:
    migrated.empty()
    yield make_world(built(Database(engine), settings_for(migrated.app_url), FullBlobStore()), admin)
    migrated.empty()


@pytest.fixture
def app(migrated: TestDatabase, world: TwoTeamWorld, admin: psycopg.Connection) -> Iterator[psycopg.Connection]:
    """Give a connection as the app has it, over everything made up."""
    world.stored.restore()
    with migrated.as_app() as connection:
        yield connection
        connection.rollback()


def names(connection: psycopg.Connection, query: str) -> set[str]:
    return {str(row[0]) for row in connection.execute(query.encode())}


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
    assert row is not None
    return int(row[0])


def be(connection: psycopg.Connection, team: object = "", user: object = "") -> None:
    connection.execute(
        "SELECT set_config('slowpath.team_id', %s, true), set_config('slowpath.user_id', %s, true)",
        (str(team), str(user)),
    )


# -- what the catalog says -------------------------------------------------------------------------


def test_every_table_forces_row_level_security(admin: psycopg.Connection) -> None:
    lacking = names(
        admin, f"SELECT relname FROM pg_class WHERE {OURS} AND NOT (relrowsecurity AND relforcerowsecurity)"
    )
    assert lacking == set()
    assert names(admin, f"SELECT relname FROM pg_class WHERE {OURS}") == METADATA.tables.keys()


def test_every_table_with_a_team_keeps_to_the_team(admin: psycopg.Connection) -> None:
    policies = admin.execute(
        "SELECT tablename, cmd, qual, with_check FROM pg_policies WHERE 'slowpath_app' = ANY (roles) AND policyname = 'team'"
    ).fetchall()
    by_name = {table: (cmd, qual, check) for table, cmd, qual, check in policies}
    for table in team_tables():
        cmd, qual, check = by_name[table.name]
        assert cmd == "ALL"
        assert qual == check == "(team_id = (NULLIF(current_setting('slowpath.team_id'::text, true), ''::text))::uuid)"


def test_no_policy_opens_a_team_s_table_to_the_app_besides(admin: psycopg.Connection) -> None:
    """Permissive policies add up: one too many and the others mean nothing."""
    others = names(
        admin,
        "SELECT tablename || '.' || policyname FROM pg_policies "
        "WHERE roles && '{public,slowpath_app,slowpath_cross_team}' AND policyname NOT IN ('team', 'person')",
    )
    assert others == {"app_user.colleague"}


def test_every_row_goes_with_its_team(admin: psycopg.Connection) -> None:
    cascading = names(
        admin,
        "SELECT conrelid::regclass FROM pg_constraint WHERE contype = 'f' AND confrelid = 'team'::regclass "
        "AND confdeltype = 'c' AND conparentid = 0",  # a partition has its parent's
    )
    assert cascading == {table.name for table in team_tables()}


def test_no_row_refers_to_one_of_another_team(admin: psycopg.Connection) -> None:
    with_team = {table.name for table in team_tables()}
    keys = admin.execute("""
        SELECT conrelid::regclass::text, confrelid::regclass::text,
            array(SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey))
        FROM pg_constraint WHERE contype = 'f'
    """).fetchall()
    without = [(source, target) for source, target, columns in keys if target in with_team and "team_id" not in columns]
    assert without == []


def test_every_unique_key_begins_with_the_team(admin: psycopg.Connection) -> None:
    keys = admin.execute("""
        SELECT indexrelid::regclass::text, indrelid::regclass::text,
            (SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0])
        FROM pg_index WHERE indisunique AND NOT indisprimary
            AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
    """).fetchall()
    assert {key for key, _, first in keys if first != "team_id"} == SAME_FOR_ALL_TEAMS.keys()


def test_views_run_with_the_rights_of_the_caller(admin: psycopg.Connection) -> None:
    blind = names(
        admin,
        "SELECT relname FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace "
        "AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)",
    )
    assert blind == set()


OTHERWISE = {
    "maintain_metric_partitions": (
        "slowpath_owner",
        {"slowpath_cross_team"},
    ),  # only who owns a table makes and drops its partitions
    "chain_audit_event": ("slowpath_keeper", {"slowpath_owner"}),  # a trigger, which its owner created
    "first_metric_hour": ("slowpath_keeper", {"slowpath_owner"}),  # and it asks this one thing of all teams' settings
}
"""Functions of another owner, or for another user, and why."""


def test_the_functions_of_the_cross_team_schema_are_narrow(admin: psycopg.Connection) -> None:
    functions = admin.execute("""
        SELECT proname, pg_get_userbyid(proowner), prosecdef, coalesce(proconfig::text, ''), proacl::text
        FROM pg_proc WHERE pronamespace = 'cross_team'::regnamespace
            OR (prosecdef AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
    """).fetchall()
    assert {"find_session", "find_token_with_account", "find_invitation", "find_user"} <= {
        name for name, *_ in functions
    }
    for name, owner, definer, config, granted in functions:
        expected_owner, others = OTHERWISE.get(name, ("slowpath_keeper", {"slowpath_cross_team"}))
        assert (owner, definer) == (expected_owner, True), name
        assert "search_path=pg_catalog, pg_temp" in config.replace('"', ""), name
        assert set(re.findall(r"(\w*)=X", granted)) == {expected_owner, *others}, name


def test_the_roles_are_as_small_as_they_should_be(admin: psycopg.Connection) -> None:
    roles = admin.execute(
        "SELECT rolname, rolcanlogin, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication "
        "FROM pg_roles WHERE rolname LIKE 'slowpath%' ORDER BY rolname"
    ).fetchall()
    assert roles == [
        ("slowpath_app", True, False),
        ("slowpath_cross_team", False, False),
        ("slowpath_keeper", False, False),
        ("slowpath_owner", True, False),
    ]
    owners = names(admin, f"SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE {OURS}")
    assert owners == {"slowpath_owner"}


# -- what the app can do ---------------------------------------------------------------------------


def test_without_a_team_there_is_not_a_single_row(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    assert all(count(admin, table) > 0 for table in METADATA.tables), "the made-up world leaves a table empty"
    assert {table: count(app, table) for table in METADATA.tables} == dict.fromkeys(METADATA.tables, 0)


@pytest.mark.parametrize("broken", ["' OR true --", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_team_shows_nothing(app: psycopg.Connection, broken: str) -> None:
    be(app, team=broken)
    try:
        assert count(app, "membership") == 0
    except psycopg.errors.InvalidTextRepresentation:
        app.rollback()


def test_each_team_sees_its_own_rows_only(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    for team in (world.team, world.other):
        be(app, team=team.id)
        for table in team_tables():
            statement = sql.SQL("SELECT DISTINCT team_id FROM {}").format(sql.Identifier(table.name))
            assert app.execute(statement).fetchall() == [(team.id,)], table.name
        assert app.execute("SELECT id FROM team").fetchall() == [(team.id,)]


def test_each_team_sees_the_names_of_its_own_people_only(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    be(app, team=world.other.id)
    assert app.execute("SELECT id FROM app_user").fetchall() == [(world.other.owner.user_id,)]
    assert (count(app, "user_password"), count(app, "user_session")) == (0, 0)
    be(app, team=world.team.id, user=world.team.owner.user_id)
    assert app.execute("SELECT DISTINCT user_id FROM user_session").fetchall() == [(world.team.owner.user_id,)]
    assert app.execute("SELECT user_id FROM user_password").fetchall() == [(world.team.owner.user_id,)]


def test_rows_of_another_team_cannot_be_changed(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    be(app, team=world.other.id, user=world.other.owner.user_id)
    for table in (*(table.name for table in team_tables()), "team", *sorted(OF_PEOPLE)):
        key = {"team": "id", "app_user": "id"}.get(table, "user_id" if table in OF_PEOPLE else "team_id")
        mine = world.other.owner.user_id if table in OF_PEOPLE else world.other.id
        for verb in ("UPDATE {table} SET {key} = {key} WHERE {key} <> %s", "DELETE FROM {table} WHERE {key} <> %s"):
            statement = sql.SQL(verb).format(table=sql.Identifier(table), key=sql.Identifier(key))
            try:
                with app.transaction():
                    assert app.execute(statement, (mine,)).rowcount == 0, table
            except psycopg.errors.InsufficientPrivilege:
                assert table in {"audit_chain", "audit_event"}  # no role changes the log


def test_rows_cannot_be_inserted_into_another_team(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    be(app, team=world.other.id, user=world.other.owner.user_id)
    statement = "INSERT INTO membership (team_id, id, user_id, role) VALUES (%s, gen_random_uuid(), %s, 'owner')"
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        app.execute(statement, (world.team.id, world.other.owner.user_id))


def test_rows_cannot_be_moved_into_another_team(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    be(app, team=world.other.id)
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        app.execute("UPDATE api_token SET team_id = %s", (world.team.id,))


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE slowpath_keeper",
        "SET ROLE slowpath_owner",
        "SET ROLE postgres",
        "SELECT cross_team.find_user('someone@example.com')",
        "TRUNCATE team CASCADE",
        "ALTER TABLE artifact DISABLE ROW LEVEL SECURITY",
        "DROP POLICY team ON artifact",
        "CREATE TABLE mine (id int)",
        "SET row_security = off; SELECT * FROM team",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY team TO PROGRAM 'true'",
    ],
)
def test_the_app_cannot_lift_itself(app: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute(statement.encode())


def test_the_cross_team_schema_has_no_tables(app: psycopg.Connection) -> None:
    app.execute("SET LOCAL ROLE slowpath_cross_team")
    assert app.execute("SELECT * FROM cross_team.find_user('nobody@example.com')").fetchall() == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute("SELECT * FROM public.app_user")


def test_the_scope_ends_with_its_transaction(app: psycopg.Connection, world: TwoTeamWorld) -> None:
    """The next request on the same connection must not inherit it."""
    be(app, team=world.team.id)
    assert count(app, "membership") > 0
    app.commit()
    assert count(app, "membership") == 0


def test_a_reading_session_cannot_write(world: TwoTeamWorld) -> None:
    scope = TeamScope(world.team.id, world.team.owner.user_id)
    with (
        world.app.database.reading(scope) as session,
        pytest.raises(Exception, match="read-only transaction"),
    ):
        session.connection().exec_driver_sql("UPDATE team SET name = 'x'")


@pytest.mark.parametrize("verb", ["UPDATE", "DELETE", "TRUNCATE"])
def test_the_audit_log_cannot_be_changed(admin: psycopg.Connection, verb: str) -> None:
    may = admin.execute("SELECT has_table_privilege('slowpath_app', 'audit_event', %s)", (verb,)).fetchone()
    assert may == (False,)


# -- who the app may be ----------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "why"), [("admin", "superuser"), ("owner", "owns")])
def test_the_app_refuses_a_role_that_bypasses_row_level_security(migrated: TestDatabase, who: str, why: str) -> None:
    url = migrated.admin_url if who == "admin" else migrated.owner_url
    engine = create_postgres_engine(settings_for(url))
    try:
        with pytest.raises(InvalidRequest, match=why):
            assert_safe_role(engine)
    finally:
        engine.dispose()


def test_the_app_starts_as_itself(engine: Engine) -> None:
    assert_safe_role(engine)


def test_a_process_that_begins_waits_a_while_for_the_database(engine: Engine) -> None:
    await_safe_role(engine)
    absent = create_postgres_engine(settings_for("postgresql://slowpath_app@127.0.0.1:1/slowpath"))
    begun = time.monotonic()
    with pytest.raises(OperationalError):
        await_safe_role(absent, seconds=1.0)
    assert time.monotonic() - begun > 1.0


# -- secrets ---------------------------------------------------------------------------------------


def test_a_dump_of_everything_holds_no_secret(world: TwoTeamWorld, admin: psycopg.Connection) -> None:
    dump = repr(snapshot(admin))
    assert CANARY in dump
    for secret in world.secrets:
        assert secret not in dump
        assert secret.encode().hex() not in dump
