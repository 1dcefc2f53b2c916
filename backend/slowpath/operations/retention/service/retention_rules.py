"""Get and update retention rules, preview and delete expired artifacts."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import new_id
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.metrics.service import metric_rules
from slowpath.operations.retention import queries
from slowpath.operations.retention.errors import InvalidRetentionRule
from slowpath.operations.retention.jobs import EnforceRetention
from slowpath.operations.retention.rules import (
    DEFAULT_DAYS,
    FILE_KINDS,
    KINDS,
    LOG,
    SAMPLES,
    ExpiryPreview,
    RetainedKind,
    max_days,
    min_days,
    rule_kind,
)
from slowpath.operations.retention.tables import RetentionRule
from slowpath.platform.accounts.service import record_audit_event

BATCH_SIZE = 200

Days = Mapping[str, int | None]
"""Retention in days by kind; None is unlimited."""


def days(session: ReadSession) -> dict[str, int | None]:
    """Return the effective retention of every kind, in days."""
    configured = {kind: row.days for kind, row in queries.select_retention_rules(session).items()}
    samples, _ = metric_rules.settings(session)
    return {**DEFAULT_DAYS, **configured, SAMPLES: samples}


def list_retained_kinds(session: ReadSession) -> list[RetainedKind]:
    """Return the retention of every kind, with its number of files and their size."""
    stored = {row[0]: row for row in queries.by_kind(session)}
    entries, oldest = queries.audit_size(session)
    kinds = []
    for kind, kind_days in days(session).items():
        if kind in stored:
            _, files, size, since = stored[kind]
            kinds.append(RetainedKind(kind, kind_days, files, int(size or 0), since))
        elif kind == LOG:
            kinds.append(RetainedKind(kind, kind_days, entries, 0, oldest))
        else:
            kinds.append(RetainedKind(kind, kind_days))
    return kinds


def validate_rules(wanted: Days) -> None:
    """Raise `InvalidRetentionRule` if a kind is unknown or its days are out of range."""
    for kind, kind_days in wanted.items():
        if kind not in KINDS:
            raise InvalidRetentionRule(f"There is no kind {kind[:40]!r}.", remedy=f"Use one of: {', '.join(KINDS)}.")
        if kind_days is None:
            if kind == SAMPLES:
                raise InvalidRetentionRule(
                    "The retention of samples cannot be unlimited.", remedy=f"Set at most {max_days(kind)} days."
                )
            continue
        if kind_days < min_days(kind):
            raise InvalidRetentionRule(
                f"The retention of {kind} is too short.",
                limit=min_days(kind),
                actual=kind_days,
                unit="days",
                remedy=f"Set at least {min_days(kind)} days.",
            )
        if kind_days > max_days(kind):
            raise InvalidRetentionRule(
                f"The retention of {kind} is too long.",
                limit=max_days(kind),
                actual=kind_days,
                unit="days",
                remedy=f"Set at most {max_days(kind)} days{'' if kind == SAMPLES else ', or unlimited'}.",
            )


def update_rules(session: WriteSession, wanted: Days) -> dict[str, dict[str, int | None]]:
    """Update retention rules and enqueue the deletion of expired data; return the changes by kind.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(wanted)
    before = days(session)
    changed = {
        kind: {"from": before[kind], "to": kind_days} for kind, kind_days in wanted.items() if before[kind] != kind_days
    }
    rows = queries.select_retention_rules(session)
    for kind in changed:
        if kind == SAMPLES:
            samples = wanted[kind]
            assert samples is not None  # `validate_rules` rejects it
            metric_rules.set_sample_retention(session, samples)
        elif kind in rows:
            rows[kind].days = wanted[kind]
        else:
            session.add(RetentionRule(team_id=session.team_id, id=new_id(), kind=kind, days=wanted[kind]))
    session.flush()
    if changed:
        enqueue_unless_pending(session, EnforceRetention(session.team_id))
    return changed


def preview_expiry(session: ReadSession, wanted: Days, now: datetime) -> list[ExpiryPreview]:
    """Return what the given rules would delete now; kinds without expired artifacts are omitted.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(wanted)
    found: dict[str, dict[bool, tuple[int, int]]] = {}
    for kind, in_use, files, size in queries.select_expiry_preview(session, wanted, now):
        found.setdefault(kind, {})[in_use] = (files, int(size or 0))
    nothing = (0, 0)
    return [
        ExpiryPreview(kind, *found[kind].get(False, nothing), *found[kind].get(True, nothing))
        for kind in FILE_KINDS
        if kind in found
    ]


def delete_expired(session: WriteSession, now: datetime) -> int:
    """Delete a batch of expired artifacts and their bytes; return their number, 0 if none is left."""
    rows = queries.select_expired_artifacts(session, days(session), now, BATCH_SIZE)
    if not rows:
        return 0
    by_kind = Counter(rule_kind(row.kind) for row in rows)
    size = sum(row.size_bytes for row in rows)
    facts = {"files": len(rows), "bytes": size, "kinds": dict(by_kind), "oldest": rows[0].created_at.isoformat()}
    artifacts.delete_artifacts(session, rows)
    record_audit_event(session, None, "artifacts.expired", "artifact", None, facts)
    return len(rows)
