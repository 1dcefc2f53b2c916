"""A real PostgreSQL database for each test process, at the newest version, and emptied before each test.

Emptied, not rolled back: the app steps into other roles and sets its scope for the length of a
transaction, and a test that ran all of it inside one outer transaction would see those leak.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString
from urllib.parse import urlsplit

import psycopg
from alembic import command
from alembic.config import Config
from psycopg import sql

ROOT = Path(__file__).resolve().parents[3]
PREPARING = 7_310_112
"""An advisory lock: roles belong to the whole cluster, and two processes that alter one collide."""


@dataclass(frozen=True)
class TestDatabase:
    """The addresses of one database, by role."""

    __test__ = False

    name: str
    admin_url: str
    owner_url: str
    app_url: str
    _admin_connections: list[psycopg.Connection] = field(default_factory=list, compare=False, repr=False)

    @contextmanager
    def as_admin(self) -> Iterator[psycopg.Connection]:
        """Give a superuser's connection: row-level security does not hold for it."""
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            yield connection

    @contextmanager
    def as_app(self) -> Iterator[psycopg.Connection]:
        """Give a connection as the app has it."""
        with psycopg.connect(self.app_url) as connection:
            yield connection

    def empty(self) -> None:
        """Delete all teams and people; everything else goes with them.

        Over one connection that stays open: a new one would plan the deletes of all tables anew, which takes five times as long.
        """
        try:
            self._execute_as_admin("DELETE FROM team; DELETE FROM app_user")
        except psycopg.OperationalError:  # a test that takes the database away took this connection along
            self.let_go()
            self._execute_as_admin("DELETE FROM team; DELETE FROM app_user")

    def _execute_as_admin(self, statements: LiteralString) -> None:
        if not self._admin_connections:
            self._admin_connections.append(psycopg.connect(self.admin_url, autocommit=True))
        self._admin_connections[0].execute(statements)

    def let_go(self) -> None:
        """Close the connection."""
        while self._admin_connections:
            self._admin_connections.pop().close()

    def migrate(self, revision: str = "head") -> None:
        """Upgrade to a revision."""
        command.upgrade(alembic_config(self.owner_url), revision)

    def migrate_down(self, revision: str = "base") -> None:
        """Downgrade to a revision."""
        command.downgrade(alembic_config(self.owner_url), revision)


def alembic_config(url: str) -> Config:
    """Return the project's Alembic configuration for a database."""
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    config.attributes["url"] = url
    return config


@dataclass
class _Shared:
    """The database of this process, and the number of its users."""

    database: TestDatabase
    stack: ExitStack
    users: int = 0


_SHARED: list[_Shared] = []


@contextmanager
def shared_database() -> Iterator[TestDatabase]:
    """Give the database of this process, at the newest migration.

    Each conftest that imports a session fixture has its own instance of it, and a migration takes seconds: so the
    database is made at the first use, and dropped after the last.
    """
    if not _SHARED:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        with ExitStack() as stack:
            database = stack.enter_context(made_database(f"slowpath_test_{worker}_{os.getpid()}"))
            database.migrate()
            _SHARED.append(_Shared(database, stack.pop_all()))
    shared = _SHARED[0]
    shared.users += 1
    try:
        yield shared.database
    finally:
        shared.users -= 1
        if not shared.users:
            _SHARED.remove(shared)
            shared.stack.close()


@contextmanager
def made_database(name: str) -> Iterator[TestDatabase]:
    """Make an empty database beside the services' own, with the roles let in, and drop it at the end."""
    admin = _url("ADMIN_DATABASE_URL")
    made = TestDatabase(
        name,
        _in_database(admin, name),
        _in_database(_url("MIGRATE_DATABASE_URL"), name),
        _in_database(_url("DATABASE_URL"), name),
    )
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (PREPARING,))
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        with made.as_admin() as inside:
            inside.execute((ROOT / "migrations" / "roles.sql").read_text(encoding="utf-8"))
    try:
        yield made
    finally:
        made.let_go()
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _in_database(url: str, name: str) -> str:
    return urlsplit(url.replace("postgresql+psycopg://", "postgresql://", 1))._replace(path=f"/{name}").geturl()


def _url(name: str) -> str:
    url = os.environ.get(name)
    if not url:
        raise RuntimeError(
            f"{name} is not set. These tests need a PostgreSQL: python3 backend/bootstrap.py services -- pytest ..."
        )
    return url
