"""Measure builds from their decoded artifacts, and evaluate them."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial

import structlog

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.evidence.metrics.service import deployment_latency
from slowpath.evidence.metrics.service.live_samples import gather_with_sources
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import BuildNotFound
from slowpath.inventory.catalog.jobs import BuildChanged
from slowpath.verdicts.budgets.service import build_budgets
from slowpath.verdicts.regressions import wording
from slowpath.verdicts.regressions.jobs import EvaluateBuild, RefreshBuildComparison
from slowpath.verdicts.regressions.rules import MOST_FUNCTIONS, SETTLE_SECONDS
from slowpath.verdicts.regressions.service import (
    build_comparisons,
    build_evaluation,
    build_latency,
    build_measurements,
    build_verdicts,
    stack_checks,
)
from slowpath.verdicts.regressions.service.build_latency import PendingLatencyMeasurement
from slowpath.verdicts.regressions.service.build_measurements import PackedMeasurement, PendingBuildMeasurement
from slowpath_worker.artifact_measurements import find_columns_keys, map_blob, measure_artifacts
from slowpath_worker.job_context import JobContext, JobFailure
from slowpath_worker.live_samples import live_reads
from slowpath_worker.stack_checks import check_stack_sizes

log = structlog.get_logger(__name__)

__all__ = [
    "BuildChanged",
    "EvaluateBuild",
    "RefreshBuildComparison",
    "build_changed",
    "evaluate_build",
    "record_evaluation_failure",
    "refresh_comparison",
]


def evaluate_build(job: EvaluateBuild, context: JobContext) -> None:
    """Measure new artifacts of a build, and evaluate it once no artifact is being decoded.

    The last decoded artifact enqueues this job again, so the verdict is based on all files, even if they arrive slowly.
    """
    with context.reading() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            build = None
        pending, measurable = (
            build_measurements.get_pending_measurements(session, build) if build is not None else ([], False)
        )
        pending_latency = build_latency.get_pending_latency(session, build) if build is not None else None
        keys = find_columns_keys(session, [row for each in pending for row in each.artifacts])
        pending_check = stack_checks.find_pending_check(session, build)

    measured = _measure(context, pending, keys)
    if pending_latency is not None:
        context.progress("measuring latency", 0.7)
        measured += _latency(pending_latency, context)
    check = check_stack_sizes(context, pending_check)

    context.progress("evaluating", 0.8)
    with context.finishing() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            return  # deleted meanwhile, with all its data
        waiting = build_measurements.count_undecoded(session, job.build_id)
        if (
            not measured
            and check is None
            and build_measurements.is_measured(build_measurements.get_build_verdict_row(session, job.build_id), waiting)
        ):
            return
        build_measurements.record_measurements(session, job.build_id, measured)
        measurable |= build_latency.has_latency(session, job.build_id)
        if (
            pending_latency is not None
            and not measurable
            and build_measurements.get_build_verdict_row(session, job.build_id) is None
        ):
            return  # deployed, but without latency data
        row = build_measurements.set_history_position(session, build)
        if waiting:
            return
        stack_checks.record_check(row, check)
        if not measurable:
            build_comparisons.delete_build_comparison(session, row)
            build_verdicts.record_skipped_build(session, row, wording.describe_unmeasured_build(), context.clock.now())
        else:
            build_comparisons.refresh_build_comparison(session, build, row)
            build_budgets.evaluate_build(session, build, row, context.clock.now())
            build_evaluation.evaluate_build(session, build, context.clock.now())
            if pending:
                build_comparisons.enqueue_descendant_comparisons(session, row)
                stack_checks.enqueue_descendant_checks(session, job.build_id)


def refresh_comparison(job: RefreshBuildComparison, context: JobContext) -> None:
    """Compare a build again with an earlier one that got more evidence."""
    with context.finishing() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            return
        build_comparisons.refresh_descendant_comparison(session, build, context.clock.now())


def build_changed(job: BuildChanged, context: JobContext) -> None:
    """Enqueue the evaluation of a build whose metadata or files changed."""
    with context.finishing() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            return
        if build_measurements.prepare_reevaluation(session, build, job.without):
            enqueue_unless_pending(session, EvaluateBuild(job.build_id), after_s=SETTLE_SECONDS)


def record_evaluation_failure(session: WriteSession, job: EvaluateBuild, failure: JobFailure) -> None:
    """Record on the build why it was not evaluated, so that clients stop waiting."""
    try:
        build = catalog.build(session, job.build_id)
    except BuildNotFound:
        return
    reason = str(failure.problem.get("detail") or failure.error)
    build_verdicts.record_skipped_build(
        session,
        build_measurements.set_history_position(session, build),
        f"This build could not be measured: {reason}",
        failure.at,
    )


def _measure(
    context: JobContext, pending: Sequence[PendingBuildMeasurement], keys: Mapping[ArtifactId, BlobKey]
) -> list[PackedMeasurement]:
    measured = []
    for number, each in enumerate(pending):
        context.progress(f"measuring {len(each.artifacts)} x {each.kind}", number / len(pending))
        with ExitStack() as stack:
            columns = [map_blob(context, keys[ArtifactId(row.id)], stack) for row in each.artifacts]
            measured += [
                PackedMeasurement(one.kind, one.pack(), each)
                for one in measure_artifacts(each, columns, MOST_FUNCTIONS)
            ]
    return measured


def _latency(pending: PendingLatencyMeasurement, context: JobContext) -> list[PackedMeasurement]:
    """Measure the latency of the deployments, one at a time: a day of a large service has many samples.

    If a source cannot be read, nothing is measured now: the next scan that can read it enqueues the build again.
    """
    found = []
    for window in pending.windows:
        live = live_reads(context, is_strict=True)
        try:
            samples = gather_with_sources(
                context.reading, live, partial(deployment_latency.samples_of, window=window, live=live)
            )
        except SlowpathError as error:
            log.warning("source.unreadable", error=error.name)
            return []
        found.append((window, deployment_latency.measure_deployment_latency(window, samples)))
    return [build_latency.record_latency(pending, found, context.rng())]
