"""Attribute a cause to each detected change point: a deployment, load, or a service that it waits for."""

from collections.abc import Container, Sequence
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.change_attribution import (
    DependencyChange,
    DeploymentTime,
    attribute_change,
)
from slowpath.analysis.kinds.metrics.changes.latency_change_points import LatencyChangePoint
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS
from slowpath.evidence.metrics.rules import HOUR_MS
from slowpath.evidence.metrics.service.scan_input import (
    DetectedChangePoint,
    ScanInput,
    ScannedService,
    change_point_from_row,
)
from slowpath.evidence.metrics.service.timestamps import to_ms


def attribute_causes(gathered: ScanInput, found: Sequence[DetectedChangePoint]) -> list[DetectedChangePoint]:
    """Attribute a cause to each change point, callees first: a caller that waits for a callee follows it."""
    by_id = {one.service_id: one for one in gathered.services}
    found = [*found, *_open(gathered, {each.row_id for each in found})]
    settled = {each.row_id for each in found}
    others = {
        one.service_id: [
            DependencyChange(one.service_id, change_point_from_row(row), row.cause == "deployment")
            for row in one.known
            if row.id not in settled and row.signal != "gauge"
        ]
        for one in gathered.services
    }
    out: list[DetectedChangePoint] = []
    waiting = list(found)
    for each in waiting:
        if each.change.signal != "gauge":  # of the service alone: no other one follows it
            others[each.service_id].append(
                DependencyChange(each.service_id, each.change, bool(_own_deploys(by_id[each.service_id], each.change)))
            )
    for each in waiting:
        service = by_id[each.service_id]
        load = each.change.signal == "qps"
        near = [
            other
            for one in (service.callers if load else service.callees)
            for other in others.get(one, ())
            if (other.change.signal == "qps") == load or load
        ]
        cause = attribute_change(each.change, each.load_share, _own_deploys(service, each.change), near)
        out.append(DetectedChangePoint(each.service_id, each.change, each.row_id, cause, each.load_share))
    return out


def _open(gathered: ScanInput, measured: Container[UUID | None]) -> list[DetectedChangePoint]:
    """Return the recorded change points without a cause: a deployment or an edge may have been recorded since.

    Load did not cause them. Those caused by a deleted deployment are included.
    """
    return [
        DetectedChangePoint(one.service_id, change_point_from_row(row), row.id)
        for one in gathered.services
        for row in one.known
        if row.id not in measured
        and (
            row.cause == "unexplained"
            or (row.cause == "load" and row.signal == "qps")
            or (row.cause == "deployment" and row.deployment_id is None)
        )
    ]


def _own_deploys(service: ScannedService, change: LatencyChangePoint) -> list[DeploymentTime[UUID]]:
    ahead = change.low_ms - HOUR_MS
    return [
        DeploymentTime(each.id, at)
        for each in service.deploys
        if ahead <= (at := to_ms(each.started_at)) <= change.high_ms + MINUTE_MS
    ]
