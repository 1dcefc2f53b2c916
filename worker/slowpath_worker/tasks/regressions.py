"""Measure builds by their decoded artifacts, and judge them."""

import mmap
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from slowpath.adapters.clock import SystemClock
from slowpath.analysis.builds.measures import Measure
from slowpath.analysis.builds.others import measure_benchmarks, measure_growth, measure_traces
from slowpath.analysis.builds.profiles import WEAK, measure_profiles, measure_weak
from slowpath.analysis.columns import read_columns
from slowpath.analysis.growth.artifact import GrowthArtifact
from slowpath.analysis.growth.growth_table import GrowthTable
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.profile_table import ProfileTable
from slowpath.analysis.traces.artifact import TraceArtifact
from slowpath.analysis.traces.trace_table import TraceTable
from slowpath.benchmarks import service as benchmarks
from slowpath.catalog import service as catalog
from slowpath.catalog.errors import BuildNotFound
from slowpath.catalog.jobs import BuildChanged
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.core.jobs import enqueue_once
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.growth import service as growth
from slowpath.metrics.service import deployed
from slowpath.profiles import service as profiles
from slowpath.regressions import wording
from slowpath.regressions.jobs import MeasureBuild
from slowpath.regressions.rules import MOST_FUNCTIONS, SETTLE_SECONDS
from slowpath.regressions.service import judging, latency, measuring
from slowpath.regressions.service.latency import LatencyToMeasure
from slowpath.regressions.service.measuring import MadeMeasure, ToMeasure
from slowpath.traces.service import reading as traces
from slowpath_worker.context import Cancelled, Context

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
        keys = _keys(session, asked)

    made = []
    for number, each in enumerate(asked):
        context.progress(f"measuring {len(each.artifacts)} x {each.kind}", number / len(asked))
        with ExitStack() as stack:
            columns = [_mapped(context, keys[ArtifactId(row.id)], stack) for row in each.artifacts]
            made += [MadeMeasure(one.kind, one.pack(), each) for one in _measured(each, columns)]
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


def _keys(session: ReadSession, asked: Sequence[ToMeasure]) -> dict[ArtifactId, BlobKey]:
    """Where the columns of each artifact lie."""
    ids = [ArtifactId(row.id) for each in asked for row in each.artifacts]
    of_profiles = {key: row.columns_key for key, row in profiles.of_artifacts(session, ids).items()}
    found = [
        of_profiles,
        {key: row.columns_key for key, row in growth.of_artifacts(session, ids).items()},
        {key: row.columns_key for key, row in traces.of_artifacts(session, ids).items()},
        {key: row.columns_key for key, row in benchmarks.of_artifacts(session, ids).items()},
    ]
    return {artifact_id: BlobKey(key) for each in found for artifact_id, key in each.items()}


def _measured(asked: ToMeasure, columns: Sequence[memoryview]) -> Sequence[Measure]:
    named = list(zip((row.name for row in asked.artifacts), columns, asked.facts, strict=True))
    if asked.kind == "profile.cpu":
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_profiles(tables, MOST_FUNCTIONS)
    weak = next((kind for kind in WEAK if kind == asked.kind), None)
    if weak is not None:
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_weak(tables, weak, MOST_FUNCTIONS)
    if asked.kind == "trace":
        return measure_traces(
            [TraceArtifact(name, TraceTable.parse(each, checked=True), facts, name) for name, each, facts in named]
        )
    if asked.kind == "growth":
        return measure_growth([GrowthArtifact(name, GrowthTable.parse(each), facts) for name, each, facts in named])
    return measure_benchmarks([read_columns(each, "slowpath.bench") for each in columns])


def _latency(asked: LatencyToMeasure, context: Context) -> MadeMeasure:
    """Read one deploy at a time: a day of a large service is many samples."""
    found = []
    for window in asked.windows:
        with context.reading() as session:
            samples = deployed.samples_of(session, window)
        found.append((window, deployed.latency_in(window, samples)))
    return latency.measured(asked, found, context.dice())


def _mapped(context: Context, key: BlobKey, stack: ExitStack) -> memoryview:
    path = stack.enter_context(context.blobs.local(key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
