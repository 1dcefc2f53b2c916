"""Prepares a database: makes it and the roles where it may, then brings the tables up to date.

Run by the project's Python (it needs psycopg and Alembic), in the embedded start and in production alike:

- ADMIN_DATABASE_URL (a superuser's; optional): the database and the roles of migrations/roles.sql are made or mended.
  Without it they must exist.
- MIGRATE_DATABASE_URL (the owner's), DATABASE_URL (the app's): the passwords they carry are what the roles are given.
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
_PATIENCE_SECONDS = 30.0


def make_database(connection: psycopg.Connection, name: str) -> None:
    """Make the database if there is none."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def make_roles(connection: psycopg.Connection, passwords: dict[str, str]) -> None:
    """Make the roles, or set their attributes right, and give those who sign in their passwords."""
    connection.execute((ROOT / "migrations" / "roles.sql").read_bytes())
    for role, password in passwords.items():
        connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password)))


def prepare() -> None:
    """Make database and roles when ADMIN_DATABASE_URL is given, then migrate."""
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
    """Tell whether the database stands at the newest migration, without the second that importing Alembic takes."""
    texts = [path.read_text() for path in (ROOT / "migrations" / "versions").glob("*.py")]
    made, built_upon = (
        {found for text in texts for found in pattern.findall(text)} for pattern in (_REVISION, _DOWN_REVISION)
    )
    with psycopg.connect(migrate_url.replace("+psycopg", "", 1)) as connection:
        try:
            stands_at = {str(version) for (version,) in connection.execute("SELECT version_num FROM alembic_version")}
        except psycopg.errors.UndefinedTable:
            return False
    return bool(texts) and stands_at == made - built_upon


def upgrade() -> None:
    """Bring the tables up to date, in a Python of its own: most starts need no Alembic, and importing it takes a second."""
    done = subprocess.run([sys.executable, "-m", "alembic", "upgrade", "head"], cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)


def _connect(url: str) -> psycopg.Connection:
    """Connect as soon as the server takes connections: in production it may still be starting."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
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
        sys.exit(f"{name} lacks its {', '.join(sorted(missing))}: write postgresql://user:password@host/database")
    return found


if __name__ == "__main__":
    prepare()
