"""Measure builds by their decoded artifacts, and judge them."""

from contextlib import ExitStack
from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.catalog import service as catalog
from slowpath.catalog.errors import BuildNotFound
from slowpath.catalog.jobs import BuildChanged
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import WriteSession
from slowpath.metrics.service import deployed
from slowpath.regressions import wording
from slowpath.regressions.jobs import MeasureBuild
from slowpath.regressions.rules import MOST_FUNCTIONS, SETTLE_SECONDS
from slowpath.regressions.service import judging, latency, measuring
from slowpath.regressions.service.latency import LatencyToMeasure
from slowpath.regressions.service.measuring import MadeMeasure
from slowpath_worker.context import Cancelled, Context
from slowpath_worker.measuring import columns_keys, mapped, measured

__all__ = ["BuildChanged", "MeasureBuild", "build_changed", "measure_build", "measure_ended_badly"]


def measure_build(job: MeasureBuild, context: Context) -> None:
    """Measure what of a build is new, and judge its line once nothing of it is being decoded any more.

    The last artifact to be decoded asks for this job again, so a build whose files keep coming is judged by all of them.
    """
    with context.reading() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            build = None
        asked, measurable = measuring.to_measure(session, build) if build is not None else ([], False)
        of_latency = latency.to_measure(session, build) if build is not None else None
        keys = columns_keys(session, [ArtifactId(row.id) for each in asked for row in each.artifacts])

    made = []
    for number, each in enumerate(asked):
        context.progress(f"measuring {len(each.artifacts)} x {each.kind}", number / len(asked))
        with ExitStack() as stack:
            columns = [mapped(context, keys[ArtifactId(row.id)], stack) for row in each.artifacts]
            made += [MadeMeasure(one.kind, one.pack(), each) for one in measured(each, columns, MOST_FUNCTIONS)]
    if of_latency is not None:
        context.progress("measuring latency", 0.7)
        made.append(_latency(of_latency, context))

    context.progress("judging", 0.8)
    with context.finishing() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            return  # deleted meanwhile, and all that is known of it
        waiting = measuring.undecoded(session, job.build_id)
        if not made and measuring.is_measured(measuring.known(session, job.build_id), waiting):
            return
        measuring.record(session, job.build_id, made)
        measurable |= latency.is_known(session, job.build_id)
        if of_latency is not None and not measurable and measuring.known(session, job.build_id) is None:
            return  # it ran somewhere, and nothing can be told of it
        row = measuring.place(session, build)
        if waiting:
            return
        if not measurable:
            judging.skip(session, row, wording.nothing_measured(), SystemClock().now())
        else:
            judging.judge(session, build, SystemClock().now())


def build_changed(job: BuildChanged, context: Context) -> None:
    """Have a build measured again of which somebody changed what it is said of, or its files."""
    with context.finishing() as session:
        try:
            build = catalog.build(session, job.build_id)
        except BuildNotFound:
            return
        if measuring.look_again(session, build, job.without):
            enqueue_once(session, MeasureBuild(job.build_id), after_s=SETTLE_SECONDS)


def measure_ended_badly(
    session: WriteSession, job: MeasureBuild, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Say of the build why it was not judged, so that nobody waits for it."""
    try:
        build = catalog.build(session, job.build_id)
    except BuildNotFound:
        return
    why = str(problem.get("detail") or error)
    judging.skip(
        session, measuring.place(session, build), f"This build could not be measured: {why}", SystemClock().now()
    )


def _latency(asked: LatencyToMeasure, context: Context) -> MadeMeasure:
    """Read one deploy at a time: a day of a large service is many samples."""
    found = []
    for window in asked.windows:
        with context.reading() as session:
            samples = deployed.samples_of(session, window)
        found.append((window, deployed.latency_in(window, samples)))
    return latency.measured(asked, found, context.dice())
