"""Create the PostgreSQL engine, and check that its role is subject to row-level security."""

import time

import structlog
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from slowpath.core.db_sessions import ReadReplica
from slowpath.core.errors import InvalidRequest
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

STATEMENT_TIMEOUT_MS = 30_000
IDLE_IN_TRANSACTION_MS = 60_000
STARTUP_WAIT_SECONDS = 20.0
"""Time that a starting process waits for an unavailable database, for example during its crash recovery."""


def create_postgres_engine(settings: Settings, *, pool_size: int = 10, url: str | None = None) -> Engine:
    """Return an engine for the settings' database, or for `url`. Connections are tested before use.

    Behind a pooler in transaction mode each transaction may have another connection of the server: nothing is prepared
    there, and the timeouts are those of the role (migrations/roles.sql).
    """
    options = (
        f"-c statement_timeout={STATEMENT_TIMEOUT_MS} -c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_MS}"
    )
    of_session = {"prepare_threshold": None} if settings.database_direct_url else {"options": options}
    return create_engine(
        url or settings.sqlalchemy_url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=5,
        pool_pre_ping=True,
        pool_recycle=1800,
        hide_parameters=True,  # error texts are logged, and parameters include hashes of secrets
        connect_args={"connect_timeout": 5, "application_name": "slowpath", **of_session},
    )


def create_replica(settings: Settings) -> ReadReplica | None:
    """Return the replica for reads, if one is configured."""
    url = settings.sqlalchemy_read_url
    return ReadReplica(create_postgres_engine(settings, url=url)) if url else None


def await_safe_role(engine: Engine, *, seconds: float = STARTUP_WAIT_SECONDS) -> None:
    """Wait until the database responds, then check its role. Raises `InvalidRequest`, `OperationalError` (timeout)."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return assert_safe_role(engine)
        except OperationalError as error:
            if time.monotonic() > deadline:
                raise
            log.warning("database.unavailable", error=str(error).splitlines()[0])
            time.sleep(0.5)


def assert_safe_role(engine: Engine) -> None:
    """Check that row-level security applies to the database role. Raises `InvalidRequest`."""
    with engine.connect() as connection:
        role = connection.execute(
            text("SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        ).one()
        owned = connection.execute(
            text(
                "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND pg_get_userbyid(relowner) = current_user"
            )
        ).scalar_one()
    faults = [
        fault
        for fault, applies in (
            ("it is a superuser", role.rolsuper),
            ("it has BYPASSRLS", role.rolbypassrls),
            (f"it owns {owned} tables", owned > 0),
        )
        if applies
    ]
    if faults:
        raise InvalidRequest(
            f"Row-level security does not apply to {role.rolname}, the role of DATABASE_URL: {', '.join(faults)}.",
            remedy="Use the role slowpath_app of migrations/roles.sql, and MIGRATE_DATABASE_URL for the owner.",
        )
