"""The PostgreSQL engine, and the check that it is asked in a role that may not see too much."""

import time

import structlog
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from slowpath.core.errors import InvalidRequest
from slowpath.core.settings import Settings

log = structlog.get_logger(__name__)

STATEMENT_TIMEOUT_MS = 30_000
IDLE_IN_TRANSACTION_MS = 60_000
AWAY_SECONDS = 20.0
"""So long a process that begins waits for a database that does not answer, as while it recovers from its own death."""


def create_postgres_engine(settings: Settings, *, pool_size: int = 10) -> Engine:
    """Return an engine for the settings' database. Connections are checked before they are lent."""
    options = (
        f"-c statement_timeout={STATEMENT_TIMEOUT_MS} -c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_MS}"
    )
    return create_engine(
        settings.sqlalchemy_url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=5,
        pool_pre_ping=True,
        pool_recycle=1800,
        hide_parameters=True,  # an error's text goes to the logs, and hashes of secrets are among the parameters
        connect_args={"connect_timeout": 5, "options": options, "application_name": "slowpath"},
    )


def await_safe_role(engine: Engine, *, seconds: float = AWAY_SECONDS) -> None:
    """Wait until the database answers, then `assert_safe_role`. Raises `InvalidRequest`, and `OperationalError` in the end."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return assert_safe_role(engine)
        except OperationalError as error:
            if time.monotonic() > deadline:
                raise
            log.warning("database away", error=str(error).splitlines()[0])
            time.sleep(0.5)


def assert_safe_role(engine: Engine) -> None:
    """Refuse a role for which row-level security would not hold. Raises `InvalidRequest`."""
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
        for fault, holds in (
            ("it is a superuser", role.rolsuper),
            ("it has BYPASSRLS", role.rolbypassrls),
            (f"it owns {owned} tables", owned > 0),
        )
        if holds
    ]
    if faults:
        raise InvalidRequest(
            f"DATABASE_URL signs in as {role.rolname}, for whom teams would not be kept apart: {', '.join(faults)}.",
            remedy="Use the role slowpath_app of migrations/roles.sql, and MIGRATE_DATABASE_URL for the owner.",
        )
