"""HTTP endpoints of metric names, rules and settings."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.analysis.kinds.metrics.samples.series_classification import WHY
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.evidence.metrics.rules import MetricRuleId
from slowpath.evidence.metrics.schemas import (
    MetricNameList,
    MetricNameOut,
    MetricRuleIn,
    MetricRuleOut,
    MetricRuleUpdate,
    MetricSettingsOut,
    MetricSettingsUpdate,
)
from slowpath.evidence.metrics.service import metric_rules
from slowpath.platform.accounts.access import MayManage, MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["metrics"])
MAY_BE_NULL = {"service", "service_label", "environment_label", "status_label", "title"}


@router.get("/metrics/names", operation_id="metrics:names")
def list_metric_names(caller: MayRead, session: Reading, settings: Configured) -> MetricNameList:
    """List the received metric names with their classification and its reason."""
    rows, more = metric_rules.list_metric_names(session)
    _, series = metric_rules.settings(session)
    items = [
        MetricNameOut(
            name=row.name,
            kind=row.kind,
            series=row.series,
            role=row.role,
            reason_code=row.classification_reason,
            reason=WHY.get(row.classification_reason, row.classification_reason),
            services=row.services,
            service_id=row.service_id,
            environment_id=row.environment_id,
        )
        for row in rows
    ]
    return MetricNameList(items=items, series=series, max_series=settings.max_series, has_more=more)


@router.get("/metric-rules", operation_id="metric-rules:list", responses=document_problems(InvalidRequest))
def list_rules(caller: MayRead, session: Reading, paging: Paging) -> Page[MetricRuleOut]:
    """List metric rules, newest first."""
    rows = metric_rules.rules(session, paging.after, paging.limit + 1)
    return paging.page(rows, MetricRuleOut.model_validate, lambda row: (row.created_at, row.id))


@router.post(
    "/metric-rules", operation_id="metric-rules:create", status_code=201, responses=document_problems(InvalidRequest)
)
def create_rule(body: MetricRuleIn, caller: MayWrite, session: Writing) -> MetricRuleOut:
    """Create a metric rule. The series of the metric are classified again at once."""
    row = metric_rules.add_rule(session, body.model_dump())
    record_audit_event(
        session, caller, "metric-rule.created", "metric_rule", row.id, {"metric": row.metric, "role": row.role}
    )
    return MetricRuleOut.model_validate(row)


@router.patch(
    "/metric-rules/{rule_id}", operation_id="metric-rules:update", responses=document_problems(NotFound, InvalidRequest)
)
def update_metric_rule(rule_id: UUID, change: MetricRuleUpdate, caller: MayWrite, session: Writing) -> MetricRuleOut:
    """Update a metric rule."""
    sent = change.model_dump(exclude_unset=True)
    values = {name: value for name, value in sent.items() if value is not None or name in MAY_BE_NULL}
    row = metric_rules.change_rule(session, MetricRuleId(rule_id), values)
    record_audit_event(session, caller, "metric-rule.updated", "metric_rule", row.id, values)
    return MetricRuleOut.model_validate(row)


@router.delete(
    "/metric-rules/{rule_id}",
    operation_id="metric-rules:delete",
    status_code=204,
    responses=document_problems(NotFound),
)
def delete_rule(rule_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete a metric rule."""
    row = metric_rules.delete_rule(session, MetricRuleId(rule_id))
    record_audit_event(session, caller, "metric-rule.deleted", "metric_rule", rule_id, {"metric": row.metric})


@router.get("/metrics/settings", operation_id="metric-settings:get")
def get_settings(caller: MayRead, session: Reading, settings: Configured) -> MetricSettingsOut:
    """Return the retention of samples and the number of series."""
    days, series = metric_rules.settings(session)
    return MetricSettingsOut(retention_days=days, series=series, max_series=settings.max_series)


@router.patch("/metrics/settings", operation_id="metric-settings:update", responses=document_problems(InvalidRequest))
def change_settings(
    change: MetricSettingsUpdate, caller: MayManage, session: Writing, settings: Configured
) -> MetricSettingsOut:
    """Update the retention of samples. Older samples are deleted within hours."""
    row = metric_rules.set_sample_retention(session, change.retention_days)
    record_audit_event(session, caller, "metric-settings.updated", "metric_settings", row.id, change.model_dump())
    return MetricSettingsOut(retention_days=row.retention_days, series=row.series, max_series=settings.max_series)
