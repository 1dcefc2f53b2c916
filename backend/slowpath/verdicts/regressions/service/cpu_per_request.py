"""CPU per request of builds, from the measurements of their profiles."""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.build_measurements import TOTAL, KindMeasurement, RouteCost, unpack
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ServiceId
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import guess_default_branch
from slowpath.verdicts.regressions.service.branch_history import load_own_branch_history

KIND = "profile.category"
UNIT = "us/request"
SECONDS_PER_UNIT = 1e-6
MOST_READ = 20
"""Newest builds of which the first with CPU per request is looked for."""


@dataclass(frozen=True)
class CpuPerRequest:
    """CPU seconds per request of a build, the standard error (NaN with one replicate), and the number of replicates."""

    value_s: float
    error_s: float
    replicates: int


def load_cpu_per_request(
    session: ReadSession, build_ids: list[BuildId], route: str | None = None
) -> dict[BuildId, CpuPerRequest]:
    """Return CPU per request of builds, of one route or of all; builds are absent without CPU profiles or numbers of requests."""
    found = {}
    for row in queries.select_measurements(session, build_ids, [KIND]):
        measured = unpack(row.content)
        cost = _find_cost(measured, route)
        if cost is not None and np.isfinite(cost.value) and cost.value > 0:
            found[BuildId(row.build_id)] = CpuPerRequest(
                cost.value * SECONDS_PER_UNIT, cost.error * SECONDS_PER_UNIT, measured.replicates
            )
    return found


def _find_cost(measured: KindMeasurement, route: str | None) -> RouteCost | None:
    values = measured.bases.get("per_request")
    if values is None or values.unit != UNIT or TOTAL not in measured.subjects:
        return None
    if route is not None:
        return measured.routes.get(route)
    at = measured.subjects.index(TOTAL)
    return RouteCost(float(values.value[at]), float(values.error[at]))


def find_newest_build(session: ReadSession, service_id: ServiceId) -> tuple[Build, BuildId | None] | None:
    """Return the newest build of the default branch with CPU per request, and the build that it was compared with."""
    branch = guess_default_branch(queries.count_builds_by_branch(session, service_id))
    places = list(load_own_branch_history(session, service_id, branch))[-MOST_READ:]
    known = load_cpu_per_request(session, [BuildId(place.build.id) for place in places])
    for place in reversed(places):
        if place.build.id in known:
            former = place.verdict.compared_build_id
            return place.build, BuildId(former) if former is not None else None
    return None


def is_on_default_branch(session: ReadSession, build: Build) -> bool:
    """Return whether a build is on the default branch of its service."""
    counts = queries.count_builds_by_branch(session, ServiceId(build.service_id))
    return (build.branch or "") == guess_default_branch(counts)
