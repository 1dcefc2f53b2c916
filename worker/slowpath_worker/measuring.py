"""What decoded artifacts measure: of a build, or of one window of a deploy."""

import mmap
from collections.abc import Sequence
from contextlib import ExitStack

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
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.core.sessions import ReadSession
from slowpath.growth import service as growth
from slowpath.profiles import service as profiles
from slowpath.regressions.service.measuring import ToMeasure
from slowpath.traces.service import reading as traces
from slowpath_worker.context import Context


def columns_keys(session: ReadSession, ids: Sequence[ArtifactId]) -> dict[ArtifactId, BlobKey]:
    """Return where the columns of each artifact lie."""
    of_profiles = {key: row.columns_key for key, row in profiles.of_artifacts(session, ids).items()}
    found = [
        of_profiles,
        {key: row.columns_key for key, row in growth.of_artifacts(session, ids).items()},
        {key: row.columns_key for key, row in traces.of_artifacts(session, ids).items()},
        {key: row.columns_key for key, row in benchmarks.of_artifacts(session, ids).items()},
    ]
    return {artifact_id: BlobKey(key) for each in found for artifact_id, key in each.items()}


def measured(asked: ToMeasure, columns: Sequence[memoryview], most_functions: int) -> Sequence[Measure]:
    """Return what artifacts of one kind measure; `columns` are those of each."""
    named = list(zip((row.name for row in asked.artifacts), columns, asked.facts, strict=True))
    if asked.kind == "profile.cpu":
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_profiles(tables, most_functions)
    weak = next((kind for kind in WEAK if kind == asked.kind), None)
    if weak is not None:
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_weak(tables, weak, most_functions)
    if asked.kind == "trace":
        return measure_traces(
            [TraceArtifact(name, TraceTable.parse(each, checked=True), facts, name) for name, each, facts in named]
        )
    if asked.kind == "growth":
        return measure_growth([GrowthArtifact(name, GrowthTable.parse(each), facts) for name, each, facts in named])
    return measure_benchmarks([read_columns(each, "slowpath.bench") for each in columns])


def mapped(context: Context, key: BlobKey, stack: ExitStack) -> memoryview:
    """Return the bytes under a key without reading them, for as long as the stack is open."""
    path = stack.enter_context(context.blobs.local(key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
