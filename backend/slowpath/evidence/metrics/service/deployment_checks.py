"""Evaluate deployments 5, 10, 15, 30 and 60 minutes after their start; every evaluation is stored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from numpy.random import Generator
from sqlalchemy.dialects.postgresql import insert

from slowpath.analysis.kinds.metrics.changes.change_wording import check_to_json
from slowpath.analysis.kinds.metrics.changes.deployment_check import LOOKS_MIN, DeploymentCheck, check_deployment
from slowpath.analysis.kinds.metrics.changes.deployment_sides import BEFORE_MS, deploy_sides
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import DeployId, EnvironmentId, ServiceId, new_id
from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.service.dashboard_samples import EnvironmentSignals
from slowpath.evidence.metrics.service.detection_cache import MARGIN_MS
from slowpath.evidence.metrics.service.scan_input import ScanInput
from slowpath.evidence.metrics.service.timestamps import to_ms
from slowpath.evidence.metrics.tables import DeploymentEvaluationRow
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Deployment

PAST_DEPLOYS: Final = 20
"""Deployments of unchanged builds, used to estimate the variation between deployments."""
NEIGHBOURS: Final = 50


@dataclass(frozen=True)
class DueEvaluation:
    """A deployment to evaluate `minutes` after its start."""

    deploy: Deployment
    minutes: int
    samples: ServiceSamples
    since_ms: int
    """Start of the previous build."""
    equal_build: bool
    past_log_ratios: dict[str, tuple[float, ...]]
    """Log ratios of unchanged builds, by basis."""


@dataclass(frozen=True)
class DeploymentEvaluation:
    """Result of a due evaluation."""

    due: DueEvaluation
    check: DeploymentCheck


def list_due_evaluations(session: ReadSession, gathered: ScanInput) -> list[DueEvaluation]:
    """Return the evaluations that are due by the newest samples and not stored yet, with their samples."""
    deploys = [each for service in gathered.services for each in service.deploys]
    taken = {(row.deployment_id, row.minutes) for row in queries.checks_of(session, [each.id for each in deploys])}
    missing = {}
    for deploy in deploys:
        began = to_ms(deploy.started_at)
        until = min(gathered.newest_ms, to_ms(deploy.ended_at) if deploy.ended_at else gathered.newest_ms)
        minutes = [each for each in LOOKS_MIN if began + each * MINUTE_MS <= until and (deploy.id, each) not in taken]
        if minutes and began - gathered.from_ms >= min(BEFORE_MS, 10 * MINUTE_MS):
            missing[deploy.id] = minutes
    due = [each for each in deploys if each.id in missing]
    if not due:
        return []
    earliest = min(to_ms(each.started_at) for each in due) - BEFORE_MS - MARGIN_MS
    ids = list(dict.fromkeys(ServiceId(each.service_id) for each in due))
    samples = gathered.recognised.samples(session, ids, max(gathered.from_ms, earliest), gathered.newest_ms)
    return [
        evaluation
        for each in due
        for evaluation in _due_evaluations(
            session, gathered.environment_id, samples[ServiceId(each.service_id)], each, missing[each.id]
        )
    ]


def gather_evaluations(
    session: ReadSession,
    signals: EnvironmentSignals,
    environment_id: EnvironmentId,
    deploy: Deployment,
    minutes: Sequence[int],
) -> list[DueEvaluation]:
    """Return evaluations of a deployment at times that may be stored already, with their samples."""
    began, service_id = to_ms(deploy.started_at), ServiceId(deploy.service_id)
    end = began + max(minutes) * MINUTE_MS
    samples = signals.samples(session, [service_id], began - BEFORE_MS - MARGIN_MS, end)
    return _due_evaluations(session, environment_id, samples.get(service_id, ServiceSamples()), deploy, minutes)


def evaluate_deployments(due: Sequence[DueEvaluation], rng: Generator) -> list[DeploymentEvaluation]:
    """Evaluate deployments; those of services without a histogram are skipped."""
    evaluated = []
    for one in due:
        began = to_ms(one.deploy.started_at)
        end = began + one.minutes * MINUTE_MS
        sides = deploy_sides(one.samples, began, end, one.since_ms, one.deploy.commit, one.deploy.label)
        if sides is not None:
            past = one.past_log_ratios[sides.basis]
            check = check_deployment(sides.base, sides.candidate, sides.basis, one.minutes, past, rng)
            evaluated.append(DeploymentEvaluation(one, check))
    return evaluated


def record_evaluations(session: WriteSession, evaluated: Sequence[DeploymentEvaluation]) -> None:
    """Record evaluations; existing ones are not changed."""
    for each in evaluated:
        p99 = next((change.ratio for change in each.check.changes if change.quantile == 0.99), None)
        values = {
            "team_id": session.team_id,
            "id": new_id(),
            "deployment_id": each.due.deploy.id,
            "service_id": each.due.deploy.service_id,
            "minutes": each.due.minutes,
            "verdict": each.check.verdict,
            "basis": each.check.basis,
            "is_same_build": each.due.equal_build,
            "log_ratio": _log(p99),
            "statement": check_to_json(each.check),
        }
        session.execute(insert(DeploymentEvaluationRow).values(**values).on_conflict_do_nothing())


def select_deciding_evaluation(rows: Sequence[DeploymentEvaluationRow]) -> DeploymentEvaluationRow | None:
    """Return the deciding evaluation: the first `slower`, or else the last; None if there are none."""
    slower = [row for row in rows if row.verdict == "slower"]
    return slower[0] if slower else (rows[-1] if rows else None)


def list_evaluations(session: ReadSession, deploy_id: DeployId) -> Sequence[DeploymentEvaluationRow]:
    """Return all evaluations of a deployment, earliest first. Raises `NotFound`."""
    catalog.deploy(session, deploy_id)
    return queries.checks_of(session, [deploy_id])


def _due_evaluations(
    session: ReadSession,
    environment_id: EnvironmentId,
    samples: ServiceSamples,
    deploy: Deployment,
    missing: Sequence[int],
) -> list[DueEvaluation]:
    near = catalog.deploys(
        session, None, NEIGHBOURS, service_id=ServiceId(deploy.service_id), environment_id=environment_id
    )
    earlier = sorted((each for each in near if each.started_at < deploy.started_at), key=lambda one: one.started_at)
    before = earlier[-1] if earlier else None
    equal = before is not None and bool(deploy.commit) and before.commit == deploy.commit
    past = {
        basis: _last_of_each(queries.equal_builds(session, deploy.service_id, basis, PAST_DEPLOYS * len(LOOKS_MIN)))
        for basis in ("concurrent", "before-after")
    }
    since = to_ms(before.started_at) if before is not None else 0
    return [DueEvaluation(deploy, minutes, samples, since, equal, past) for minutes in missing]


def _last_of_each(rows: Sequence[DeploymentEvaluationRow]) -> tuple[float, ...]:
    """Return one ratio per deployment: that of its last evaluation."""
    last: dict[object, DeploymentEvaluationRow] = {}
    for row in rows:
        if row.deployment_id not in last or last[row.deployment_id].minutes < row.minutes:
            last[row.deployment_id] = row
    return tuple(row.log_ratio for row in last.values() if row.log_ratio is not None)[:PAST_DEPLOYS]


def _log(ratio: float | None) -> float | None:
    return None if ratio is None or ratio <= 0 else math.log(ratio)
