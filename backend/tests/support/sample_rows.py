"""One row of each table for a team, made up from the tables themselves, so that a new table is filled by itself.

Every text is a canary: callers of other teams must never see it.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb
from sqlalchemy import CheckConstraint, Column, Table
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.types import Boolean, DateTime, Float, Integer, LargeBinary, Uuid

from slowpath.metadata import METADATA
from tests.factories.shapes import SHAPES, problem

ALLOWED = re.compile(r"(\w+) in \(([^)]*)\)")

Rows = dict[str, list[tuple[Any, ...]]]

WATCH = """
CREATE SCHEMA watched;
CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM nextval(format('watched.%I', TG_TABLE_NAME)::regclass);
    RETURN NULL;
END $$;
"""
"""A sequence per table counts its written rows: unlike a row, it makes no transaction wait for another."""
WATCH_TABLE = """
CREATE SEQUENCE watched.{name};
CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON {name} FOR EACH ROW EXECUTE FUNCTION watched.note();
"""


def team_tables() -> list[Table]:
    """Return the tables with a team, those that others refer to first."""
    return [table for table in METADATA.sorted_tables if "team_id" in table.columns]


def fill(connection: psycopg.Connection, team_id: UUID, user_id: UUID, canary: str) -> dict[str, UUID]:
    """Give each table without a row of the team one; return an id of each table's."""
    ids: dict[str, UUID] = {}
    for table in team_tables():
        name = sql.Identifier(table.name)
        found = connection.execute(
            sql.SQL("SELECT id FROM {} WHERE team_id = %s ORDER BY created_at, id LIMIT 1").format(name), (team_id,)
        ).fetchone()
        ids[table.name] = found[0] if found else _insert(connection, table, team_id, user_id, canary, ids)
    return ids


def _insert(
    connection: psycopg.Connection, table: Table, team_id: UUID, user_id: UUID, canary: str, ids: Mapping[str, UUID]
) -> UUID:
    allowed = _allowed(table)
    shaped = SHAPES.get(table.name, {})
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.name == "team_id":
            row[column.name] = team_id
        elif column.name in shaped:
            row[column.name] = shaped[column.name]
        elif column.foreign_keys:
            referred = next(iter(column.foreign_keys)).column
            is_user = referred.table.name == "app_user" or referred.name == "user_id"
            row[column.name] = user_id if is_user else ids[referred.table.name]
        elif column.name in allowed:
            row[column.name] = allowed[column.name]
        else:
            row[column.name] = problem(canary) if column.name == "problem" else _value(column, canary)
    values = [Jsonb(value) if isinstance(table.columns[key].type, JSONB) else value for key, value in row.items()]
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table.name),
        sql.SQL(", ").join(map(sql.Identifier, row)),
        sql.SQL(", ").join(sql.Placeholder() * len(row)),
    )
    connection.execute(statement, values)
    made: UUID = row["id"]
    return made


def _allowed(table: Table) -> dict[str, str]:
    """Return the last value that a check allows for a column: of the states, one that is not the first."""
    found = {}
    for constraint in table.constraints:
        if isinstance(constraint, CheckConstraint):
            for column, values in ALLOWED.findall(str(constraint.sqltext)):
                found[column] = values.split(",")[-1].strip().strip("'")
    return found


def _value(column: Column[Any], canary: str) -> Any:  # noqa: ANN401 - any value of a column
    kind = column.type
    plain: dict[type, Any] = {
        Boolean: False,
        DateTime: datetime(2126, 11, 21, 12, 0, tzinfo=UTC),  # nothing of it has expired
        Integer: 1,
        Float: 0.5,
        LargeBinary: uuid4().bytes * 2,
        Uuid: uuid4(),
        ARRAY: [uuid4()] if isinstance(getattr(kind, "item_type", None), Uuid) else [canary],
        JSONB: {"name": canary},
    }
    return next((value for known, value in plain.items() if isinstance(kind, known)), f"{canary} {uuid4().hex[:6]}")


def snapshot(connection: psycopg.Connection) -> Rows:
    """Return every row of every table."""
    return {table.name: _read(connection, table) for table in METADATA.sorted_tables}


class SampleRow:
    """Every row of every table as it was once; while writing is watched, only tables that were written are read and restored."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self.rows = snapshot(connection)
        self._counts: dict[str, int] | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count rows that are written, by triggers; those of transactions that were rolled back count too."""
        self._connection.execute(WATCH)
        for table in METADATA.sorted_tables:
            self._connection.execute(sql.SQL(WATCH_TABLE).format(name=sql.Identifier(table.name)))
        self._counts = self._count_writings()
        yield
        self._counts = None
        self._connection.execute("DROP SCHEMA watched CASCADE")

    def restore(self) -> None:
        """Put every row back as it was."""
        if self._counts is None:
            _restore(self._connection, self.rows)
        elif written := self._find_written():
            with self._connection.transaction():
                # Neither foreign keys nor triggers act: other tables stay as they are.
                self._connection.execute("SET LOCAL session_replication_role = replica")
                for name in written:
                    self._connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))
                    _insert_rows(self._connection, name, self.rows[name])
            self._counts = self._count_writings()

    def find_changes(self, team_id: UUID, *, but: Mapping[str, set[str]]) -> dict[str, int]:
        """Return the tables of which rows of the team changed since `restore`, with the difference of their numbers.

        Columns of `but` may change by being read.
        """
        changed = {}
        for name in self._find_written():
            table = METADATA.tables[name]
            if "team_id" in table.columns:
                now = _rows_of(table, _read(self._connection, table), team_id, but.get(name, set()))
                before = _rows_of(table, self.rows[name], team_id, but.get(name, set()))
                if now != before:
                    changed[name] = len(now) - len(before)
        return changed

    def _find_written(self) -> list[str]:
        assert self._counts is not None, "writing is not watched"
        counts = self._count_writings()
        return [name for name, count in self._counts.items() if counts[name] != count]

    def _count_writings(self) -> dict[str, int]:
        """Return the number of rows written to each table since writing is watched."""
        found = self._connection.execute(
            "SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = 'watched'"
        )
        return {str(name): int(count) for name, count in found}


def _read(connection: psycopg.Connection, table: Table) -> list[tuple[Any, ...]]:
    statement = sql.SQL("SELECT {} FROM {}").format(_columns(table), sql.Identifier(table.name))
    return connection.execute(statement).fetchall()


def _restore(connection: psycopg.Connection, rows: Rows) -> None:
    """Put every row back as it was."""
    with connection.transaction():
        connection.execute("DELETE FROM team")
        connection.execute("DELETE FROM app_user")
        for name, stored in rows.items():
            _insert_rows(connection, name, stored)


def _insert_rows(connection: psycopg.Connection, name: str, rows: list[tuple[Any, ...]]) -> None:
    if not rows:
        return
    table = METADATA.tables[name]
    blanks = sql.SQL(", ").join(sql.Placeholder() * len(table.columns))
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier(name), _columns(table), blanks)
    is_json = [isinstance(column.type, JSONB) for column in table.columns]
    with connection.cursor() as cursor:
        cursor.executemany(statement, [tuple(map(_storable, row, is_json)) for row in rows])


def _columns(table: Table) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)


def _storable(value: Any, is_json: bool) -> Any:  # noqa: ANN401 - any value of a column
    return Jsonb(value) if is_json and value is not None else value


def _rows_of(table: Table, rows: list[tuple[Any, ...]], team_id: UUID, but: set[str]) -> list[tuple[Any, ...]]:
    """Return the rows of one team, without the columns of `but`, in any order that is always the same."""
    names = [column.name for column in table.columns]
    shown = [index for index, name in enumerate(names) if name not in but]
    position = names.index("team_id")
    return sorted((tuple(row[index] for index in shown) for row in rows if row[position] == team_id), key=repr)
