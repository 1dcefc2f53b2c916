"""Monitor open bisects: lost runners and the guardrail."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import numpy as np

from slowpath.analysis.findings.certainty import format_percent
from slowpath.analysis.kinds.metrics.panels.service_panels import QUANTILES, ServicePanels, service_panels
from slowpath.analysis.kinds.metrics.panels.time_grid import grid_of, scrape_interval_ms
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId, EnvironmentId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.jobs import AdvanceBisect, MonitorBisect
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_settings import Guardrail
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, UNDER_WAY, WATCH_SECONDS, BisectState, ProbeState
from slowpath.verdicts.bisects.service import automatic_bisects, search_steps
from slowpath.verdicts.bisects.service.bisect_locks import lock_bisect, publish_bisect_change, record_bisect_event

MINUTE_MS: Final = 60_000
CHECKED_MS: Final = 5 * MINUTE_MS
STEP_MS: Final = MINUTE_MS
OLD_MS: Final = 5 * MINUTE_MS
"""Age of samples that the guardrail ignores."""
MOST_ENVIRONMENTS: Final = 50


def check_guardrail(
    session: ReadSession, bisect_id: BisectId, live: LiveReads | None = None, *, now: datetime
) -> str | None:
    """Return why the guardrail stops a bisect: recent error rate or p99 above its limit.

    None if it does not.
    """
    bisect = queries.select_bisect(session, bisect_id)
    guard = None if bisect is None else bisect_settings.from_json(bisect.settings).guardrail
    if bisect is None or guard is None or bisect.state not in OPEN or bisect.state == BisectState.PAUSED:
        return None
    if guard.environment_id is not None:
        environments = [EnvironmentId(UUID(guard.environment_id))]
    else:
        environments = [EnvironmentId(row.id) for row in catalog.environments(session, None, MOST_ENVIRONMENTS)]
    for environment_id in environments:
        known = dashboard_samples.load_environment_signals(session, environment_id, live)
        reason = _above(session, ServiceId(bisect.service_id), known, guard, to_ms(now))
        if reason is not None:
            return reason
    return None


def _above(
    session: ReadSession, service_id: ServiceId, known: EnvironmentSignals, guard: Guardrail, now_ms: int
) -> str | None:
    if service_id not in known.services or known.newest_ms is None or now_ms - known.newest_ms > OLD_MS:
        return None
    until_ms = known.newest_ms
    samples = known.samples(session, [service_id], until_ms - CHECKED_MS - 2 * MINUTE_MS, until_ms)[service_id]
    window_ms = max(MINUTE_MS, 4 * scrape_interval_ms(samples.counters()))
    panels = service_panels(samples, grid_of(until_ms - CHECKED_MS, until_ms, STEP_MS), window_ms)
    rate, p99_s = _error_rate(panels), _p99_s(panels)
    if guard.error_rate is not None and rate is not None and rate > guard.error_rate:
        return f"Guardrail: error rate {format_percent(rate)}, limit {format_percent(guard.error_rate)}."
    if guard.p99_ns is not None and p99_s is not None and p99_s * 1e9 > guard.p99_ns:
        return f"Guardrail: p99 {p99_s * 1e3:.3g} ms, limit {guard.p99_ns / 1e6:.3g} ms."
    return None


def _error_rate(panels: ServicePanels) -> float | None:
    """Return the error rate of the newest minute with samples."""
    failed = panels.qps.get("5xx")
    points = len(failed) if failed is not None else 0
    total = panels.total_qps(points)
    if failed is None or not np.isfinite(total).any():
        return None
    at = int(np.flatnonzero(np.isfinite(total))[-1])
    return float(np.nan_to_num(failed[at]) / total[at]) if total[at] > 0 else None


def _p99_s(panels: ServicePanels) -> float | None:
    """Return the newest p99 in seconds."""
    if not panels.quantiles:
        return None
    values = panels.quantiles[QUANTILES.index(0.99)].value
    known = np.flatnonzero(np.isfinite(values))
    return float(values[known[-1]]) if len(known) else None


def monitor_bisect(session: WriteSession, bisect_id: BisectId, stop: str | None, *, now: datetime) -> None:
    """Record lost probes, cancel if its regression was closed, pause on the guardrail, and enqueue the next check. Raises `BisectNotFound`."""
    bisect = lock_bisect(session, bisect_id)
    compiled = queries.select_compile_probe(session, bisect_id)
    probes = [*queries.select_probes(session, bisect_id), *([] if compiled is None else [compiled])]
    silence = timedelta(seconds=bisect_settings.from_json(bisect.settings).lease_timeout_seconds)
    for one in probes:
        if one.state in UNDER_WAY and one.lease_expires_at is not None and now > one.lease_expires_at + silence:
            one.state, one.reason = ProbeState.LOST, "its runner stopped responding"
            record_bisect_event(session, bisect, "lost", {"number": one.number}, now=now)
            publish_bisect_change(session, bisect)
    if compiled is not None and compiled.state in UNDER_WAY:
        enqueue_unless_pending(session, MonitorBisect(bisect_id), after_s=WATCH_SECONDS)
    if bisect.state not in OPEN or automatic_bisects.cancel_if_closed(session, bisect, now=now):
        return
    if stop is not None and bisect.state != BisectState.PAUSED:
        search_steps.pause_bisect(session, bisect, stop, now=now)
        for one in probes:
            if one.state in UNDER_WAY:
                search_steps.stop_probe(one, now)
    session.flush()
    enqueue_unless_pending(session, AdvanceBisect(bisect_id))
    enqueue_unless_pending(session, MonitorBisect(bisect_id), after_s=WATCH_SECONDS)
