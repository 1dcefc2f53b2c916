"""Prepares a database: makes the roles and the database where it may, then brings the tables up to date.

Run by the project's Python (it needs psycopg and Alembic), in the embedded start and in production alike:

- ADMIN_DATABASE_URL (a superuser's; optional): roles and database are made or mended. Without it they must exist.
- MIGRATE_DATABASE_URL (the owner's), DATABASE_URL (the app's): their users, passwords and database name are what is made.

Three roles: the owner owns the tables and only migrates; the app works, beneath row-level security; `slowpath_door`
owns nothing, cannot sign in, and is stepped into by the app for the few look-ups that come before a team is known.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psycopg
from alembic import command
from alembic.config import Config
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

ROOT = Path(__file__).resolve().parents[2]
DOOR = "slowpath_door"


def make_roles(connection: psycopg.Connection, owner: dict[str, str], app: dict[str, str]) -> None:
    """Make the three roles, or set their passwords and attributes right."""
    plain = sql.SQL("NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS")
    for role in (owner, app):
        _make_role(
            connection, role["user"], sql.SQL("LOGIN {} PASSWORD {}").format(plain, sql.Literal(role["password"]))
        )
    _make_role(connection, DOOR, sql.SQL("NOLOGIN {}").format(plain))
    connection.execute(
        sql.SQL("GRANT {} TO {} WITH INHERIT FALSE, SET TRUE").format(sql.Identifier(DOOR), sql.Identifier(app["user"]))
    )


def _make_role(connection: psycopg.Connection, name: str, attributes: sql.Composed) -> None:
    known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone()
    verb = sql.SQL("ALTER ROLE {} {}" if known else "CREATE ROLE {} {}")
    connection.execute(verb.format(sql.Identifier(name), attributes))


def make_database(connection: psycopg.Connection, name: str, owner: str) -> None:
    """Make the database if there is none."""
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(owner)))


def open_doors(connection: psycopg.Connection, database: str, owner: str, app: str) -> None:
    """Let the three roles in, and nobody else."""
    names = {
        "database": sql.Identifier(database),
        "owner": sql.Identifier(owner),
        "app": sql.Identifier(app),
        "door": sql.Identifier(DOOR),
    }
    for statement in (
        "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
        "GRANT CONNECT, TEMPORARY ON DATABASE {database} TO {app}",
        "ALTER SCHEMA public OWNER TO {owner}",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        "GRANT USAGE ON SCHEMA public TO {app}, {door}",
    ):
        connection.execute(sql.SQL(statement).format(**names))


def prepare() -> None:
    """Make roles and database when ADMIN_DATABASE_URL is given, then migrate."""
    migrate_url, admin_url = os.environ["MIGRATE_DATABASE_URL"], os.environ.get("ADMIN_DATABASE_URL")
    if admin_url:
        owner, app = _credentials(migrate_url), _credentials(os.environ["DATABASE_URL"])
        with psycopg.connect(admin_url, autocommit=True) as connection:
            make_roles(connection, owner, app)
            make_database(connection, owner["dbname"], owner["user"])
        with psycopg.connect(admin_url, dbname=owner["dbname"], autocommit=True) as connection:
            open_doors(connection, owner["dbname"], owner["user"], app["user"])
            connection.execute((ROOT / "migrations" / "roles.sql").read_text(encoding="utf-8"))
    if (ROOT / "migrations" / "env.py").exists():
        command.upgrade(Config(toml_file=str(ROOT / "pyproject.toml")), "head")


def _credentials(url: str) -> dict[str, str]:
    found = {name: str(value) for name, value in conninfo_to_dict(url.replace("+psycopg", "", 1)).items()}
    missing = {"user", "password", "dbname"} - found.keys()
    if missing:
        sys.exit(
            f"A database URL lacks its {', '.join(sorted(missing))}: write postgresql://user:password@host/database"
        )
    return found


if __name__ == "__main__":
    prepare()
