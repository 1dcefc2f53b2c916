"""Counts the statements sent to the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Engine, event
from sqlalchemy.engine import Connection

OVERHEAD = ("SET TRANSACTION", "SELECT set_config", "SET LOCAL ROLE")


@dataclass
class Statements:
    """The statements since the fixture was asked for, those that set up a transaction left out."""

    seen: list[str] = field(default_factory=list)

    @contextmanager
    def during(self) -> Iterator["Statements"]:
        """Give the statements of a block alone."""
        block, before = Statements(), len(self.seen)
        yield block
        block.seen = self.seen[before:]

    def __len__(self) -> int:
        return len(self.seen)


@contextmanager
def counted(engine: Engine) -> Iterator[Statements]:
    """Count the statements of an engine."""
    statements = Statements()

    def note(_connection: Connection, _cursor: object, statement: str, *_rest: object) -> None:
        if not statement.startswith(OVERHEAD):
            statements.seen.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", note)
