"""Run migrations as the owner of the tables, one process at a time, with a short lock timeout.

A migration that cannot get its lock within four seconds fails instead of making every reader queue behind it. An advisory
lock keeps two servers that start together from migrating at once. Each migration has its own transaction, so that the
earlier ones remain when a later one fails.
"""

import os

from alembic import context
from sqlalchemy import Connection, create_engine, pool, text

from slowpath import metadata

LOCK_TIMEOUT_MS = 4_000
STATEMENT_TIMEOUT_MS = 60_000
"""Building an index over many rows takes the longest."""
ADVISORY_LOCK = 0x736C6F77
"""Any constant number: "slow"."""


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
    """Run the migrations on this connection."""
    context.configure(
        connection=connection,
        target_metadata=metadata.METADATA,
        transaction_per_migration=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


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
    context.configure(url="postgresql+psycopg://", target_metadata=metadata.METADATA, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()
else:
    run()
