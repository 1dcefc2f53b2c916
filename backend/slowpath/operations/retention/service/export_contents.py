"""What an export of a team holds, read as it is written: few rows are held at once."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Table

from slowpath.core.db_sessions import ReadSession
from slowpath.operations.retention import queries
from slowpath.platform.accounts import service as accounts


def team(session: ReadSession) -> dict[str, str]:
    """Return whose data it is."""
    row = accounts.get_team(session)
    return {"id": str(row.id), "slug": row.slug, "name": row.name}


def rows(session: ReadSession, table: Table, columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    """Yield the team's rows of a table in the order of its key."""
    return queries.rows_of(session, table, columns)


def people(session: ReadSession) -> Iterator[dict[str, str]]:
    """Yield who is in the team."""
    for user_id, name, email in queries.people_of(session):
        yield {"id": str(user_id), "name": name, "email": email}


def bytes_of_originals(session: ReadSession) -> int:
    """Return the bytes of all different originals."""
    return queries.bytes_of_originals(session)


def originals(session: ReadSession) -> Iterator[Sequence[Any]]:
    """Yield hash, a name and bytes of every different original."""
    return queries.originals(session)
