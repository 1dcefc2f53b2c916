"""Get and update retention rules, preview and delete expired artifacts."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.kind_registry import retained_kinds
from slowpath.evidence.metrics.service import metric_rules
from slowpath.operations.retention import queries
from slowpath.operations.retention.errors import InvalidRetentionRule
from slowpath.operations.retention.jobs import EnforceRetention
from slowpath.operations.retention.rules import (
    LOG,
    OTHER_LIMITS,
    SAMPLES,
    UNREAD,
    ExpiryPreview,
    RetainedKind,
    RetentionLimits,
)
from slowpath.operations.retention.tables import RetentionRule
from slowpath.platform.accounts.service import record_audit_event

BATCH_SIZE = 200

Days = Mapping[str, int | None]
"""Retention in days by kind; None is unlimited."""


def limits_by_kind() -> dict[str, RetentionLimits]:
    """Return the limits of every kind, in display order: artifact kinds, then samples and the audit log."""
    of_artifacts = {
        kind: RetentionLimits(
            is_artifact_kind=True,
            default_days=stored.default_days,
            min_days=stored.min_days,
            max_days=stored.max_days,
        )
        for kind, stored in retained_kinds().items()
    }
    return {**of_artifacts, **OTHER_LIMITS}


def days(session: ReadSession) -> dict[str, int | None]:
    """Return the effective retention of every kind, in days."""
    configured = {kind: row.days for kind, row in queries.select_retention_rules(session).items()}
    samples, _ = metric_rules.settings(session)
    defaults = {kind: limits.default_days for kind, limits in limits_by_kind().items()}
    return {**defaults, **configured, SAMPLES: samples}


def list_retained_kinds(session: ReadSession) -> list[RetainedKind]:
    """Return the retention of every kind, with its number of files and their size."""
    stored = {row[0]: row for row in queries.by_kind(session)}
    entries, oldest = queries.audit_size(session)
    kinds, effective = [], days(session)
    for kind, limits in limits_by_kind().items():
        if kind in stored:
            _, files, size, since = stored[kind]
            kinds.append(RetainedKind(kind, effective[kind], limits, files, int(size or 0), since))
        elif kind == LOG:
            kinds.append(RetainedKind(kind, effective[kind], limits, entries, 0, oldest))
        else:
            kinds.append(RetainedKind(kind, effective[kind], limits))
    return kinds


def validate_rules(rules: Days) -> None:
    """Raise `InvalidRetentionRule` if a kind is unknown or its days are out of range."""
    known = limits_by_kind()
    for kind, kind_days in rules.items():
        if kind not in known:
            raise InvalidRetentionRule(f"There is no kind {kind[:40]!r}.", remedy=f"Use one of: {', '.join(known)}.")
        limits = known[kind]
        if kind_days is None:
            if not limits.can_be_unlimited:
                raise InvalidRetentionRule(
                    "The retention of samples cannot be unlimited.", remedy=f"Set at most {limits.max_days} days."
                )
            continue
        if kind_days < limits.min_days:
            raise InvalidRetentionRule(
                f"The retention of {kind} is too short.",
                limit=limits.min_days,
                actual=kind_days,
                unit="days",
                remedy=f"Set at least {limits.min_days} days.",
            )
        if kind_days > limits.max_days:
            raise InvalidRetentionRule(
                f"The retention of {kind} is too long.",
                limit=limits.max_days,
                actual=kind_days,
                unit="days",
                remedy=f"Set at most {limits.max_days} days{', or unlimited' if limits.can_be_unlimited else ''}.",
            )


def update_rules(session: WriteSession, rules: Days) -> dict[str, dict[str, int | None]]:
    """Update retention rules and enqueue the deletion of expired data; return the changes by kind.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(rules)
    before = days(session)
    changed = {
        kind: {"from": before[kind], "to": kind_days} for kind, kind_days in rules.items() if before[kind] != kind_days
    }
    rows = queries.select_retention_rules(session)
    for kind in changed:
        if kind == SAMPLES:
            samples = rules[kind]
            assert samples is not None  # `validate_rules` rejects it
            metric_rules.set_sample_retention(session, samples)
        elif kind in rows:
            rows[kind].days = rules[kind]
        else:
            session.add(RetentionRule(team_id=session.team_id, id=new_id(), kind=kind, days=rules[kind]))
    session.flush()
    if changed:
        enqueue_unless_pending(session, EnforceRetention(session.team_id))
    return changed


def preview_expiry(session: ReadSession, rules: Days, now: datetime) -> list[ExpiryPreview]:
    """Return what the given rules would delete now; kinds without expired artifacts are omitted.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(rules)
    found: dict[str, dict[bool, tuple[int, int]]] = {}
    for kind, in_use, files, size in queries.select_expiry_preview(session, rules, now):
        found.setdefault(kind, {})[in_use] = (files, int(size or 0))
    nothing = (0, 0)
    return [
        ExpiryPreview(kind, *found[kind].get(False, nothing), *found[kind].get(True, nothing))
        for kind in limits_by_kind()
        if kind in found
    ]


def delete_expired(session: WriteSession, now: datetime) -> int:
    """Delete a batch of expired artifacts and their bytes; return their number, 0 if none is left."""
    rows = queries.select_expired_artifacts(session, days(session), now, BATCH_SIZE)
    if not rows:
        return 0
    by_kind = Counter(row.kind if row.kind in retained_kinds() else UNREAD for row in rows)
    size = sum(row.size_bytes for row in rows)
    facts = {"files": len(rows), "bytes": size, "kinds": dict(by_kind), "oldest": rows[0].created_at.isoformat()}
    artifacts.delete_artifacts(session, rows)
    record_audit_event(session, None, "artifacts.expired", "artifact", None, facts)
    return len(rows)
