"""What came in and what it was taken for, rules by hand, and how long samples are kept."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts.access import MayManage, MayRead, MayWrite
from slowpath.accounts.service import audit
from slowpath.analysis.metrics.detection import WHY
from slowpath.core.errors import NotFound, Refused
from slowpath.metrics.rules import MetricRuleId
from slowpath.metrics.schemas import (
    MetricRuleChange,
    MetricRuleIn,
    MetricRuleOut,
    MetricSettingsChange,
    MetricSettingsOut,
    RecognisedList,
    RecognisedOut,
)
from slowpath.metrics.service import ruling
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["metrics"])
MAY_BE_NULL = {"service", "service_label", "environment_label", "status_label", "title"}


@router.get("/metrics/recognised", operation_id="metrics:recognised")
def list_recognised(caller: MayRead, session: Reading, settings: Configured) -> RecognisedList:
    """Say of each name that came in what it was taken for and why, or why for nothing."""
    rows, more = ruling.recognised(session)
    _, series = ruling.settings(session)
    items = [
        RecognisedOut(
            name=row.name,
            kind=row.kind,
            series=row.series,
            role=row.role,
            reason=row.why,
            why=WHY.get(row.why, row.why),
            services=row.services,
            service_id=row.service_id,
            environment_id=row.environment_id,
        )
        for row in rows
    ]
    return RecognisedList(items=items, series=series, max_series=settings.max_series, more=more)


@router.get("/metric-rules", operation_id="metric-rules:list", responses=problems(Refused))
def list_rules(caller: MayRead, session: Reading, paging: Paging) -> Page[MetricRuleOut]:
    """List rules, newest first."""
    rows = ruling.rules(session, paging.after, paging.limit + 1)
    return paging.page(rows, MetricRuleOut.model_validate, lambda row: (row.created_at, row.id))


@router.post("/metric-rules", operation_id="metric-rules:create", status_code=201, responses=problems(Refused))
def create_rule(wanted: MetricRuleIn, caller: MayWrite, session: Writing) -> MetricRuleOut:
    """Say what a metric is. Its series are looked at again at once."""
    row = ruling.add_rule(session, wanted.model_dump())
    audit(session, caller, "metric-rule.created", "metric_rule", row.id, {"metric": row.metric, "role": row.role})
    return MetricRuleOut.model_validate(row)


@router.patch("/metric-rules/{rule_id}", operation_id="metric-rules:change", responses=problems(NotFound, Refused))
def change_rule(rule_id: UUID, change: MetricRuleChange, caller: MayWrite, session: Writing) -> MetricRuleOut:
    """Change a rule."""
    said = change.model_dump(exclude_unset=True)
    values = {name: value for name, value in said.items() if value is not None or name in MAY_BE_NULL}
    row = ruling.change_rule(session, MetricRuleId(rule_id), values)
    audit(session, caller, "metric-rule.changed", "metric_rule", row.id, values)
    return MetricRuleOut.model_validate(row)


@router.delete(
    "/metric-rules/{rule_id}", operation_id="metric-rules:delete", status_code=204, responses=problems(NotFound)
)
def delete_rule(rule_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a rule."""
    row = ruling.delete_rule(session, MetricRuleId(rule_id))
    audit(session, caller, "metric-rule.deleted", "metric_rule", rule_id, {"metric": row.metric})


@router.get("/metrics/settings", operation_id="metrics:settings")
def get_settings(caller: MayRead, session: Reading, settings: Configured) -> MetricSettingsOut:
    """Say for how long samples are kept, and how many series there are."""
    days, series = ruling.settings(session)
    return MetricSettingsOut(retention_days=days, series=series, max_series=settings.max_series)


@router.patch("/metrics/settings", operation_id="metrics:change-settings", responses=problems(Refused))
def change_settings(
    change: MetricSettingsChange, caller: MayManage, session: Writing, settings: Configured
) -> MetricSettingsOut:
    """Keep samples for another time. What is older goes within hours."""
    row = ruling.keep_for(session, change.retention_days)
    audit(session, caller, "metrics.settings-changed", "metric_settings", row.id, change.model_dump())
    return MetricSettingsOut(retention_days=row.retention_days, series=row.series, max_series=settings.max_series)
