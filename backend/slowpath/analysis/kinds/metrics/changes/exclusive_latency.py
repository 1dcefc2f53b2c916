"""Find the minutes in which one build answered all requests of a service, and measure latency in total and by route.

A canary, or a slow rollout, mixes two builds in one histogram. Minutes in which instances of another build answered more than
a negligible part are therefore excluded, and so are the first ones after a deployment: caches are cold, and the time at which
the last instance was replaced is unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.findings.route_requests import ROUTE_LABELS
from slowpath.analysis.kinds.metrics.changes.deployment_sides import names_build, restarted_ms
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, Chosen, service_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.analysis.stats.histogram_cells import HistogramCells

SETTLED_MS: Final = 5 * MINUTE_MS
LATE_REPORT_MS: Final = 5 * MINUTE_MS
"""A deployment may be reported after its instances started, but not much later."""
ROLLED_OUT_MS: Final = 30 * MINUTE_MS
"""Time without a started or restarted instance after which instances are no evidence (a gateway pushes for all)."""
NEGLIGIBLE_SHARE: Final = 0.01
"""Share of a minute's requests that a draining instance, or one with health checks only, may answer."""
MAX_LABEL_VALUES: Final = 50
"""A label with more values contains complete addresses, not routes."""
MOST_ROUTES: Final = 6
ALL: Final = ""


@dataclass(frozen=True)
class ExclusiveLatency:
    """Latency of one build in its exclusive minutes: `routes` by route, "" for all requests.

    `buckets` describes the bucket bounds: latencies with different bounds cannot be compared.
    """

    routes: Mapping[str, HistogramCells]
    buckets: str


def measure_exclusive_latency(
    samples: ServiceSamples, began_ms: int, end_ms: int, *, commit: str, label: str | None
) -> ExclusiveLatency | None:
    """Return the latency of the build that was deployed at `began_ms`, until `end_ms`.

    The samples should begin some scrapes before. None without a histogram, or without an exclusive minute.
    """
    histograms = [*samples.natives, *samples.buckets]
    own_series, others = _sides(samples, histograms, began_ms, commit, label)
    from_ms = began_ms + SETTLED_MS
    latency = _cells(samples, from_ms, end_ms, own_series)
    if latency is None or len(latency.bounds) < 2:
        return None
    other_latency = _cells(samples, from_ms, end_ms, others) if others else None
    is_exclusive = latency.known
    if other_latency is not None:
        is_exclusive &= np.nan_to_num(other_latency.requests) <= NEGLIGIBLE_SHARE * np.nan_to_num(latency.requests)
    if not is_exclusive.any():
        return None
    routes = {ALL: latency.of(is_exclusive)}
    for route, ids in _routes([one for one in histograms if one.series_id in own_series]).items():
        cells = _cells(samples, from_ms, end_ms, ids)
        if cells is not None:
            routes[route] = cells.of(is_exclusive & cells.known)
    return ExclusiveLatency(_largest(routes), _buckets(samples, latency))


def _sides(
    samples: ServiceSamples,
    histograms: Sequence[SeriesData],
    began_ms: int,
    commit: str,
    label: str | None,
) -> tuple[set[int], set[int]]:
    """Return series of the build and of other builds: by a label, else by instances.

    Else all are the build's.
    """
    alive = [one for one in histograms if len(one.times_ms) and one.times_ms[-1] > began_ms]
    named = {one.series_id: name for one in alive if (name := names_build(one.labels, commit, label)) is not None}
    if named:
        names = set(named.values())
        others = [one for one in alive if one.series_id not in named and any(one.labels.get(name) for name in names)]
        return set(named), {one.series_id for one in others}
    old = _old_instances(samples, histograms, began_ms)
    older = {one.series_id for one in alive if samples.instance_of(one.labels) in old}
    return {one.series_id for one in alive} - older, older


def _old_instances(samples: ServiceSamples, histograms: Sequence[SeriesData], began_ms: int) -> set[str | None]:
    """Return instances from before a deployment that did not restart with it.

    Empty if no instance started with it.
    """
    since_ms, until_ms = began_ms - LATE_REPORT_MS, began_ms + ROLLED_OUT_MS
    first: dict[str, int] = {}
    restarted: set[str] = set()
    with_deploy = False
    for one in histograms:
        name = samples.instance_of(one.labels)
        if name is None or not len(one.times_ms):
            continue
        first[name] = min(int(one.times_ms[0]), first.get(name, int(one.times_ms[0])))
        if restarted_ms(one, since_ms, int(one.times_ms[-1])) is not None:
            restarted.add(name)
            with_deploy |= restarted_ms(one, since_ms, until_ms) is not None
    if not with_deploy and not any(since_ms < at <= until_ms for at in first.values()):
        return set()
    return {name for name, at in first.items() if at <= since_ms and name not in restarted}


def _cells(samples: ServiceSamples, from_ms: int, end_ms: int, ids: set[int]) -> HistogramCells | None:
    chosen: Chosen = lambda one: one.series_id in ids  # noqa: E731 - a named argument
    return service_cells(samples, from_ms, end_ms, MINUTE_MS, chosen).latency


def _routes(series: Sequence[SeriesData]) -> dict[str, set[int]]:
    """Return series by route, if a label distinguishes several routes."""
    for label in ROUTE_LABELS:
        ids_by_route: dict[str, set[int]] = {}
        for one in series:
            if one.labels.get(label):
                ids_by_route.setdefault(one.labels[label], set()).add(one.series_id)
        if 1 < len(ids_by_route) <= MAX_LABEL_VALUES:
            return ids_by_route
    return {}


def _largest(routes: Mapping[str, HistogramCells]) -> dict[str, HistogramCells]:
    """Return all requests, and the routes with most of them."""
    parts = [(float(cells.requests.sum()), route) for route, cells in routes.items() if route != ALL]
    largest = sorted(parts, key=lambda each: (-each[0], each[1]))[:MOST_ROUTES]
    return {ALL: routes[ALL]} | {route: routes[route] for requests, route in largest if requests > 0}


def _buckets(samples: ServiceSamples, latency: HistogramCells) -> str:
    if samples.natives:
        return "native histogram"
    return f"{len(latency.bounds)} buckets to {latency.bounds[-2]:g} s"
