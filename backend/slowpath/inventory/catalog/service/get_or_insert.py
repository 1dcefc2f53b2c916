"""Making a row that may be made by somebody else at the same moment."""

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import WriteSession
from slowpath.core.table_base import TeamScoped

Row = TypeVar("Row", bound=TeamScoped)


def get_or_insert(session: WriteSession, made: Row, find: Callable[[], Row | None]) -> tuple[Row, bool]:
    """Add a row, or return the one that `find` gives because it was there or came first; and whether it was added.

    A unique constraint must stand behind what `find` looks for.
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
