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
CREATE SEQUENCE watched.writings;
CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM nextval('watched.writings');
    RETURN NULL;
END $$;
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
            referred = next(iter(column.foreign_keys)).column.table.name
            row[column.name] = user_id if referred == "app_user" else ids[referred]
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
    rows: Rows = {}
    for table in METADATA.sorted_tables:
        statement = sql.SQL("SELECT {} FROM {}").format(_columns(table), sql.Identifier(table.name))
        rows[table.name] = connection.execute(statement).fetchall()
    return rows


class SampleRow:
    """Every row of every table as it was once; while writing is watched, put back only if something was written since."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self.rows = snapshot(connection)
        self._written: int | None = None

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count rows that are written, by triggers; those of transactions that were rolled back count too."""
        self._connection.execute(WATCH)
        for table in METADATA.sorted_tables:
            statement = "CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON {} FOR EACH ROW EXECUTE FUNCTION watched.note()"
            self._connection.execute(sql.SQL(statement).format(sql.Identifier(table.name)))
        self._written = self._writings()
        yield
        self._written = None
        self._connection.execute("DROP SCHEMA watched CASCADE")

    @property
    def is_untouched(self) -> bool:
        """Whether it is sure that nothing was written since the rows were stored or restored."""
        return self._written is not None and self._writings() == self._written

    def restore(self) -> None:
        """Put every row back as it was."""
        if not self.is_untouched:
            _restore(self._connection, self.rows)
            if self._written is not None:
                self._written = self._writings()

    def _writings(self) -> int:
        found = self._connection.execute("SELECT last_value + is_called::int FROM watched.writings").fetchone()
        assert found is not None
        return int(found[0])


def _restore(connection: psycopg.Connection, rows: Rows) -> None:
    """Put every row back as it was."""
    with connection.transaction():
        connection.execute("DELETE FROM team")
        connection.execute("DELETE FROM app_user")
        with connection.cursor() as cursor:
            for name, stored in rows.items():
                if stored:
                    blanks = sql.SQL(", ").join(sql.Placeholder() * len(stored[0]))
                    table = METADATA.tables[name]
                    columns, json = _columns(table), [isinstance(column.type, JSONB) for column in table.columns]
                    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier(name), columns, blanks)
                    cursor.executemany(statement, [tuple(map(_storable, row, json)) for row in stored])


def _columns(table: Table) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)


def _storable(value: Any, is_json: bool) -> Any:  # noqa: ANN401 - any value of a column
    return Jsonb(value) if is_json and value is not None else value


def rows_of(rows: Rows, team_id: UUID, *, but: Mapping[str, set[str]]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of one team, without the columns of `but`, which may change by being read."""
    stored = {}
    for table in team_tables():
        names = [column.name for column in table.columns]
        shown = [index for index, name in enumerate(names) if name not in but.get(table.name, set())]
        position = names.index("team_id")
        stored[table.name] = sorted(
            (tuple(row[index] for index in shown) for row in rows[table.name] if row[position] == team_id), key=repr
        )
    return stored
