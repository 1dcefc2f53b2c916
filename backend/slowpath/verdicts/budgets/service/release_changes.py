"""How the newest deployment of a service changed its latency: of all requests as it was evaluated, or of one route.

A route is evaluated at the same times, with the same rules and error rate as the deployment: the histograms have its series
only. The same samples always have the same result, because the random generator is that of the deployment and the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from slowpath.analysis.findings.route_requests import ROUTE_LABELS
from slowpath.analysis.kinds.metrics.changes.change_wording import check_to_json, deploy_name
from slowpath.analysis.kinds.metrics.changes.deployment_check import CheckedQuantile, DeploymentCheckDocument
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import DeployId, EnvironmentId, ServiceId
from slowpath.evidence.metrics.service import deployment_checks
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.deployment_checks import DueEvaluation
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Deployment
from slowpath.verdicts.budgets.rules import Limit

NEWEST_DEPLOYMENTS = 5


@dataclass(frozen=True)
class EvaluatedDeployment:
    """A deployment with its evaluations, earliest first, or with what is needed to evaluate a route."""

    id: UUID
    name: str
    statements: tuple[DeploymentCheckDocument, ...]
    route: str | None = None
    due: tuple[DueEvaluation, ...] = ()


@dataclass(frozen=True)
class ReleaseChange:
    """How a deployment changed a quantile; `change` is None if it was not compared."""

    deployment_id: UUID
    name: str
    change: CheckedQuantile | None
    is_unsure: bool


def find_evaluated_deployment(
    session: ReadSession, signals: EnvironmentSignals, environment_id: EnvironmentId, service_id: ServiceId,
    route: str | None,
) -> EvaluatedDeployment | None:  # fmt: skip
    """Return the newest deployment of a service that was evaluated; None without one."""
    newest = catalog.deploys(session, None, NEWEST_DEPLOYMENTS, service_id=service_id, environment_id=environment_id)
    for each in newest:
        rows = deployment_checks.list_evaluations(session, DeployId(each.id))
        if rows and route is None:
            return EvaluatedDeployment(each.id, _name(each), tuple(row.statement for row in rows))
        if rows and route is not None:
            minutes = [row.minutes for row in rows]
            due = deployment_checks.gather_evaluations(session, signals, environment_id, each, minutes)
            of_route = tuple(replace(one, samples=_choose_route(one.samples, route)) for one in due)
            return EvaluatedDeployment(each.id, _name(each), (), route, of_route)
    return None


def measure_release(found: EvaluatedDeployment, signal: str, limit: Limit) -> ReleaseChange | None:
    """Return the first evaluation whose interval is above the limit, or else the last; None if the route has no data."""
    statements = found.statements if found.route is None else _evaluate(found)
    if not statements:
        return None
    changes = [(each, change) for each in statements for change in each["changes"] if change["signal"] == signal]
    above = [each for each in changes if not _is_unsure(each[0]) and each[1]["low"] - 1 >= limit.value]
    statement, change = above[0] if above else changes[-1] if changes else (statements[-1], None)
    return ReleaseChange(found.id, found.name, change, is_unsure=_is_unsure(statement))


def _evaluate(found: EvaluatedDeployment) -> list[DeploymentCheckDocument]:
    evaluated = (
        deployment_checks.evaluate_deployments([due], np.random.default_rng([due.deploy.id.int, due.minutes]))
        for due in found.due
    )
    return [check_to_json(one.check) for each in evaluated for one in each]


def _choose_route(samples: ServiceSamples, route: str) -> ServiceSamples:
    """Return samples with the histograms of a route only."""

    def choose(series: Sequence[SeriesData]) -> list[SeriesData]:
        return [each for each in series if is_of_route(each, route)]

    return replace(samples, buckets=choose(samples.buckets), natives=choose(samples.natives))


def is_of_route(series: SeriesData, route: str | None) -> bool:
    """Return whether a series is of a route; of all requests it is, if there is none."""
    return route is None or any(series.labels.get(label) == route for label in ROUTE_LABELS)


def _name(deployment: Deployment) -> str:
    return deploy_name(deployment.commit, deployment.label)


def _is_unsure(statement: DeploymentCheckDocument) -> bool:
    return any(each["id"] == "before-after" for each in statement["caveats"])
