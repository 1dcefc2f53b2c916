"""Measure decoded artifacts of a build, or of one measurement window of a probe."""

import mmap
from collections.abc import Sequence
from contextlib import ExitStack

from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.builds.non_profile_measurements import (
    measure_benchmarks,
    measure_growth,
    measure_trace_artifacts,
)
from slowpath.analysis.kinds.profiles.profile_measurements import WEAK, measure_profile_totals, measure_profiles
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BlobKey
from slowpath.evidence.benchmarks import service as benchmarks
from slowpath.evidence.exec_traces.service import execution_traces as traces
from slowpath.evidence.growth_logs import service as growth
from slowpath.evidence.profiles import service as profiles
from slowpath.verdicts.regressions.service.build_measurements import PendingBuildMeasurement
from slowpath_worker.job_context import JobContext


def columns_keys(session: ReadSession, ids: Sequence[ArtifactId]) -> dict[ArtifactId, BlobKey]:
    """Return the blob key of each artifact's columns."""
    profile_keys = {key: row.columns_key for key, row in profiles.get_profiles(session, ids).items()}
    keys_by_kind = [
        profile_keys,
        {key: row.columns_key for key, row in growth.get_growth_logs(session, ids).items()},
        {key: row.columns_key for key, row in traces.get_execution_traces(session, ids).items()},
        {key: row.columns_key for key, row in benchmarks.get_benchmark_outputs(session, ids).items()},
    ]
    return {artifact_id: BlobKey(key) for each in keys_by_kind for artifact_id, key in each.items()}


def measure_artifacts(
    pending: PendingBuildMeasurement, columns: Sequence[memoryview], max_functions: int
) -> Sequence[KindMeasurement]:
    """Measure artifacts of one kind; `columns` has the columns of each artifact."""
    named = list(zip((row.name for row in pending.artifacts), columns, pending.facts, strict=True))
    if pending.kind == "profile.cpu":
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_profiles(tables, max_functions)
    weak_kind = next((kind for kind in WEAK if kind == pending.kind), None)
    if weak_kind is not None:
        tables = [ProfileArtifact(name, ProfileTable.parse(each, checked=True), facts) for name, each, facts in named]
        return measure_profile_totals(tables, weak_kind, max_functions)
    if pending.kind == "trace":
        return measure_trace_artifacts(
            [TraceArtifact(name, TraceTable.parse(each, checked=True), facts, name) for name, each, facts in named]
        )
    if pending.kind == "growth":
        return measure_growth([GrowthArtifact(name, GrowthTable.parse(each), facts) for name, each, facts in named])
    return measure_benchmarks([read_columns(each, "slowpath.bench") for each in columns])


def map_blob(context: JobContext, key: BlobKey, stack: ExitStack) -> memoryview:
    """Map a blob into memory, without reading it, until the stack is closed."""
    path = stack.enter_context(context.blobs.local(key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
