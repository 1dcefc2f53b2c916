"""SQL queries on metrics."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Text, case, cast, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.evidence.metrics.queries.chunk_queries import (
    binary_rows,
    chunks,
    chunks_at,
    count_samples,
    delete_pieces,
    due_hours,
    lock_pieces,
    renumber_pieces,
    roll_ups,
    roll_ups_at,
)
from slowpath.evidence.metrics.rules import MetricRuleId
from slowpath.evidence.metrics.tables import (
    DeploymentEvaluationRow,
    DetectionCursor,
    MetricChangePoint,
    MetricRule,
    MetricSeries,
    MetricSettings,
    MetricWalRecord,
)
from slowpath.inventory.catalog.tables import Environment, Service

__all__ = [
    "chunks",
    "chunks_at",
    "count_samples",
    "delete_pieces",
    "due_hours",
    "lock_pieces",
    "renumber_pieces",
    "roll_ups",
    "roll_ups_at",
]

After = tuple[datetime, UUID] | None
MOST_RULES = 1_000
TIDY_PARTS = text("SELECT part, fate FROM cross_team.maintain_metric_partitions(:months)")

SERIES_COLUMNS = (MetricSeries.id, MetricSeries.name, MetricSeries.labels, MetricSeries.kind, MetricSeries.series_group_id,
                  MetricSeries.created_ms)  # fmt: skip


def settings(session: ReadSession) -> MetricSettings | None:
    """Return the team's settings, by their unique key."""
    return session.scalars(select(MetricSettings).where(MetricSettings.team_id == session.team_id)).one_or_none()


def lock_settings_shared(session: WriteSession) -> MetricSettings | None:
    """Return the team's settings; no series of the team is deleted until the transaction ends."""
    return session.scalars(
        select(MetricSettings)
        .where(MetricSettings.team_id == session.team_id)
        .with_for_update(read=True, key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def series_by_fingerprint(session: ReadSession, fingerprints: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
    """Return ID and series group of existing series by fingerprint, by their unique key."""
    rows = binary_rows(
        session,
        "SELECT fingerprint, id, series_group_id FROM metric_series WHERE team_id = %s AND fingerprint = ANY (%s)",
        (session.team_id, list(fingerprints)),
    )
    return {bytes(mark): (series_id, block_id) for mark, series_id, block_id in rows}


def newest_blocks(session: ReadSession, bundles: Sequence[bytes]) -> dict[bytes, tuple[int, int]]:
    """Return the newest series group of each group key and its number of series, by ix_metric_series_group_key."""
    rows = binary_rows(
        session,
        "SELECT DISTINCT ON (group_key) group_key, series_group_id, count(*) FROM metric_series WHERE team_id = %s "
        "AND group_key = ANY (%s) GROUP BY group_key, series_group_id ORDER BY group_key, series_group_id DESC",
        (session.team_id, list(bundles)),
    )
    return {bytes(bundle): (block_id, filled) for bundle, block_id, filled in rows}


def all_rules(session: ReadSession) -> Sequence[MetricRule]:
    """Return all rules of the team, newest first: the newest takes precedence."""
    return rules(session, None, MOST_RULES)


def rules(session: ReadSession, after: After, limit: int) -> Sequence[MetricRule]:
    """Return rules newest first, by ix_metric_rule_newest."""
    found = select(MetricRule).order_by(MetricRule.created_at.desc(), MetricRule.id.desc()).limit(limit)
    found = found.where(MetricRule.team_id == session.team_id)
    if after is not None:
        found = found.where(tuple_(MetricRule.created_at, MetricRule.id) < after)
    return session.scalars(found).all()


def rule(session: ReadSession, rule_id: MetricRuleId) -> MetricRule | None:
    """Return one rule, by primary key."""
    return session.get(MetricRule, (session.team_id, rule_id))


def count_of_services(session: ReadSession) -> int:
    """Return the number of services of the team."""
    return session.scalar(select(func.count()).select_from(Service).where(Service.team_id == session.team_id)) or 0


def has_service(session: ReadSession, name: str) -> bool:
    """Return whether the team has a service with this name."""
    found = select(Service.id).where(Service.team_id == session.team_id, Service.name == name).limit(1)
    return session.scalar(found) is not None


def first_environment(session: ReadSession) -> UUID | None:
    """Return the oldest environment of the team."""
    return session.scalar(
        select(Environment.id)
        .where(Environment.team_id == session.team_id)
        .order_by(Environment.created_at, Environment.id)
        .limit(1)
    )


def series_named(session: ReadSession, names: Sequence[str]) -> Sequence[Any]:
    """Return all series with these names, by ix_metric_series_name."""
    found = select(*SERIES_COLUMNS).where(MetricSeries.team_id == session.team_id, MetricSeries.name.in_(names))
    return session.execute(found.order_by(MetricSeries.id)).all()


def select_wal_records(session: ReadSession, from_ms: int, to_ms: int) -> list[tuple[bytes, int]]:
    """Return the WAL records that overlap a time range, oldest first: content, and time of receipt (ms)."""
    return binary_rows(
        session,
        "SELECT content, (extract(epoch FROM created_at) * 1000)::bigint FROM metric_wal_record "
        "WHERE team_id = %s AND last_ms >= %s AND first_ms <= %s ORDER BY id",
        (session.team_id, from_ms, to_ms),
    )


def select_oldest_wal_records(session: ReadSession, most_samples: int) -> list[tuple[int, bytes, int]]:
    """Return the oldest WAL records up to a number of samples, at least one: ID, content, time of receipt (ms)."""
    return binary_rows(
        session,
        "SELECT id, content, received FROM (SELECT id, content, (extract(epoch FROM created_at) * 1000)::bigint AS "
        "received, sum(samples) OVER (ORDER BY id) - samples AS before FROM metric_wal_record WHERE team_id = %s) AS rows "
        "WHERE before < %s ORDER BY id",
        (session.team_id, most_samples),
    )


def select_classified_series(session: ReadSession, environment_id: UUID, labels: Sequence[str]) -> Sequence[Any]:
    """Return the classified series of an environment, grouped by service, name and the labels that name the service.

    By ix_metric_series_environment; `example` are the labels of one series of each.
    """
    values = func.jsonb_build_object(*(part for label in labels for part in (label, MetricSeries.labels[label].astext)))
    who = func.jsonb_strip_nulls(values).label("who")
    columns = (MetricSeries.service_id, MetricSeries.role, MetricSeries.name, MetricSeries.kind, MetricSeries.unit, who)
    return session.execute(
        select(
            *columns,
            func.count().label("series"),
            func.array_agg(aggregate_order_by(MetricSeries.labels, MetricSeries.id.desc()))[1].label("example"),
        )
        .where(
            MetricSeries.team_id == session.team_id,
            MetricSeries.environment_id == environment_id,
            MetricSeries.role.is_not(None),
            MetricSeries.service_id.is_not(None),
        )
        .group_by(*columns)
        .order_by(MetricSeries.service_id, MetricSeries.name)
    ).all()


def names(session: ReadSession, most: int) -> Sequence[Any]:
    """Return metric names with classification, reason, and numbers of series and services; recognized names first.

    `service_id` and `environment_id` are set if there is only one.
    """
    count = func.count()
    columns = (MetricSeries.name, MetricSeries.kind, MetricSeries.role, MetricSeries.classification_reason)
    return session.execute(
        select(
            *columns,
            count.label("series"),
            func.count(MetricSeries.service_id.distinct()).label("services"),
            _the_one(MetricSeries.service_id).label("service_id"),
            _the_one(MetricSeries.environment_id).label("environment_id"),
        )
        .where(MetricSeries.team_id == session.team_id)
        .group_by(*columns)
        .order_by(MetricSeries.role.is_(None), MetricSeries.name, count.desc())
        .limit(most)
    ).all()


def _the_one(column: InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    """Return the value that all rows of a group share, or null."""
    value = cast(column, Text)
    return case((func.count(column.distinct()) == 1, func.min(value)))


def newest_folded_ms(session: ReadSession, environment_id: UUID) -> int | None:
    """Return the time of the newest compacted sample of an environment's recognized series."""
    return session.scalar(
        select(func.max(MetricSeries.last_ms)).where(
            MetricSeries.team_id == session.team_id,
            MetricSeries.environment_id == environment_id,
            MetricSeries.role.is_not(None),
        )
    )


def environments_measured(session: ReadSession) -> set[UUID]:
    """Return the environments that have recognized series."""
    found = select(MetricSeries.environment_id).where(
        MetricSeries.team_id == session.team_id, MetricSeries.role.is_not(None)
    )
    return {each for each in session.scalars(found.distinct()) if each is not None}


def newest_in_tail_ms(session: ReadSession) -> int | None:
    """Return the time of the newest sample in the WAL."""
    return session.scalar(select(func.max(MetricWalRecord.last_ms)).where(MetricWalRecord.team_id == session.team_id))


def count_of_series(session: ReadSession) -> int:
    """Return the number of series of the team."""
    found = settings(session)
    return found.series if found is not None else 0


def blocks_of(session: ReadSession, series: Sequence[int]) -> dict[int, int]:
    """Return the series group of each existing series, by primary key."""
    statement = "SELECT id, series_group_id FROM metric_series WHERE team_id = %s AND id = ANY (%s)"
    return dict(binary_rows(session, statement, (session.team_id, list(series))))


def has_more_wal_records(session: ReadSession, after_id: int) -> bool:
    """Return whether the WAL has records after one."""
    found = (
        select(MetricWalRecord.id)
        .where(MetricWalRecord.team_id == session.team_id, MetricWalRecord.id > after_id)
        .limit(1)
    )
    return session.scalar(found) is not None


def has_late_samples(session: ReadSession, upto_ms: int, seen_ms: int) -> bool:
    """Return whether the WAL has samples up to `upto_ms` that were received after `seen_ms`."""
    seen = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=seen_ms)
    found = select(MetricWalRecord.id).where(
        MetricWalRecord.team_id == session.team_id,
        MetricWalRecord.first_ms <= upto_ms,
        MetricWalRecord.created_at > seen,
    )
    return session.scalar(found.limit(1)) is not None


def tail_contents(session: ReadSession) -> list[bytes]:
    """Return all WAL records."""
    rows = binary_rows(session, "SELECT content FROM metric_wal_record WHERE team_id = %s", (session.team_id,))
    return [content for (content,) in rows]


def maintain_chunk_partitions(cross_team: Connection, months: int) -> list[tuple[str, str]]:
    """Create and drop partitions of chunks; return each partition with the action."""
    return [(row.part, row.fate) for row in cross_team.execute(TIDY_PARTS, {"months": months})]


def settings_locked(session: WriteSession) -> MetricSettings | None:
    """Lock and return the team's settings; writers of samples wait until the transaction ends."""
    return session.scalars(
        select(MetricSettings)
        .where(MetricSettings.team_id == session.team_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()


def series_quiet_since(session: ReadSession, at_ms: int) -> Sequence[int]:
    """Return the series whose newest compacted sample is older, except those of the last day, which may be in the WAL."""
    return session.scalars(
        select(MetricSeries.id).where(
            MetricSeries.team_id == session.team_id,
            MetricSeries.last_ms < at_ms,
            MetricSeries.created_at < func.clock_timestamp() - timedelta(days=1),
        )
    ).all()


def now_ms(session: ReadSession) -> int:
    """Return the time of the database's clock."""
    return int(session.scalar(select(func.extract("epoch", func.clock_timestamp()) * 1000)) or 0)


def changes_between(
    session: ReadSession, environment_id: UUID, from_ms: int, to_ms: int, limit: int
) -> Sequence[MetricChangePoint]:
    """Return the newest change points of an environment in a time range, oldest first, by ix_metric_change_point_when."""
    found = (
        select(MetricChangePoint)
        .where(
            MetricChangePoint.environment_id == environment_id,
            MetricChangePoint.at_ms >= from_ms,
            MetricChangePoint.at_ms <= to_ms,
        )
        .order_by(MetricChangePoint.at_ms.desc(), MetricChangePoint.id)
        .limit(limit)
    )
    return session.scalars(found).all()[::-1]


def checks_of(session: ReadSession, deploy_ids: Sequence[UUID]) -> Sequence[DeploymentEvaluationRow]:
    """Return the evaluations of deployments, earliest first, by uq_deployment_evaluation_look."""
    found = select(DeploymentEvaluationRow).where(DeploymentEvaluationRow.deployment_id.in_(deploy_ids))
    return session.scalars(found.order_by(DeploymentEvaluationRow.minutes, DeploymentEvaluationRow.id)).all()


def equal_builds(session: ReadSession, service_id: UUID, basis: str, limit: int) -> Sequence[DeploymentEvaluationRow]:
    """Return the newest evaluations of deployments of an unchanged build, by ix_deployment_evaluation_service."""
    found = (
        select(DeploymentEvaluationRow)
        .where(
            DeploymentEvaluationRow.service_id == service_id,
            DeploymentEvaluationRow.is_same_build.is_(True),
            DeploymentEvaluationRow.basis == basis,
            DeploymentEvaluationRow.log_ratio.is_not(None),
        )
        .order_by(
            DeploymentEvaluationRow.created_at.desc(),
            DeploymentEvaluationRow.minutes.desc(),
            DeploymentEvaluationRow.id,
        )
        .limit(limit)
    )
    return session.scalars(found).all()


def select_detection_cursor(session: ReadSession, environment_id: UUID) -> DetectionCursor | None:
    """Return the detection cursor of an environment, by its unique key."""
    return session.scalars(
        select(DetectionCursor).where(DetectionCursor.environment_id == environment_id)
    ).one_or_none()
