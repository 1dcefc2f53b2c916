"""Detect latency change points per environment, evaluate due deployments, enqueue budgets, events and builds."""

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metric_sources.jobs import WatchFederatedServices
from slowpath.evidence.metric_sources.rules import WATCH_SECONDS
from slowpath.evidence.metric_sources.service import federated_services
from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.evidence.metrics.service import change_causes, change_detection, deployment_checks
from slowpath.evidence.metrics.service.deployment_checks import DueEvaluation
from slowpath.evidence.metrics.service.detection_cache import DetectionCache
from slowpath.evidence.metrics.service.live_samples import LiveReads, gather_with_sources
from slowpath.evidence.metrics.service.scan_input import ScanInput
from slowpath.verdicts.budgets.service import latency_budgets
from slowpath.verdicts.production_events.service import event_updates
from slowpath.verdicts.regressions.service import build_latency
from slowpath_worker.job_context import JobContext
from slowpath_worker.live_samples import live_reads

__all__ = [
    "ChangePointDetector",
    "DetectChangePoints",
    "WatchFederatedServices",
    "watch_federated_services",
    "watch_latency",
]


class ChangePointDetector:
    """Detects change points in new samples, and caches the minutes it has read."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._cache = DetectionCache()

    def __call__(self, _job: DetectChangePoints, context: JobContext) -> None:
        """Detect change points environment by environment; each is recorded when it is done."""
        self.detect(context)
        with context.finishing():
            pass

    def detect(self, context: JobContext) -> None:
        """Detect change points in new samples, stored ones and those of sources."""
        with context.reading() as session:
            environments = change_detection.environments(session)
        for number, environment_id in enumerate(environments):
            context.progress("detecting change points", number / len(environments))
            _detect(context, environment_id, self._cache)


watch_latency = ChangePointDetector()
"""One per process: a new one starts by reading hours of samples."""


def watch_federated_services(_job: WatchFederatedServices, context: JobContext) -> None:
    """Detect change points of services that are queried live, and again in a minute while the team has any."""
    watch_latency.detect(context)
    with context.finishing() as session:
        if federated_services.count_federated_services(session):
            enqueue_unless_pending(session, WatchFederatedServices(context.team_id), after_s=WATCH_SECONDS)


def _detect(context: JobContext, environment_id: EnvironmentId, cache: DetectionCache) -> None:
    rng, live = context.rng(), live_reads(context)

    def gather(session: ReadSession) -> tuple[ScanInput | None, list[DueEvaluation]]:
        found = change_detection.gather_scan_input(session, environment_id, cache, live)
        return found, deployment_checks.list_due_evaluations(session, found) if found is not None else []

    gathered, evaluations = gather_with_sources(context.reading, live, gather)
    if gathered is None:
        _record_sources(context, environment_id, live)
        return
    found = change_causes.attribute_causes(
        gathered, change_detection.detect_change_points(gathered, cache, context.team_id, rng)
    )
    evaluated = deployment_checks.evaluate_deployments(evaluations, rng)
    if found:
        unfiltered = found
        found = gather_with_sources(
            context.reading,
            live,
            lambda session: change_detection.drop_seasonal_changes(session, gathered, unfiltered, live),
        )
    with context.writing() as session:
        change_detection.record_change_points(session, gathered, found)
        deployment_checks.record_evaluations(session, evaluated)
        live.record(session, environment_id, gathered.newest_ms)
        latency_budgets.enqueue_due(session, environment_id, gathered.newest_ms, is_changed=bool(evaluated))
        event_updates.enqueue_update(session, environment_id, is_changed=bool(found or evaluated))
        if gathered.minutes_due:
            deployments = [each for service in gathered.services for each in service.deploys]
            build_latency.enqueue_due_builds(session, gathered.recognised, environment_id, deployments)


def _record_sources(context: JobContext, environment_id: EnvironmentId, live: LiveReads) -> None:
    """Record which sources fail where there is nothing to scan, perhaps because they fail."""
    if live.is_used(environment_id):
        with context.writing() as session:
            live.record(session, environment_id, None)
