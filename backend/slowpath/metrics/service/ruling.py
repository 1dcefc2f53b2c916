"""What a team says of its metrics: rules by hand, and how long samples are kept."""

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import bindparam, update

from slowpath.analysis.metrics.series import SeriesKind
from slowpath.core.ids import new_id
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.metrics import queries
from slowpath.metrics.errors import RuleNotFound
from slowpath.metrics.queries import After
from slowpath.metrics.rules import RETENTION_DAYS, MetricRuleId
from slowpath.metrics.service.naming import Recogniser
from slowpath.metrics.service.receiving import settings_of
from slowpath.metrics.tables import MetricRule, MetricSeries, MetricSettings

MOST_NAMES = 2_000
PARTS = ("", "_bucket", "_sum", "_count")


def rules(session: ReadSession, after: After, limit: int) -> Sequence[MetricRule]:
    """Return rules, newest first."""
    return queries.rules(session, after, limit)


def rule(session: ReadSession, rule_id: MetricRuleId) -> MetricRule:
    """Return one rule. Raises `RuleNotFound`."""
    row = queries.rule(session, rule_id)
    if row is None:
        raise RuleNotFound("There is no such rule in this team.")
    return row


def add_rule(session: WriteSession, values: dict[str, Any]) -> MetricRule:
    """Add a rule, and say anew what the series of its metric are."""
    row = MetricRule(team_id=session.team_id, id=new_id(), **values)
    session.add(row)
    session.flush()  # the database gives the time, and the rule counts from now on
    recognise_again(session, {row.metric})
    return row


def change_rule(session: WriteSession, rule_id: MetricRuleId, values: dict[str, Any]) -> MetricRule:
    """Change a rule, and say anew what the series of its metric are. Raises `RuleNotFound`."""
    row = rule(session, rule_id)
    metrics = {row.metric}
    for name, value in values.items():
        setattr(row, name, value)
    session.flush()  # the rule counts from now on
    recognise_again(session, {*metrics, row.metric})
    return row


def delete_rule(session: WriteSession, rule_id: MetricRuleId) -> MetricRule:
    """Delete a rule, and say anew what the series of its metric are. Raises `RuleNotFound`."""
    row = rule(session, rule_id)
    session.delete(row)
    session.flush()  # the rule counts no more
    recognise_again(session, {row.metric})
    return row


def recognise_again(session: WriteSession, metrics: set[str]) -> None:
    """Say anew what the series of some metrics are."""
    names = [f"{metric}{part}" for metric in metrics for part in PARTS]
    recogniser = Recogniser(session)
    news = []
    for row in queries.series_named(session, names):
        told = recogniser.place(row.name, row.labels, cast("SeriesKind", row.kind))
        news.append(
            {
                "this": row.id,
                "now_role": told.recognised.role,
                "now_why": told.recognised.why,
                "now_service": told.service_id,
                "now_environment": told.environment_id,
            }
        )
    if news:
        statement = (
            update(MetricSeries)
            .where(MetricSeries.team_id == session.team_id, MetricSeries.id == bindparam("this"))
            .values(
                role=bindparam("now_role"),
                why=bindparam("now_why"),
                service_id=bindparam("now_service"),
                environment_id=bindparam("now_environment"),
            )
        )
        session.connection().execute(statement, news)


def recognised(session: ReadSession) -> tuple[Sequence[Any], bool]:
    """Return each name with what it is and why, and whether there are more than are told."""
    rows = queries.names(session, MOST_NAMES + 1)
    return rows[:MOST_NAMES], len(rows) > MOST_NAMES


def settings(session: ReadSession) -> tuple[int, int]:
    """Return for how many days samples are kept, and how many series there are."""
    row = queries.settings(session)
    return (row.retention_days, row.series) if row is not None else (RETENTION_DAYS, 0)


def keep_for(session: WriteSession, days: int) -> MetricSettings:
    """Keep samples for so many days; what is older goes with the next tidying."""
    row = settings_of(session)
    row.retention_days = days
    return row
