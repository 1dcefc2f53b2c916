"""Insert a row that a concurrent transaction may insert too."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import WriteSession
from slowpath.core.table_base import TeamScoped

Row = TypeVar("Row", bound=TeamScoped)


def get_or_insert(session: WriteSession, made: Row, find: Callable[[], Row | None]) -> tuple[Row, bool]:
    """Insert a row, or return the existing one that `find` returns; and whether it was inserted.

    A unique constraint must cover the condition of `find`.
    """
    found = find()
    if found is not None:
        return found, False
    try:
        with session.begin_nested():
            session.add(made)
    except IntegrityError:
        found = find()
        if found is None:
            raise
        return found, False
    return made, True
