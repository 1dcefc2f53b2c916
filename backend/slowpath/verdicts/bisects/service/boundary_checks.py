"""Bisects that measure both boundaries once and pause before the first candidate, and how they become searches."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, UserId
from slowpath.core.jobs import enqueue
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import MonitorBisect
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_settings import SAME_CHECK, BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, WATCH_SECONDS, BisectState
from slowpath.verdicts.bisects.service import search_steps
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event
from slowpath.verdicts.bisects.service.bisect_resumption import has_measured_boundaries, resume_bisect
from slowpath.verdicts.bisects.tables import Bisect

STATES: Final = OPEN | {BisectState.CANCELLED}
"""States of checks that a request may continue; of those that were cancelled, only expired ones."""
MOST_COMPARED: Final = 20
"""Most bisects of a range that are compared with a request."""


@dataclass(frozen=True)
class RangeToCheck:
    """What a request measures: the boundaries of a service, and by which signature."""

    service_id: UUID | None
    repository_id: UUID | None
    good: str | None
    bad: str | None
    kind: str
    subject: str


def find_check(
    session: ReadSession, wanted: RangeToCheck, settings: BisectSettings, states: Iterable[str] = STATES
) -> Bisect | None:
    """Return the newest bisect that measures, or has measured, the boundaries of a request in the same way; None without one."""
    if wanted.service_id is None or wanted.good is None or wanted.bad is None:
        return None
    rows = queries.select_boundary_checks(session, wanted.service_id, (wanted.good, wanted.bad), states, MOST_COMPARED)
    return next((one for one in rows if _may_be_used(one) and _measures(one, wanted, settings)), None)


def continue_check(
    session: WriteSession, bisect_id: BisectId, settings: BisectSettings, *, by: UserId | None, now: datetime
) -> Bisect:
    """Let the bisect that measures the boundaries search with these settings; its measurements count. Raises `BisectNotFound`."""
    bisect = lock_bisect(session, bisect_id)
    if settings.pauses_after_boundaries:
        return bisect  # it measures them already
    if is_expired(bisect):
        reopen_check(bisect)
    used = replace(settings, use_production_baselines=False)  # the boundaries are measured
    bisect.settings = bisect_settings.to_json(used)
    if bisect.state == BisectState.PAUSED:
        resume_bisect(session, bisect, now=now, by=by)
    else:
        record_bisect_event(session, bisect, "resumed", {}, now=now, by=by)
    publish_bisect_change(session, bisect, step=True)
    session.flush()
    return bisect


def set_expiry(session: WriteSession, bisect_id: BisectId, days: int, *, now: datetime) -> None:
    """Set when a bisect is discarded, if it waits between its boundaries and its first candidate. Raises `BisectNotFound`."""
    bisect = lock_bisect(session, bisect_id)
    if bisect.expires_at is None and bisect.state == BisectState.PAUSED and has_measured_boundaries(session, bisect):
        bisect.expires_at = now + timedelta(days=days)
        publish_bisect_change(session, bisect)


def discard_if_expired(session: WriteSession, bisect_id: BisectId, days: int, *, now: datetime) -> None:
    """Discard a bisect that was not continued in time. Raises `BisectNotFound`.

    An equal request uses its measurements for as many days again, then they are too old.
    """
    bisect = lock_bisect(session, bisect_id)
    if is_expired(bisect) and bisect.expires_at is not None and now >= bisect.expires_at + timedelta(days=days):
        _forget(session, bisect, "too-old", by=None, now=now)
    if bisect.state != BisectState.PAUSED or bisect.expires_at is None or now < bisect.expires_at:
        return
    bisect.state = BisectState.CANCELLED
    probes = queries.select_probes(session, bisect_id)
    search_steps.tear_down_bisect(session, bisect, probes, "expired", {}, now=now)
    enqueue(session, MonitorBisect(bisect_id), after_s=timedelta(days=days).total_seconds() + WATCH_SECONDS)


def forget_expired(session: WriteSession, bisect_id: BisectId, *, by: UserId | None, now: datetime) -> Bisect | None:
    """Let requests no longer use the measurements of an expired bisect; None if it is not. Raises `BisectNotFound`."""
    bisect = lock_bisect(session, bisect_id)
    if not is_expired(bisect):
        return None
    _forget(session, bisect, "cancelled", by=by, now=now)
    session.flush()
    return bisect


def _forget(session: WriteSession, bisect: Bisect, event: str, *, by: UserId | None, now: datetime) -> None:
    bisect.expires_at = None
    record_bisect_event(session, bisect, event, {}, now=now, by=by)
    publish_bisect_change(session, bisect)


def is_expired(bisect: Bisect) -> bool:
    """Return whether a bisect was discarded because it was not continued in time."""
    return bisect.state == BisectState.CANCELLED and bisect.expires_at is not None


def reopen_check(bisect: Bisect) -> None:
    """Let an expired bisect wait before its first candidate again. The bisect is locked."""
    bisect.state, bisect.finished_at, bisect.expires_at = BisectState.PAUSED, None, None


def _may_be_used(row: Bisect) -> bool:
    return row.state != BisectState.CANCELLED or is_expired(row)


def _measures(row: Bisect, wanted: RangeToCheck, settings: BisectSettings) -> bool:
    """Return whether a bisect measures the same builds in the same way."""
    if row.repository_id != wanted.repository_id:
        return False
    if (row.signature["kind"], row.signature["subject"]) != (wanted.kind, wanted.subject):
        return False
    own = bisect_settings.from_json(row.settings)
    source = settings.dashboard_selector
    return (source is None or source == own.dashboard_selector) and all(
        getattr(own, name) == getattr(settings, name) for name in SAME_CHECK
    )
