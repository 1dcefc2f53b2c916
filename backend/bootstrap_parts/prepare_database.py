"""Prepare a database: create it and its roles if possible, then migrate it.

Run by the project's Python (it needs psycopg and Alembic), by the embedded start and in production:

- ADMIN_DATABASE_URL (superuser; optional): creates or corrects the database and the roles of migrations/roles.sql.
  Without it they must exist.
- MIGRATE_DATABASE_URL (owner), DATABASE_URL (application): their passwords become those of the roles.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

ROOT = Path(__file__).resolve().parents[2]
_REVISION = re.compile(r"^revision\b[^=]*= *[\"'](\w+)[\"']", re.MULTILINE)
_DOWN_REVISION = re.compile(r"^down_revision\b[^=]*= *[\"'](\w+)[\"']", re.MULTILINE)
_CONNECT_SECONDS = 30.0


def make_database(connection: psycopg.Connection, name: str) -> None:
    """Create the database if it does not exist."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def make_roles(connection: psycopg.Connection, passwords: dict[str, str]) -> None:
    """Create the roles or correct their attributes, and set their passwords."""
    connection.execute((ROOT / "migrations" / "roles.sql").read_bytes())
    for role, password in passwords.items():
        connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password)))


def prepare() -> None:
    """Create database and roles if ADMIN_DATABASE_URL is set, then migrate."""
    owner, admin_url = _parts_of("MIGRATE_DATABASE_URL"), os.environ.get("ADMIN_DATABASE_URL")
    if admin_url:
        app = _parts_of("DATABASE_URL")
        with _connect(admin_url) as connection:
            make_database(connection, owner["dbname"])
        with psycopg.connect(admin_url, dbname=owner["dbname"], autocommit=True) as connection:
            make_roles(connection, {owner["user"]: owner["password"], app["user"]: app["password"]})
    if not is_up_to_date(os.environ["MIGRATE_DATABASE_URL"]):
        upgrade()


def is_up_to_date(migrate_url: str) -> bool:
    """Return whether the database has the newest migration, without importing Alembic, which takes a second."""
    texts = [path.read_text() for path in (ROOT / "migrations" / "versions").glob("*.py")]
    revisions, down_revisions = (
        {found for text in texts for found in pattern.findall(text)} for pattern in (_REVISION, _DOWN_REVISION)
    )
    with psycopg.connect(migrate_url.replace("+psycopg", "", 1)) as connection:
        try:
            current = {str(version) for (version,) in connection.execute("SELECT version_num FROM alembic_version")}
        except psycopg.errors.UndefinedTable:
            return False
    return bool(texts) and current == revisions - down_revisions


def upgrade() -> None:
    """Migrate in a separate process: most starts do not need Alembic, and importing it takes a second."""
    done = subprocess.run([sys.executable, "-m", "alembic", "upgrade", "head"], cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


def _connect(url: str) -> psycopg.Connection:
    """Connect, and retry while the server is starting."""
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        try:
            return psycopg.connect(url, autocommit=True, connect_timeout=5)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def _parts_of(name: str) -> dict[str, str]:
    url = os.environ.get(name, "")
    found = {key: str(value) for key, value in conninfo_to_dict(url.replace("+psycopg", "", 1)).items()} if url else {}
    missing = {"user", "password", "dbname"} - found.keys()
    if missing:
        sys.exit(f"{name} has no {', '.join(sorted(missing))}. Use postgresql://user:password@host/database")
    return found


if __name__ == "__main__":
    prepare()
