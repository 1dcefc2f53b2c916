"""Advance searches, read the measurements of probes, and monitor open bisects."""

from contextlib import ExitStack, suppress

import structlog

from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import SlowpathError, Unavailable
from slowpath.core.ids import ArtifactId, RepositoryId
from slowpath.evidence.metric_sources.service.federated_query import FederatedQueries
from slowpath.evidence.metrics.service.live_samples import gather_with_sources
from slowpath.evidence.metrics.service.remote_samples import RemoteSampleSource
from slowpath.inventory.repositories.service import commit_graph, host_access, pull_requests
from slowpath.inventory.webhooks.jobs import PullRequestChanged
from slowpath.inventory.webhooks.service import open_pull_requests
from slowpath.verdicts.bisects.errors import BisectNotFound
from slowpath.verdicts.bisects.jobs import (
    AdvanceBisect,
    CompareCulprit,
    MeasureOpenPullRequests,
    MeasureRefusedPullRequest,
    MonitorBisect,
    ReadMeasurement,
    StartAutomaticBisect,
)
from slowpath.verdicts.bisects.service import (
    artifact_measurements,
    automatic_bisects,
    bisect_monitor,
    boundary_checks,
    commit_comparisons,
    culprit_compilation,
    experiments,
    latency_measurements,
    pair_comparisons,
    pair_steps,
    search_steps,
)
from slowpath.verdicts.bisects.service.artifact_measurements import PendingArtifactMeasurement
from slowpath.verdicts.bisects.service.latency_measurements import PendingLatencyQuery
from slowpath.verdicts.regressions.service.build_measurements import PendingBuildMeasurement
from slowpath_worker.artifact_measurements import find_columns_keys, map_blob, measure_artifacts
from slowpath_worker.job_context import JobContext, JobFailure, Postponed
from slowpath_worker.live_samples import live_reads

__all__ = [
    "AdvanceBisect",
    "CompareCulprit",
    "MeasureOpenPullRequests",
    "MeasureRefusedPullRequest",
    "MonitorBisect",
    "PullRequestChanged",
    "ReadMeasurement",
    "StartAutomaticBisect",
    "advance_bisect",
    "compare_culprit",
    "measure_open_pull_requests",
    "measure_pull_request",
    "measure_refused_pull_request",
    "monitor_bisect",
    "read_measurement",
    "record_advance_failure",
    "record_list_failure",
    "record_measurement_failure",
    "start_automatic_bisect",
]  # fmt: skip

log = structlog.get_logger(__name__)
MAX_FUNCTIONS = 4096
"""The functions of a probe's measurement are not stored, so the limit is higher than that of builds."""
DECODED_AFTER_S = 0.5


def advance_bisect(job: AdvanceBisect, context: JobContext) -> None:
    """Apply the next step of a search."""
    secret = context.settings.secret_key.get_secret_value()
    with context.finishing() as session:
        try:
            now = context.clock.now()
            if not experiments.advance_experiment(session, job.bisect_id, secret=secret, now=now):
                search_steps.advance_bisect(session, job.bisect_id, secret=secret, now=now)
                boundary_checks.set_expiry(session, job.bisect_id, context.settings.measured_ends_days, now=now)
                culprit_compilation.queue_compilation(session, job.bisect_id, secret=secret, now=now)
                pair_comparisons.enqueue_pair_comparison(session, job.bisect_id)
            pair_steps.advance_pairs(session, job.bisect_id, secret=secret, now=now)
        except BisectNotFound:
            return  # deleted meanwhile


def compare_culprit(job: CompareCulprit, context: JobContext) -> None:
    """Compare the culprit with the build before it. Raises `Postponed` while their artifacts are decoded."""
    with context.reading() as session:
        pair = pair_comparisons.find_pair(session, job.bisect_id)
    if pair is not None and pair.waits:
        raise Postponed(DECODED_AFTER_S)
    with context.finishing() as session, suppress(BisectNotFound):  # deleted meanwhile
        pair_comparisons.compare_pair(session, job.bisect_id, now=context.clock.now())


def record_advance_failure(session: WriteSession, job: AdvanceBisect, failure: JobFailure) -> None:
    """Record on the bisect why it failed; its probes are stopped."""
    try:
        search_steps.fail_bisect(session, job.bisect_id, failure.problem, now=failure.at)
    except BisectNotFound:
        return


def read_measurement(job: ReadMeasurement, context: JobContext) -> None:
    """Read a measurement once its artifacts are decoded, or its latency samples have arrived."""
    remote = FederatedQueries(context.egress, create_sealer(context.settings))
    with context.reading() as session:
        pending = artifact_measurements.get_pending_measurement(session, job.window_id, job.bisect_id)
        latency_query = latency_measurements.get_pending_query(session, remote, job.window_id, job.bisect_id)
    if latency_query is not None:
        _read_latency(job, latency_query, remote, context)
        return
    if pending is not None and pending.waits:
        raise Postponed(DECODED_AFTER_S)
    value, unit, problem = (None, "", None) if pending is None else _read(pending, context)
    measures = {} if pending is None else _read_others(pending, context)
    with context.finishing() as session:
        if pending is not None:
            artifact_measurements.record_measurement_value(
                session, job.window_id, job.bisect_id, value=value, unit=unit, problem=problem, measures=measures
            )


def _read_latency(
    job: ReadMeasurement, one: PendingLatencyQuery, remote: RemoteSampleSource, context: JobContext
) -> None:
    if one.bound is not None:
        result = latency_measurements.read_federated(remote, one)
    else:
        with context.reading() as session:
            result = latency_measurements.read_stored(session, one)
    if result.again_seconds is not None:
        raise Postponed(result.again_seconds)
    with context.finishing() as session:
        latency_measurements.record_outcome(session, job.window_id, job.bisect_id, result, now=context.clock.now())


def _read(pending: PendingArtifactMeasurement, context: JobContext) -> tuple[float | None, str, str | None]:
    if pending.asked is None:
        return None, "", pending.problem
    try:
        value, unit = _read_value(pending.asked, pending.kind, pending.subject, pending.unit, context)
    except NotMeasured as error:
        return None, "", str(error)
    return value, unit, None


def _read_others(pending: PendingArtifactMeasurement, context: JobContext) -> dict[str, float]:
    """Return the further measures of an experiment, with their unit in the name."""
    found = {}
    for one in pending.others:
        with suppress(NotMeasured):
            value, unit = _read_value(one.asked, one.kind, one.subject, "", context)
            found[f"{one.name} ({unit})"] = value
    return found


def _read_value(
    asked: PendingBuildMeasurement, kind: str, subject: str, unit: str, context: JobContext
) -> tuple[float, str]:
    """Return the value of a subject of artifacts, and its unit. Raises `NotMeasured`."""
    ids = [ArtifactId(row.id) for row in asked.artifacts]
    with context.reading() as session:
        keys = find_columns_keys(session, asked.artifacts)
    with ExitStack() as stack:
        columns = [map_blob(context, keys[one], stack) for one in ids]
        return signature_value(measure_artifacts(asked, columns, MAX_FUNCTIONS), kind, subject, unit)


def record_measurement_failure(session: WriteSession, job: ReadMeasurement, failure: JobFailure) -> None:
    """Record on the measurement why it has no value, so that the search does not wait for it."""
    reason = str(failure.problem.get("detail") or failure.error)
    try:
        artifact_measurements.record_measurement_value(
            session, job.window_id, job.bisect_id, problem=f"The measurement could not be read: {reason}"
        )
    except BisectNotFound:
        return


def monitor_bisect(job: MonitorBisect, context: JobContext) -> None:
    """Check the guardrail of an open bisect, repeatedly while it is open."""
    now = context.clock.now()
    live = live_reads(context)
    guarded = gather_with_sources(
        context.reading, live, lambda session: bisect_monitor.check_guardrail(session, job.bisect_id, live, now=now)
    )
    with context.finishing() as session:
        try:
            bisect_monitor.monitor_bisect(session, job.bisect_id, guarded, now=now)
            days = context.settings.measured_ends_days
            boundary_checks.set_expiry(session, job.bisect_id, days, now=now)
            boundary_checks.discard_if_expired(session, job.bisect_id, days, now=now)
        except BisectNotFound:
            return


def measure_pull_request(job: PullRequestChanged, context: JobContext) -> None:
    """Measure the head of a pull request if its service allows it, and cancel what measures a former one."""
    with context.finishing() as session:
        commit_comparisons.update_pull_request(
            session, job.service_id, job.repository_id, job.number, now=context.clock.now()
        )


def measure_refused_pull_request(job: MeasureRefusedPullRequest, context: JobContext) -> None:
    """Measure a pull request that was refused because the minutes of a day were used up."""
    with context.finishing() as session, suppress(BisectNotFound):
        commit_comparisons.measure_refused(session, job.bisect_id, now=context.clock.now())


def measure_open_pull_requests(job: MeasureOpenPullRequests, context: JobContext) -> None:
    """List the open pull requests at the code host, and measure those that changed last.

    If its credentials may not list them, those that webhooks reported are measured.
    """
    listed = repository_id = None
    try:
        with context.reading() as session:
            repository_id = RepositoryId(commit_graph.get_service_source(session, job.service_id).repository_id)
            access = host_access.get_host_access(session, repository_id, create_sealer(context.settings))
        with context.egress.opened(access.api_url) as peer:
            listed = open_pull_requests.list_open_pull_requests(peer, access, context.clock.now())
    except Unavailable:
        raise  # retried soon
    except SlowpathError as error:
        log.info("bisects.open_pull_requests_not_listed", reason=error.detail)
    with context.finishing() as session:
        if listed is not None and repository_id is not None:
            pull_requests.record_open_pull_requests(
                session, repository_id, listed.facts, is_complete=listed.is_complete, now=context.clock.now()
            )
        commit_comparisons.enqueue_open_pull_requests(session, job.service_id)


def record_list_failure(session: WriteSession, job: MeasureOpenPullRequests, _failure: JobFailure) -> None:
    """Measure the pull requests that webhooks reported if the code host does not answer."""
    commit_comparisons.enqueue_open_pull_requests(session, job.service_id)


def start_automatic_bisect(job: StartAutomaticBisect, context: JobContext) -> None:
    """Start the bisect of a confirmed regression if its service allows it now."""
    with context.finishing() as session:
        automatic_bisects.start_automatic_bisect(session, job.regression_id, now=context.clock.now())
