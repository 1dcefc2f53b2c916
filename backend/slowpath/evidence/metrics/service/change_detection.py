"""Detect change points in an environment: read the input, find changes, write the results.

Query shape of `gather_scan_input`: the cursor, the service order with edges, the classified series, deployments and change
points of the scan range; then the samples of all services at once: those after the cached minutes, and hours only for
services that are not cached or are scanned closely. Detection needs no session; the check for daily patterns reads the same
hour of earlier days, only for detected changes.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import Generator
from sqlalchemy.dialects.postgresql import insert

from slowpath.analysis.kinds.metrics.changes.change_attribution import (
    are_same_change,
    load_explained_share,
)
from slowpath.analysis.kinds.metrics.changes.latency_change_points import (
    LatencyChangePoint,
    ScanStart,
    find_change_points,
    kind_of,
    log_values,
    remeasure_change_point,
)
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, ServiceCells, finest_cell_ms, service_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import EnvironmentId, ServiceId, TeamId, new_id
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import DAY_MS, HOUR_MS
from slowpath.evidence.metrics.service import dashboard_samples
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.detection_cache import MARGIN_MS, DetectionCache, joined
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath.evidence.metrics.service.scan_input import (
    DetectedChangePoint,
    ScanInput,
    ScannedService,
    change_point_from_row,
)
from slowpath.evidence.metrics.service.series_reader import ANY_NUMBER
from slowpath.evidence.metrics.service.timestamps import at_time, to_ms
from slowpath.evidence.metrics.tables import DetectionCursor, MetricChangePoint
from slowpath.inventory.catalog import service as catalog

BEHIND_MS: Final = 6 * HOUR_MS
"""Scan range before the newest samples, used to estimate the usual variation."""
FIRST_MS: Final = DAY_MS
"""Maximum range of samples that were not scanned before."""
FINE_MS: Final = 2 * HOUR_MS
FRESH_MS: Final = 30 * MINUTE_MS
"""Time after a deployment, or after a service's first sample, that is scanned in fine cells."""
SETTLED_MS: Final = 15 * MINUTE_MS
"""Time for which a change point is measured again with new samples."""
LATE_MS: Final = 10 * MINUTE_MS
"""Maximum age of a new change point before the last scan: older ones come from late samples and are ignored."""
NEAR_MS: Final = 5 * MINUTE_MS
SAME_MS: Final = MINUTE_MS
"""Maximum distance of one change point between minutes and finer cells. Steps farther apart are two change points, such as
an unexplained one and one of a deployment soon after."""
SERVICES_MAX: Final = 500
CHANGES_MAX: Final = 1_000
LEAST_USUAL_CELLS: Final = 10
USUAL_SHARE: Final = 0.5
"""A step is a daily pattern if the same hour of an earlier day has at least this share of it."""


def environments(session: ReadSession) -> list[EnvironmentId]:
    """Return the environments that can have metrics."""
    return [EnvironmentId(each.id) for each in catalog.environments(session, None, SERVICES_MAX)]


def gather_scan_input(
    session: ReadSession, environment_id: EnvironmentId, memory: DetectionCache, live: LiveReads | None = None
) -> ScanInput | None:
    """Read the input of a scan; None if there are no new samples since the last scan."""
    recognised = dashboard_samples.load_environment_signals(session, environment_id, live)
    newest = recognised.newest_ms
    watch = queries.select_detection_cursor(session, environment_id)
    if newest is None or not recognised.services or (watch is not None and newest <= watch.scanned_until_ms):
        return None
    watched = watch.scanned_until_ms if watch else newest - FIRST_MS
    watched_of = {one: _watched_ms(recognised, one, watched) for one in recognised.services}
    from_ms = max(min(newest, *watched_of.values()) - BEHIND_MS, newest - FIRST_MS - BEHIND_MS)
    settings = queries.settings(session)
    deploys = catalog.deploys_between(session, environment_id, at_time(from_ms), at_time(newest))
    edges = catalog.get_service_order(session, environment_id).edges
    known = queries.changes_between(session, environment_id, from_ms, newest, CHANGES_MAX)
    epoch = settings.series_epoch if settings is not None else 0
    services = [
        ScannedService(
            one,
            ServiceSamples(),
            memory.of((session.team_id, environment_id, one), epoch, from_ms),
            [each for each in deploys if each.service_id == one],
            frozenset(edge.callee for edge in edges if edge.caller == one),
            frozenset(edge.caller for edge in edges if edge.callee == one),
            [each for each in known if each.service_id == one],
            (recognised.live[one].newest_ms if one in recognised.live else None) or newest,
            watched_of[one],
        )
        for one in list(recognised.services)[:SERVICES_MAX]
    ]
    minutes_ms = watch.minutes_ms if watch else 0
    gathered = ScanInput(environment_id, epoch, from_ms, newest, watched, minutes_ms, services, recognised)
    return _with_samples(session, gathered)


def _watched_ms(recognised: EnvironmentSignals, service_id: ServiceId, watched_ms: int) -> int:
    """Return the end of a service's last scan: earlier than that of its environment if its source failed since."""
    live = recognised.live.get(service_id)
    return watched_ms if live is None else min(live.binding.scanned_until_ms or watched_ms, watched_ms)


def _with_samples(session: ReadSession, gathered: ScanInput) -> ScanInput:
    """Read the samples of each service: hours if it is not cached or has a recent deployment, or else new samples."""
    since: dict[int, list[ServiceId]] = {}
    deploys_ms = _deploys_ms(gathered)
    remembered = [one.remembered.until_ms for one in gathered.services if one.remembered is not None]
    for one in gathered.services:
        if one.remembered is None:
            from_ms = gathered.from_ms
        elif _is_fresh(gathered, deploys_ms[one.service_id], one.remembered.first_ms):
            from_ms = max(gathered.from_ms, min(gathered.newest_ms - FINE_MS, min(remembered) - MARGIN_MS))
        elif gathered.minutes_due:
            from_ms = max(gathered.from_ms, min(remembered) - MARGIN_MS)
        else:
            continue
        since.setdefault(from_ms, []).append(one.service_id)
    samples: dict[ServiceId, ServiceSamples] = {}
    for from_ms, ids in since.items():
        samples |= gathered.recognised.samples(session, ids, from_ms, gathered.newest_ms, ANY_NUMBER)
    services = [replace(one, samples=samples.get(one.service_id, one.samples)) for one in gathered.services]
    return replace(gathered, services=services)


def detect_change_points(
    gathered: ScanInput, memory: DetectionCache, team_id: TeamId, rng: Generator
) -> list[DetectedChangePoint]:
    """Find new change points, and measure recent ones again. Reads nothing; caches settled minutes."""
    found: list[DetectedChangePoint] = []
    deploys_ms = _deploys_ms(gathered)
    for service in gathered.services:
        key = (team_id, gathered.environment_id, service.service_id)
        grids = _grids(gathered, service, deploys_ms[service.service_id])
        if gathered.minutes_due and grids:
            first_ms = service.remembered.first_ms if service.remembered else _first_ms(service.samples)
            memory.keep(key, gathered.epoch, grids[0], first_ms, service.newest_ms)
        elif gathered.minutes_due:
            memory.forget(key)
        found += _of_service(gathered, service, grids, deploys_ms[service.service_id], rng)
    return found


def _deploys_ms(gathered: ScanInput) -> dict[ServiceId, list[int]]:
    """Return the expected step times of each service: its deployments and those of its callees."""
    own = {one.service_id: [to_ms(each.started_at) for each in one.deploys] for one in gathered.services}
    return {
        one.service_id: [at for each in (one.service_id, *one.callees) for at in own.get(each, ())]
        for one in gathered.services
    }


def _is_fresh(gathered: ScanInput, deploys_ms: Sequence[int], first_ms: int) -> bool:
    return any(at > gathered.newest_ms - FRESH_MS for at in (*deploys_ms, first_ms))


def _grids(gathered: ScanInput, service: ScannedService, deploys_ms: Sequence[int]) -> list[ServiceCells]:
    """Return the cells to scan a service by: minutes if due, and fine cells after a recent deployment."""
    grids: list[ServiceCells] = []
    remembered = service.remembered
    if remembered is None and not service.samples.series():
        return grids
    if gathered.minutes_due:
        from_ms = remembered.until_ms if remembered else gathered.from_ms
        minutes: ServiceCells | None = service_cells(service.samples, from_ms, service.newest_ms, MINUTE_MS)
        if remembered is not None and minutes is not None:
            minutes = joined(remembered.minutes, minutes, gathered.from_ms)
        if minutes is None:
            return grids  # its histogram has changed: the next scan reads the complete range
        grids.append(minutes)
    first_ms = remembered.first_ms if remembered else _first_ms(service.samples)
    if service.samples.counters() and _is_fresh(gathered, deploys_ms, first_ms):
        fine = finest_cell_ms(service.samples)
        if fine < MINUTE_MS:
            from_ms = max(gathered.from_ms, gathered.newest_ms - FINE_MS)
            grids.append(service_cells(service.samples, from_ms, service.newest_ms, fine))
    return grids


def _of_service(
    gathered: ScanInput,
    service: ScannedService,
    grids: Sequence[ServiceCells],
    deploys_ms: Sequence[int],
    rng: Generator,
) -> list[DetectedChangePoint]:
    since = ScanStart.of([change_point_from_row(row) for row in service.known])
    found = _again(gathered, service, grids, rng)
    known = [change_point_from_row(row) for row in service.known]
    remembered = service.remembered.minutes if service.remembered is not None else None
    minutes = grids[0] if grids and grids[0].cell_ms == MINUTE_MS else remembered
    for cells in grids:
        earlier = minutes if cells.cell_ms < MINUTE_MS else None
        for change in find_change_points(cells, deploys_ms, rng, since, earlier):
            decided_late = change.seen_ms < service.watched_ms - LATE_MS
            if decided_late or any(_same_place(change, other) for other in known):
                continue
            known.append(change)
            found.append(
                DetectedChangePoint(service.service_id, change, load_share=load_explained_share(cells, change))
            )
    return found


def _again(
    gathered: ScanInput, service: ScannedService, grids: Sequence[ServiceCells], rng: Generator
) -> list[DetectedChangePoint]:
    """Measure the unsettled change points again, by the finest cells."""
    if not grids:
        return []
    out = []
    for row in service.known:
        cells = grids[0] if row.signal == "gauge" else grids[-1]
        if service.watched_ms - row.at_ms > SETTLED_MS or row.earliest_ms < cells.times_ms[0]:
            continue
        alike = [
            each
            for each in service.known
            if (kind_of(each.signal), each.gauge) == (kind_of(row.signal), row.gauge) and each.id != row.id
        ]
        before = max((each.latest_ms for each in alike if each.at_ms < row.at_ms), default=0)
        after = min((each.earliest_ms for each in alike if each.at_ms > row.at_ms), default=gathered.newest_ms)
        change = remeasure_change_point(cells, change_point_from_row(row), (before, after), rng)
        if change is not None:
            out.append(
                DetectedChangePoint(service.service_id, change, row.id, load_share=load_explained_share(cells, change))
            )
    return out


def drop_seasonal_changes(
    session: ReadSession, gathered: ScanInput, found: Sequence[DetectedChangePoint], live: LiveReads | None = None
) -> list[DetectedChangePoint]:
    """Omit changes that also occur in the same hour of the previous day or week."""
    return [
        each
        for each in found
        if each.row_id is not None
        or each.explained.cause == "deployment"
        or not any(_usual_then(session, gathered.environment_id, each, back, live) for back in (DAY_MS, 7 * DAY_MS))
    ]


def _usual_then(
    session: ReadSession,
    environment_id: EnvironmentId,
    found: DetectedChangePoint,
    back_ms: int,
    live: LiveReads | None,
) -> bool:
    at = found.change.at_ms - back_ms
    place = environment_id, found.service_id
    samples = dashboard_samples.load_range(session, place, at - HOUR_MS, at + HOUR_MS, live)
    if not samples.series():
        return False
    cells = service_cells(samples, at - HOUR_MS, at + HOUR_MS, MINUTE_MS)
    values = log_values(cells.of_gauge(found.change.gauge), found.change.signal)
    before = values[(cells.times_ms <= at - NEAR_MS) & np.isfinite(values)]
    after = values[(cells.times_ms > at + NEAR_MS) & np.isfinite(values)]
    if min(len(before), len(after)) < LEAST_USUAL_CELLS:
        return False
    step = float(np.median(after) - np.median(before))
    return step / float(np.log(found.change.ratio)) >= USUAL_SHARE


def record_change_points(session: WriteSession, gathered: ScanInput, found: Sequence[DetectedChangePoint]) -> None:
    """Record the change points found, and the cursor."""
    for each in found:
        values = {
            **{name: getattr(each.change, name) for name in ("before", "after", "ratio", "ratio_low", "ratio_high")},
            "earliest_ms": each.change.low_ms,
            "latest_ms": each.change.high_ms,
            "cause": each.explained.cause,
            "deployment_id": each.explained.deploy,
            "upstream_cause_service_id": each.explained.follows,
        }
        if each.row_id is not None:
            row = session.get(MetricChangePoint, (session.team_id, each.row_id))
            for name, value in values.items() if row is not None else ():
                setattr(row, name, value)
            continue
        place = {
            "team_id": session.team_id,
            "id": new_id(),
            "environment_id": gathered.environment_id,
            "service_id": each.service_id,
            "signal": each.change.signal,
            "gauge": each.change.gauge,
            "at_ms": each.change.at_ms,
            "detected_ms": each.change.seen_ms,
        }
        session.execute(insert(MetricChangePoint).values(**place, **values).on_conflict_do_nothing())
    cursor = {
        "scanned_until_ms": gathered.newest_ms,
        "minutes_ms": gathered.newest_ms if gathered.minutes_due else gathered.minutes_ms,
    }
    mine = {"team_id": session.team_id, "id": new_id(), "environment_id": gathered.environment_id}
    session.execute(
        insert(DetectionCursor)
        .values(**mine, **cursor)
        .on_conflict_do_update(index_elements=["team_id", "environment_id"], set_=cursor)
    )


def _first_ms(samples: ServiceSamples) -> int:
    return min((int(one.times_ms[0]) for one in samples.series() if len(one.times_ms)), default=0)


def _same_place(one: LatencyChangePoint, other: LatencyChangePoint) -> bool:
    if (kind_of(one.signal), one.gauge) != (kind_of(other.signal), other.gauge):
        return False
    overlap = one.low_ms - SAME_MS <= other.high_ms and other.low_ms - SAME_MS <= one.high_ms
    return overlap and are_same_change(one, other)
