"""Run migrations as the owner of the tables, one process at a time, with a short lock timeout.

An empty database gets the tables of the code and `baseline.sql`, and is stamped with the newest version; only databases
that exist already run the versions. The first version is the schema of 2026-11-28, which no version creates.

A migration that cannot get its lock within four seconds fails instead of making every reader queue behind it. An advisory
lock keeps two servers that start together from migrating at once. Each migration has its own transaction, so that the
earlier ones remain when a later one fails.
"""

import os
from pathlib import Path

from alembic import context
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, pool, text

from slowpath import metadata

LOCK_TIMEOUT_MS = 4_000
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
    """Migrate under the advisory lock. A caller may provide the URL (`config.attributes["url"]`)."""
    engine = create_engine(
        database_url(),
        poolclass=pool.NullPool,
        connect_args={
            "application_name": "slowpath migrations",
            "options": f"-c lock_timeout={LOCK_TIMEOUT_MS} -c statement_timeout={STATEMENT_TIMEOUT_MS}",
        },
    )
    # The lock has its own connection: it must outlive the transactions of the migrations.
    with engine.connect() as guard, engine.connect() as connection:
        with guard.begin():
            guard.execute(text("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0"))
            guard.execute(text("SELECT pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
        migrate(connection)
        guard.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": ADVISORY_LOCK})


if context.is_offline_mode():
    if context.get_starting_revision_argument() is None:
        raise SystemExit("A script (--sql) needs the version it starts from: upgrade VERSION:head --sql")
    context.configure(url="postgresql+psycopg://", target_metadata=metadata.METADATA, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    run()
