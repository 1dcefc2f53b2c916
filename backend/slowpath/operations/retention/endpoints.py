"""Endpoints of retention and storage usage."""

import re
from typing import Annotated

from fastapi import APIRouter, Query

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest
from slowpath.evidence.artifacts.service import storage_accounting
from slowpath.evidence.metrics.service import metric_rules
from slowpath.operations.retention.errors import InvalidRetentionRule
from slowpath.operations.retention.rules import MOST_RULES
from slowpath.operations.retention.schemas import (
    RetentionIn,
    RetentionOut,
    RetentionPreviewOut,
    RetentionRuleOut,
    UsageLimit,
    UsageOut,
)
from slowpath.operations.retention.service import retention_rules, usage
from slowpath.platform.accounts.access import MayManage, MayRead
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, Now, Reading, Writing

router = APIRouter(prefix="/api/v1", tags=["retention"])

RULE_PATTERN = r"^[a-z.]{1,40}:(\d{1,6}|forever)$"


@router.get("/retention", operation_id="retention:get")
def get_retention(caller: MayRead, session: Reading) -> RetentionOut:
    """Return the retention rules of all kinds, with the number and size of their files."""
    return _make_retention_out(session)


@router.put("/retention", operation_id="retention:update", responses=document_problems(InvalidRequest))
def change_retention(sent: RetentionIn, caller: MayManage, session: Writing) -> RetentionOut:
    """Update retention rules. Expired data is deleted within minutes; check the preview first."""
    changed = retention_rules.update_rules(session, {rule.kind: rule.retention_days for rule in sent.rules})
    if changed:
        record_audit_event(session, caller, "retention.updated", "team", caller.team_id, changed)
    return _make_retention_out(session)


@router.get("/retention/preview", operation_id="retention:preview", responses=document_problems(InvalidRequest))
def preview_retention(
    caller: MayRead,
    session: Reading,
    clock: Now,
    rule: Annotated[
        list[Annotated[str, Query(pattern=RULE_PATTERN)]],
        Query(max_length=MOST_RULES, description="`kind:days` or `kind:forever`", default_factory=list),
    ],
) -> RetentionPreviewOut:
    """Preview what new retention rules would delete now. Other kinds use their current rules."""
    rules: dict[str, int | None] = {}
    for one in rule:
        if re.fullmatch(RULE_PATTERN, one) is None:
            raise InvalidRetentionRule(
                f"The rule {one[:60]!r} is not `kind:days`.", remedy="Send a rule such as trace:90 or trace:forever."
            )
        kind, _, days = one.partition(":")
        rules[kind] = None if days == "forever" else int(days)
    retention_rules.validate_rules(rules)
    return RetentionPreviewOut.of(
        retention_rules.preview_expiry(session, {**retention_rules.days(session), **rules}, clock.now())
    )


def _make_retention_out(session: ReadSession) -> RetentionOut:
    return RetentionOut(rules=[RetentionRuleOut.of(one) for one in retention_rules.list_retained_kinds(session)])


@router.get("/usage", operation_id="usage:get")
def get_usage(caller: MayRead, session: Reading, clock: Now, settings: Configured) -> UsageOut:
    """Return the storage of the team and its usage per day."""
    team_usage = usage.get_usage(session, clock.now())
    limits = []
    if settings.max_team_bytes:
        limits.append(UsageLimit.of("bytes", settings.max_team_bytes, storage_accounting.get_stored_bytes(session)))
    _, series = metric_rules.settings(session)
    limits.append(UsageLimit.of("series", settings.max_series, series))
    return UsageOut.of(team_usage, limits)
