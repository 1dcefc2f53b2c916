"""Endpoints of retention and storage usage."""

import re
from typing import Annotated

from fastapi import APIRouter, Query

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest
from slowpath.evidence.artifacts.service import storage_accounting
from slowpath.evidence.metrics.service import metric_rules
from slowpath.operations.retention.errors import InvalidRetentionRule
from slowpath.operations.retention.rules import KINDS
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

ASKED_RULE = r"^[a-z.]{1,40}:(\d{1,6}|forever)$"


@router.get("/retention", operation_id="retention:get")
def get_retention(caller: MayRead, session: Reading) -> RetentionOut:
    """Tell for how long what is kept, and what there is of it."""
    return _told(session)


@router.put("/retention", operation_id="retention:update", responses=document_problems(InvalidRequest))
def change_retention(sent: RetentionIn, caller: MayManage, session: Writing) -> RetentionOut:
    """Change for how long what is kept. What is too old goes within minutes; look at the preview first."""
    changed = retention_rules.update_rules(session, {rule.kind: rule.retention_days for rule in sent.rules})
    if changed:
        record_audit_event(session, caller, "retention.updated", "team", caller.team_id, changed)
    return _told(session)


@router.get("/retention/preview", operation_id="retention:preview", responses=document_problems(InvalidRequest))
def preview_retention(
    caller: MayRead,
    session: Reading,
    clock: Now,
    rule: Annotated[
        list[Annotated[str, Query(pattern=ASKED_RULE)]],
        Query(max_length=len(KINDS), description="`kind:days` or `kind:forever`", default_factory=list),
    ],
) -> RetentionPreviewOut:
    """Tell what would be deleted at once if it were kept so. Kinds that are not named stay as they are."""
    asked: dict[str, int | None] = {}
    for one in rule:
        if re.fullmatch(ASKED_RULE, one) is None:
            raise InvalidRetentionRule("A rule is not `kind:days`.", remedy="Ask for trace:90 or trace:forever.")
        kind, _, days = one.partition(":")
        asked[kind] = None if days == "forever" else int(days)
    retention_rules.validate_rules(asked)
    return RetentionPreviewOut.of(
        retention_rules.preview_expiry(session, {**retention_rules.days(session), **asked}, clock.now())
    )


def _told(session: ReadSession) -> RetentionOut:
    return RetentionOut(rules=[RetentionRuleOut.of(one) for one in retention_rules.list_retained_kinds(session)])


@router.get("/usage", operation_id="usage:get")
def get_usage(caller: MayRead, session: Reading, clock: Now, settings: Configured) -> UsageOut:
    """Tell what the team stores and what came in each day."""
    told = usage.get_usage(session, clock.now())
    limits = []
    if settings.max_team_bytes:
        limits.append(UsageLimit.of("bytes", settings.max_team_bytes, storage_accounting.get_stored_bytes(session)))
    _, series = metric_rules.settings(session)
    limits.append(UsageLimit.of("series", settings.max_series, series))
    return UsageOut.of(told, limits)
