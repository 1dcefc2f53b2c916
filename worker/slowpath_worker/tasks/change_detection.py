"""Detect latency change points per environment, evaluate due deployments, enqueue budgets, events and builds."""

from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.evidence.metrics.service import change_detection, deployment_checks
from slowpath.evidence.metrics.service.detection_cache import DetectionCache
from slowpath.verdicts.budgets.service import latency_budgets
from slowpath.verdicts.production_events.service import event_updates
from slowpath.verdicts.regressions.service import build_latency
from slowpath_worker.job_context import JobContext

__all__ = ["ChangePointDetector", "DetectChangePoints", "watch_latency"]


class ChangePointDetector:
    """Detects change points in new samples, and caches the minutes it has read."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._cache = DetectionCache()

    def __call__(self, _job: DetectChangePoints, context: JobContext) -> None:
        """Detect change points environment by environment; each is recorded when it is done."""
        _detect(context, self._cache)


watch_latency = ChangePointDetector()
"""One per process: a new one starts by reading hours of samples."""


def _detect(context: JobContext, cache: DetectionCache) -> None:
    with context.reading() as session:
        environments = change_detection.environments(session)

    rng = context.rng()
    for number, environment_id in enumerate(environments):
        context.progress("detecting change points", number / len(environments))
        with context.reading() as session:
            gathered = change_detection.gather_scan_input(session, environment_id, cache)
            evaluations = deployment_checks.list_due_evaluations(session, gathered) if gathered is not None else []
        if gathered is None:
            continue
        found = change_detection.attribute_causes(
            gathered, change_detection.detect_change_points(gathered, cache, context.team_id, rng)
        )
        evaluated = deployment_checks.evaluate_deployments(evaluations, rng)
        if found:
            with context.reading() as session:
                found = change_detection.drop_seasonal_changes(session, gathered, found)
        with context.writing() as session:
            change_detection.record_change_points(session, gathered, found)
            deployment_checks.record_evaluations(session, evaluated)
            latency_budgets.enqueue_due(session, environment_id, gathered.newest_ms, is_changed=bool(evaluated))
            event_updates.enqueue_update(session, environment_id, is_changed=bool(found or evaluated))
            if gathered.minutes_due:
                deployments = [each for service in gathered.services for each in service.deploys]
                build_latency.enqueue_due_builds(session, gathered.recognised, environment_id, deployments)

    with context.finishing():
        pass
