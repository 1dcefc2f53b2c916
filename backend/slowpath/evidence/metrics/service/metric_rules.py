"""Metric rules and settings of a team."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import bindparam, update

from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.errors import MetricRuleNotFound
from slowpath.evidence.metrics.queries import After
from slowpath.evidence.metrics.rules import RETENTION_DAYS, MetricRuleId
from slowpath.evidence.metrics.service.sample_ingest import get_or_create_settings
from slowpath.evidence.metrics.service.series_registry import SeriesClassifier
from slowpath.evidence.metrics.tables import MetricRule, MetricSeries, MetricSettings

MOST_NAMES = 2_000
PARTS = ("", "_bucket", "_sum", "_count")


def rules(session: ReadSession, after: After, limit: int) -> Sequence[MetricRule]:
    """Return metric rules, newest first."""
    return queries.rules(session, after, limit)


def rule(session: ReadSession, rule_id: MetricRuleId) -> MetricRule:
    """Return one rule. Raises `MetricRuleNotFound`."""
    row = queries.rule(session, rule_id)
    if row is None:
        raise MetricRuleNotFound("There is no such metric rule in this team.")
    return row


def add_rule(session: WriteSession, values: dict[str, Any]) -> MetricRule:
    """Create a rule, and classify the series of its metric again."""
    row = MetricRule(team_id=session.team_id, id=new_id(), **values)
    session.add(row)
    session.flush()  # the database sets created_at, and the rule applies from now on
    reclassify_series(session, {row.metric})
    return row


def change_rule(session: WriteSession, rule_id: MetricRuleId, values: dict[str, Any]) -> MetricRule:
    """Update a rule, and classify the series of its metrics again. Raises `MetricRuleNotFound`."""
    row = rule(session, rule_id)
    metrics = {row.metric}
    for name, value in values.items():
        setattr(row, name, value)
    session.flush()  # the rule applies from now on
    reclassify_series(session, {*metrics, row.metric})
    return row


def delete_rule(session: WriteSession, rule_id: MetricRuleId) -> MetricRule:
    """Delete a rule, and classify the series of its metric again. Raises `MetricRuleNotFound`."""
    row = rule(session, rule_id)
    session.delete(row)
    session.flush()  # the rule no longer applies
    reclassify_series(session, {row.metric})
    return row


def reclassify_series(session: WriteSession, metrics: set[str]) -> None:
    """Classify the series of these metrics again."""
    names = [f"{metric}{part}" for metric in metrics for part in PARTS]
    recogniser = SeriesClassifier(session)
    news = []
    for row in queries.series_named(session, names):
        placement = recogniser.place(row.name, row.labels, cast("SeriesKind", row.kind))
        news.append(
            {
                "this": row.id,
                "now_role": placement.recognised.role,
                "now_why": placement.recognised.why,
                "now_service": placement.service_id,
                "now_environment": placement.environment_id,
            }
        )
    if news:
        statement = (
            update(MetricSeries)
            .where(MetricSeries.team_id == session.team_id, MetricSeries.id == bindparam("this"))
            .values(
                role=bindparam("now_role"),
                classification_reason=bindparam("now_why"),
                service_id=bindparam("now_service"),
                environment_id=bindparam("now_environment"),
            )
        )
        session.connection().execute(statement, news)


def list_metric_names(session: ReadSession) -> tuple[Sequence[Any], bool]:
    """Return metric names with their classification, and whether there are more."""
    rows = queries.names(session, MOST_NAMES + 1)
    return rows[:MOST_NAMES], len(rows) > MOST_NAMES


def settings(session: ReadSession) -> tuple[int, int]:
    """Return the retention of samples in days, and the number of series."""
    row = queries.settings(session)
    return (row.retention_days, row.series) if row is not None else (RETENTION_DAYS, 0)


def set_sample_retention(session: WriteSession, days: int) -> MetricSettings:
    """Set the retention of samples in days; the next maintenance deletes older ones."""
    row = get_or_create_settings(session)
    row.retention_days = days
    return row
