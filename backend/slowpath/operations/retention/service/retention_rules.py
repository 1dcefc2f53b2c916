"""For how long a team keeps what; what that would delete; deleting it."""

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

MOST_AT_ONCE = 200

Days = Mapping[str, int | None]
"""For how many days what is kept, by kind; None is for ever."""


def days(session: ReadSession) -> dict[str, int | None]:
    """Return for how many days the team keeps what."""
    decided = {kind: row.days for kind, row in queries.select_retention_rules(session).items()}
    samples, _ = metric_rules.settings(session)
    return {**DEFAULT_DAYS, **decided, SAMPLES: samples}


def list_retained_kinds(session: ReadSession) -> list[RetainedKind]:
    """Return every kind with what there is of it."""
    there = {row[0]: row for row in queries.by_kind(session)}
    entries, oldest = queries.audit_size(session)
    told = []
    for kind, kept_days in days(session).items():
        if kind in there:
            _, files, size, since = there[kind]
            told.append(RetainedKind(kind, kept_days, files, int(size or 0), since))
        elif kind == LOG:
            told.append(RetainedKind(kind, kept_days, entries, 0, oldest))
        else:
            told.append(RetainedKind(kind, kept_days))
    return told


def validate_rules(wanted: Days) -> None:
    """Raise `InvalidRetentionRule` for a kind that is unknown, or a time that is too short or too long."""
    for kind, kept_days in wanted.items():
        if kind not in KINDS:
            raise InvalidRetentionRule(
                f"Nothing is kept of the kind {kind[:40]!r}.", remedy=f"Known: {', '.join(KINDS)}."
            )
        if kept_days is None:
            if kind == SAMPLES:
                raise InvalidRetentionRule("Samples are not kept for ever.", remedy=f"Say up to {max_days(kind)} days.")
            continue
        if kept_days < min_days(kind):
            raise InvalidRetentionRule(
                f"{kind} must be kept for longer.",
                limit=min_days(kind),
                actual=kept_days,
                unit="days",
                remedy="Name more days.",
            )
        if kept_days > max_days(kind):
            raise InvalidRetentionRule(
                f"{kind} can not be kept so long.",
                limit=max_days(kind),
                actual=kept_days,
                unit="days",
                remedy="Name fewer days, or keep it for ever." if kind != SAMPLES else "Name fewer days.",
            )


def update_rules(session: WriteSession, wanted: Days) -> dict[str, dict[str, int | None]]:
    """Change for how long what is kept, and have what is too old deleted soon. Returns what changed, by kind.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(wanted)
    before = days(session)
    changed = {
        kind: {"from": before[kind], "to": kept_days} for kind, kept_days in wanted.items() if before[kind] != kept_days
    }
    rows = queries.select_retention_rules(session)
    for kind in changed:
        if kind == SAMPLES:
            samples = wanted[kind]
            assert samples is not None  # `validate_rules` has refused it
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
    """Tell what would be deleted at once if it were kept so; kinds of which nothing is too old are left out.

    Raises `InvalidRetentionRule`.
    """
    validate_rules(wanted)
    found: dict[str, dict[bool, tuple[int, int]]] = {}
    for kind, held, files, size in queries.select_expiry_preview(session, wanted, now):
        found.setdefault(kind, {})[held] = (files, int(size or 0))
    nothing = (0, 0)
    return [
        ExpiryPreview(kind, *found[kind].get(False, nothing), *found[kind].get(True, nothing))
        for kind in FILE_KINDS
        if kind in found
    ]


def delete_expired(session: WriteSession, now: datetime) -> int:
    """Delete some of what is older than it is kept, rows and bytes; returns how many files, 0 when nothing is left."""
    rows = queries.select_expired_artifacts(session, days(session), now, MOST_AT_ONCE)
    if not rows:
        return 0
    by_kind = Counter(rule_kind(row.kind) for row in rows)
    size = sum(row.size_bytes for row in rows)
    facts = {"files": len(rows), "bytes": size, "kinds": dict(by_kind), "oldest": rows[0].created_at.isoformat()}
    artifacts.delete_artifacts(session, rows)
    record_audit_event(session, None, "artifacts.expired", "artifact", None, facts)
    return len(rows)
