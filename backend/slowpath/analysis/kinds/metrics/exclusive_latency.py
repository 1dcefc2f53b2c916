"""Minutes in which one build answered all requests of a service, and the latency in them: of all requests, and by route.

A canary beside the build before, or a rollout that takes its time, mixes two builds in one histogram. So minutes in which
instances of another build answered more than a trifle are left out, and so are the first ones after a deploy: caches are
cold, and nobody says when the last instance was replaced.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.deployment_sides import names_build, restarted_ms
from slowpath.analysis.kinds.metrics.series_data import SeriesData
from slowpath.analysis.kinds.metrics.service_cells import MINUTE_MS, Chosen, service_cells
from slowpath.analysis.kinds.metrics.service_panels import ServiceSamples
from slowpath.analysis.stats.histogram_cells import HistogramCells

SETTLED_MS: Final = 5 * MINUTE_MS
TOLD_LATE_MS: Final = 5 * MINUTE_MS
"""A deploy may be told of when its instances have begun already, but not much later."""
ROLLED_OUT_MS: Final = 30 * MINUTE_MS
"""Where no instance began or restarted until then, instances say nothing of deploys (a gateway pushes for all of them)."""
TRIFLE: Final = 0.01
"""Of a minute's requests: an instance that is being drained or only asked for its health answers so few."""
ROUTE_LABELS: Final = (
    "http_route",
    "http.route",
    "route",
    "handler",
    "endpoint",
    "path",
    "uri",
    "rpc_method",
    "rpc.method",
    "grpc_method",
    "operation",
)
"""What libraries call the part of a service that answers, the surest first."""
MOST_LOOKED_AT: Final = 50
"""A label with more values holds whole addresses, and no routes."""
MOST_ROUTES: Final = 6
ALL: Final = ""


@dataclass(frozen=True)
class ExclusiveLatency:
    """Latency of one build in the minutes that were its own: `routes` by route, "" of all requests.

    `buckets` names how latencies are counted: two that are counted otherwise can not be told apart from two that differ.
    """

    routes: Mapping[str, HistogramCells]
    buckets: str


def measure_exclusive_latency(
    samples: ServiceSamples, began_ms: int, end_ms: int, *, commit: str, label: str | None
) -> ExclusiveLatency | None:
    """Return the latency of the build that was deployed at `began_ms`, until `end_ms`.

    The samples should begin some scrapes before. None without a histogram, or if no minute was the build's own.
    """
    histograms = [*samples.natives, *samples.buckets]
    own, others = _sides(samples, histograms, began_ms, commit, label)
    from_ms = began_ms + SETTLED_MS
    latency = _cells(samples, from_ms, end_ms, own)
    if latency is None or len(latency.bounds) < 2:
        return None
    beside = _cells(samples, from_ms, end_ms, others) if others else None
    kept = latency.known
    if beside is not None:
        kept &= np.nan_to_num(beside.requests) <= TRIFLE * np.nan_to_num(latency.requests)
    if not kept.any():
        return None
    routes = {ALL: latency.of(kept)}
    for route, ids in _routes([one for one in histograms if one.series_id in own]).items():
        cells = _cells(samples, from_ms, end_ms, ids)
        if cells is not None:
            routes[route] = cells.of(kept & cells.known)
    return ExclusiveLatency(_largest(routes), _buckets(samples, latency))


def _sides(
    samples: ServiceSamples,
    histograms: Sequence[SeriesData],
    began_ms: int,
    commit: str,
    label: str | None,
) -> tuple[set[int], set[int]]:
    """Series of the build, and those of other builds: by a label that names it, else by instances; else all are its own."""
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
    """Instances that were there before a deploy and did not restart with it; none if no instance began with it."""
    since_ms, until_ms = began_ms - TOLD_LATE_MS, began_ms + ROLLED_OUT_MS
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
    chosen: Chosen = lambda one: one.series_id in ids  # noqa: E731 - a name for what is handed on
    return service_cells(samples, from_ms, end_ms, MINUTE_MS, chosen).latency


def _routes(own: Sequence[SeriesData]) -> dict[str, set[int]]:
    """Series by route, where a label tells several routes apart."""
    for label in ROUTE_LABELS:
        found: dict[str, set[int]] = {}
        for one in own:
            if one.labels.get(label):
                found.setdefault(one.labels[label], set()).add(one.series_id)
        if 1 < len(found) <= MOST_LOOKED_AT:
            return found
    return {}


def _largest(routes: Mapping[str, HistogramCells]) -> dict[str, HistogramCells]:
    """All requests, and the routes with most of them."""
    parts = [(float(cells.requests.sum()), route) for route, cells in routes.items() if route != ALL]
    kept = sorted(parts, key=lambda each: (-each[0], each[1]))[:MOST_ROUTES]
    return {ALL: routes[ALL]} | {route: routes[route] for requests, route in kept if requests > 0}


def _buckets(samples: ServiceSamples, latency: HistogramCells) -> str:
    if samples.natives:
        return "native histogram"
    return f"{len(latency.bounds)} buckets to {latency.bounds[-2]:g} s"
