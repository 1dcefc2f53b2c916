"""Every SELECT of metrics."""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from sqlalchemy import Select, func, select

from slowpath.core.sessions import ReadSession
from slowpath.metrics.tables import MetricSeries, MetricSettings

SERIES_COLUMNS = (MetricSeries.id, MetricSeries.name, MetricSeries.labels, MetricSeries.kind, MetricSeries.block_id,
                  MetricSeries.created_ms)  # fmt: skip


def settings(session: ReadSession) -> MetricSettings | None:
    """Return the team's settings, by their unique key."""
    return session.scalars(select(MetricSettings).where(MetricSettings.team_id == session.team_id)).one_or_none()


def series_named(
    session: ReadSession, name: str, equal: Mapping[str, str], any_of: Mapping[str, Sequence[str]]
) -> Sequence[Any]:
    """Return the series of a name with these labels, by ix_metric_series_name. "" means that the label is absent or empty."""
    found: Select[Any] = select(*SERIES_COLUMNS).where(
        MetricSeries.team_id == session.team_id, MetricSeries.name == name
    )
    for label, value in equal.items():
        found = found.where(func.coalesce(MetricSeries.labels[label].astext, "") == value)
    for label, values in any_of.items():
        found = found.where(func.coalesce(MetricSeries.labels[label].astext, "").in_(list(values)))
    return session.execute(found.order_by(MetricSeries.id)).all()


def tail(session: ReadSession, from_ms: int, to_ms: int) -> list[tuple[bytes, int]]:
    """Return the rows of the tail that touch an interval, oldest first: content, and when it was received (ms)."""
    return _binary(
        session,
        "SELECT content, (extract(epoch FROM created_at) * 1000)::bigint FROM metric_tail "
        "WHERE team_id = %s AND last_ms >= %s AND first_ms <= %s ORDER BY id",
        (session.team_id, from_ms, to_ms),
    )


def tail_rows(session: ReadSession, most_samples: int) -> list[tuple[int, bytes, int]]:
    """Return the oldest rows of the tail, at least one and up to so many samples: id, content, received (ms)."""
    return _binary(
        session,
        "SELECT id, content, received FROM (SELECT id, content, (extract(epoch FROM created_at) * 1000)::bigint AS "
        "received, sum(samples) OVER (ORDER BY id) - samples AS before FROM metric_tail WHERE team_id = %s) AS rows "
        "WHERE before < %s ORDER BY id",
        (session.team_id, most_samples),
    )


def chunks(session: ReadSession, blocks: Sequence[int], hours: tuple[int, int]) -> list[tuple[int, int, bytes]]:
    """Return hours of blocks, first and last hour included: block, hour, content; by block and hour."""
    return _binary(
        session,
        "SELECT id, hour, content FROM metric_chunk WHERE team_id = %s AND id = ANY (%s) AND hour BETWEEN %s AND %s "
        "ORDER BY id, hour",
        (session.team_id, list(blocks), *hours),
    )


def chunks_at(session: ReadSession, at: Sequence[tuple[int, int]]) -> list[tuple[int, int, bytes]]:
    """Return some hours of some blocks: block, hour, content."""
    return _binary(
        session,
        "SELECT id, hour, content FROM metric_chunk JOIN unnest(%s::bigint[], %s::int[]) AS asked (block, at) "
        "ON id = block AND hour = at WHERE team_id = %s",
        ([block for block, _ in at], [hour for _, hour in at], session.team_id),
    )


def _binary(session: ReadSession, statement: str, values: tuple[object, ...]) -> list[Any]:
    """Ask in PostgreSQL's binary format: packed samples in text would be twice as long. Names the team itself, as all do."""
    connection = session.connection().connection.driver_connection
    assert isinstance(connection, psycopg.Connection)
    with connection.cursor(binary=True) as cursor:
        cursor.execute(statement.encode(), values)
        return cursor.fetchall()
