"""SQL queries on chunks and roll-ups."""

from collections.abc import Sequence
from typing import Any, Final

import psycopg

from slowpath.analysis.kinds.metrics.samples.sample_compaction import Place
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.evidence.metrics.rules import ROLL_UP_SPANS


def binary_rows(session: ReadSession, statement: str, values: tuple[object, ...]) -> list[Any]:
    """Run a query in PostgreSQL's binary format: as text, chunks would be twice as long."""
    connection = session.connection().connection.driver_connection
    assert isinstance(connection, psycopg.Connection)
    with connection.cursor(binary=True) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()


CHUNKS: Final = (
    "SELECT hour, content FROM metric_chunk WHERE team_id = %s AND id = ANY (%s) AND hour BETWEEN %s AND %s "
    "ORDER BY id, hour, piece"
)
OPEN_CHUNKS: Final = (
    "SELECT hour, content FROM metric_chunk WHERE team_id = %s AND id = ANY (%s) AND hour BETWEEN %s AND %s AND piece > 0 "
    "ORDER BY id, hour, piece"
)


def chunks(
    session: ReadSession, blocks: Sequence[int], hours: tuple[int, int], *, open_only: bool
) -> list[tuple[int, bytes]]:
    """Return the chunks of series groups in a closed range of hours, by group, hour and piece: hour, content.

    `open_only`: without the hours that roll-ups have, by ix_metric_chunk_open.
    """
    return binary_rows(session, OPEN_CHUNKS if open_only else CHUNKS, (session.team_id, list(blocks), *hours))


def roll_ups(
    session: ReadSession, blocks: Sequence[int], hours: tuple[int, int], resolution_ms: int
) -> list[tuple[int, int, int, bytes]]:
    """Return roll-ups that overlap a closed range of hours, by group and time: group, first hour, scrape interval, content."""
    return binary_rows(
        session,
        "SELECT id, first_hour, interval_ms, content FROM metric_roll_up WHERE team_id = %s AND id = ANY (%s) "
        "AND resolution_ms = %s AND first_hour BETWEEN %s AND %s ORDER BY id, first_hour",
        (session.team_id, list(blocks), resolution_ms, hours[0] - ROLL_UP_SPANS[resolution_ms] + 1, hours[1]),
    )


def count_samples(session: ReadSession, blocks: Sequence[int], hours: tuple[int, int], resolution_ms: int) -> int:
    """Return how many compacted samples `chunks` and `roll_ups` would read; resolution 0: all chunks."""
    of_hours = (session.team_id, list(blocks), *hours)
    if not resolution_ms:
        statement = (
            "SELECT coalesce(sum(samples), 0)::bigint FROM metric_chunk WHERE team_id = %s AND id = ANY (%s) "
            "AND hour BETWEEN %s AND %s"
        )
        return int(binary_rows(session, statement, of_hours)[0][0])
    least = hours[0] - ROLL_UP_SPANS[resolution_ms] + 1
    statement = (
        "SELECT coalesce(sum(samples), 0)::bigint FROM (SELECT samples FROM metric_chunk WHERE team_id = %s "
        "AND id = ANY (%s) AND hour BETWEEN %s AND %s AND piece > 0 UNION ALL SELECT samples FROM metric_roll_up "
        "WHERE team_id = %s AND id = ANY (%s) AND first_hour BETWEEN %s AND %s AND resolution_ms = %s) AS parts"
    )
    values = (*of_hours, session.team_id, list(blocks), least, hours[1], resolution_ms)
    return int(binary_rows(session, statement, values)[0][0])


def due_hours(session: ReadSession, closed: int, rolled_up: int, limit: int) -> list[tuple[int, int, int]]:
    """Return hours to join or to add to roll-ups, by group and time: group, hour, samples. By ix_metric_chunk_open.

    Hours before `closed` are joined, those before `rolled_up` belong to the roll-ups.
    """
    return binary_rows(
        session,
        "SELECT id, hour, sum(samples)::bigint FROM metric_chunk WHERE team_id = %s AND piece > 0 AND hour < %s "
        "GROUP BY id, hour HAVING hour < %s OR max(piece) > 1 ORDER BY id, hour LIMIT %s",
        (session.team_id, closed, rolled_up, limit),
    )


def chunks_at(session: ReadSession, at: Sequence[Place]) -> list[tuple[int, int, int, bytes]]:
    """Return chunks by series group and hour, by their pieces: group, hour, piece, content."""
    return binary_rows(
        session,
        "SELECT id, hour, piece, content FROM metric_chunk JOIN unnest(%s::bigint[], %s::int[]) AS asked (block, at) "
        "ON id = block AND hour = at WHERE team_id = %s ORDER BY id, hour, piece",
        ([block for block, _ in at], [hour for _, hour in at], session.team_id),
    )


Piece = tuple[int, int, int]
"""Series group, hour and number."""


def lock_pieces(session: WriteSession, pieces: Sequence[Piece]) -> int:
    """Lock pieces; return how many of them still exist."""
    statement = (
        "SELECT 1 FROM metric_chunk JOIN unnest(%s::bigint[], %s::int[], %s::bigint[]) AS named (block, at, number) "
        "ON id = block AND hour = at AND piece = number WHERE team_id = %s FOR UPDATE OF metric_chunk"
    )
    return len(binary_rows(session, statement, (*_columns(pieces), session.team_id)))


def delete_pieces(session: WriteSession, pieces: Sequence[Piece]) -> None:
    """Delete pieces."""
    statement = (
        "DELETE FROM metric_chunk USING unnest(%s::bigint[], %s::int[], %s::bigint[]) AS named (block, at, number) "
        "WHERE id = block AND hour = at AND piece = number AND team_id = %s RETURNING 1"
    )
    binary_rows(session, statement, (*_columns(pieces), session.team_id))


def renumber_pieces(session: WriteSession, pieces: Sequence[Piece], numbers: Sequence[int]) -> None:
    """Give pieces other numbers; their content is not written again."""
    statement = (
        "UPDATE metric_chunk SET piece = new FROM unnest(%s::bigint[], %s::int[], %s::bigint[], %s::bigint[]) "
        "AS named (block, at, number, new) WHERE id = block AND hour = at AND piece = number AND team_id = %s RETURNING 1"
    )
    binary_rows(session, statement, (*_columns(pieces), list(numbers), session.team_id))


def _columns(rows: Sequence[tuple[int, int, int]]) -> list[list[int]]:
    return [[row[column] for row in rows] for column in range(3)]


def roll_ups_at(session: ReadSession, at: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int, int], bytes]:
    """Return existing roll-ups by series group, resolution and first hour, by primary key."""
    rows = binary_rows(
        session,
        "SELECT id, resolution_ms, first_hour, content FROM metric_roll_up JOIN unnest(%s::bigint[], %s::int[], %s::int[]) "
        "AS asked (block, resolution, at) ON id = block AND resolution_ms = resolution AND first_hour = at WHERE team_id = %s",
        (*_columns(at), session.team_id),
    )
    return {(block, resolution_ms, hour): content for block, resolution_ms, hour, content in rows}
