"""Run migrations as the owner of the tables, one process at a time, with a short lock timeout.

An empty database gets the tables of the code and `baseline.sql`, and is stamped with the newest version; only databases
that exist already run the versions. The first version is the schema of 2026-11-28, which no version creates.

While a migration waits for the lock of a table, all who use the table queue behind it. So it waits little more than a
second, is rolled back, lets the others go first, and is tried again; after two minutes it fails. An advisory lock keeps two
servers that start together from migrating at once. Each migration has its own transaction, so that the earlier ones remain
when a later one fails.
"""

import os
import time
from pathlib import Path

import psycopg
from alembic import context
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, inspect, pool, text
from sqlalchemy.exc import OperationalError

from slowpath import metadata

LOCK_TIMEOUT_MS = 1_200
"""Longer than `deadlock_timeout` (1 s), after which PostgreSQL cancels an autovacuum that is in the way."""
LOCK_PATIENCE_SECONDS = 120.0
"""How long a migration that does not get its locks is tried again."""
LOCK_PAUSE_SECONDS = 3.0
"""Between two attempts: those who queued behind the first are served meanwhile."""
STATEMENT_TIMEOUT_MS = 60_000
"""Building an index over many rows takes the longest."""
ADVISORY_LOCK = 0x736C6F77
"""Any constant number: "slow"."""
BASELINE = Path(__file__).with_name("baseline.sql")


def database_url() -> str:
    """Return the owner's database URL, with the driver."""
    url: str = context.config.attributes.get("url") or os.environ.get("MIGRATE_DATABASE_URL", "")
    if not url:
        raise SystemExit("MIGRATE_DATABASE_URL is not set: the address of the database as the owner of its tables.")
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    return url


def migrate(connection: Connection) -> None:
    """Create the schema if the database is empty, then run the migrations on this connection."""
    context.configure(
        connection=connection,
        target_metadata=metadata.METADATA,
        transaction_per_migration=True,
        compare_server_default=True,
    )
    versions = ScriptDirectory.from_config(context.config)
    with connection.begin():
        if not inspect(connection).get_table_names():
            create_schema(connection)
            context.get_context().stamp(versions, "head")
        require_known_versions(context.get_context().get_current_heads(), versions)
    with context.begin_transaction():
        context.run_migrations()


def migrate_between_others(engine: Engine, patience_s: float) -> None:
    """Migrate, and again from the version that did not get its locks, until the time is over."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            with engine.connect() as connection:
                return migrate(connection)
        except OperationalError as error:
            is_locked = isinstance(error.orig, (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected))
            if not is_locked or time.monotonic() > deadline:
                raise
        context.config.print_stdout(
            "A migration waits for the lock of a table that another transaction uses; next attempt in %d s.",
            LOCK_PAUSE_SECONDS,
        )
        time.sleep(LOCK_PAUSE_SECONDS)


def create_schema(connection: Connection) -> None:
    """Create the schema of the newest version in an empty database."""
    metadata.METADATA.create_all(connection)
    # Without parameters, so that the driver takes several statements and leaves `%` as it is.
    connection.exec_driver_sql(BASELINE.read_text(encoding="utf-8"), execution_options={"no_parameters": True})


def require_known_versions(heads: tuple[str, ...], versions: ScriptDirectory) -> None:
    """End with a remedy if the database is older than the first version, or newer than the last."""
    if unknown := set(heads) - {version.revision for version in versions.walk_revisions()}:
        raise SystemExit(
            f"This database has the schema version {', '.join(sorted(unknown))}, which this release cannot migrate. If it is "
            f"older, migrate it first with the release of 2026-11-28 (commit c4a6a753), to {versions.get_base()} or later; if it "
            "is newer, use its release."
        )


def run() -> None:
    """Migrate under the advisory lock. A caller may provide `url` and `lock_patience_s` (`config.attributes`)."""
    engine = create_engine(
        database_url(),
        poolclass=pool.NullPool,
        connect_args={
            "application_name": "slowpath migrations",
            "options": f"-c lock_timeout={LOCK_TIMEOUT_MS} -c statement_timeout={STATEMENT_TIMEOUT_MS}",
        },
    )
    # The lock has its own connection: it must outlive the transactions of the migrations.
    with engine.connect() as guard:
        with guard.begin():
            guard.execute(text("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0"))
            guard.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
        migrate_between_others(engine, context.config.attributes.get("lock_patience_s", LOCK_PATIENCE_SECONDS))
        guard.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})


if context.is_offline_mode():
    if context.get_starting_revision_argument() is None:
        raise SystemExit("A script (--sql) needs the version it starts from: upgrade VERSION:head --sql")
    context.configure(url="postgresql+psycopg://", target_metadata=metadata.METADATA, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    run()
