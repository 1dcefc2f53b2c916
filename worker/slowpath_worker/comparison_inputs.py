"""Find the artifacts of a comparison's sides in the database, and open them for the analysis."""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.comparison_sides import BenchmarkArtifact, read_results
from slowpath.analysis.kinds.comparison_sides import ComparisonSide as ComparedSide
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.benchmarks import service as benchmarks
from slowpath.evidence.exec_traces.service import execution_traces as traces
from slowpath.evidence.growth_logs import service as growth
from slowpath.evidence.metrics.service.latency_ranges import latency_between
from slowpath.evidence.profiles import service as profiles
from slowpath.evidence.spans.service import span_sets as spans
from slowpath.verdicts.comparisons.errors import NothingToCompare
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.job_context import JobContext, Postponed

BENCH = "slowpath.bench"


@dataclass(frozen=True)
class StoredColumns:
    """Columns of an artifact on a side, with its name, ID and run metadata, and their blob key."""

    side: Side
    artifact_id: ArtifactId
    name: str
    facts: RunMetadata
    key: BlobKey


@dataclass
class StoredSides:
    """All columns of both sides by artifact kind. `profiles` includes the stacks of growth logs and traces."""

    profiles: list[StoredColumns] = field(default_factory=list)
    growth: list[StoredColumns] = field(default_factory=list)
    traces: list[StoredColumns] = field(default_factory=list)
    spans: list[StoredColumns] = field(default_factory=list)
    benchmarks: list[StoredColumns] = field(default_factory=list)
    latency: dict[Side, LatencyWindow] = field(default_factory=dict)

    def sides(self) -> set[Side]:
        """Return the sides with at least one artifact."""
        return {each.side for each in (*self.profiles, *self.traces, *self.spans, *self.benchmarks)}


@dataclass(frozen=True)
class LoadedSides:
    """Both sides as inputs of the analysis, and the compared rows of their benchmarks."""

    base: ComparedSide
    candidate: ComparedSide
    benchmark_rows: dict[str, Any] | None


def find_side_columns(session: ReadSession, comparison_id: ComparisonId) -> StoredSides:
    """Return the blob keys of all columns. Raises `Postponed` while artifacts are decoded, `NothingToCompare`."""
    stored = _stored(session, comparison_id)
    windows = comparisons.get_time_ranges(comparisons.get_comparison(session, comparison_id))
    for side in Side:
        if side not in stored.sides() and side not in windows:
            raise NothingToCompare(
                f"No artifact of the {side} could be decoded.", remedy="See the errors of the artifacts, or add others."
            )
    return stored


def windows_of(session: ReadSession, comparison_id: ComparisonId) -> dict[Side, LatencyWindow]:
    """Return the latency in the time ranges of both sides; those of a deleted service are omitted."""
    found = {}
    for side, window in comparisons.get_time_ranges(comparisons.get_comparison(session, comparison_id)).items():
        with suppress(NotFound):
            found[side] = latency_between(
                session, window.service_id, window.environment_id, window.from_ms, window.to_ms
            )
    return found


def _stored(session: ReadSession, comparison_id: ComparisonId) -> StoredSides:
    side_artifacts = comparisons.list_side_artifacts(session, comparison_id)
    if any(each.artifact.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) for each in side_artifacts):
        raise Postponed
    ids = [ArtifactId(each.artifact.id) for each in side_artifacts]
    profiles_by_id = profiles.get_profiles(session, ids)
    traces_by_id, benchmarks_by_id = (
        traces.get_execution_traces(session, ids),
        benchmarks.get_benchmark_outputs(session, ids),
    )
    growth_by_id, spans_by_id = growth.get_growth_logs(session, ids), spans.get_span_sets(session, ids)
    stored = StoredSides()
    for each, artifact_id in zip(side_artifacts, ids, strict=True):
        name, facts = each.artifact.name, RunMetadata.from_json(each.artifact.run_metadata)

        def at(
            key: str,
            side: Side = each.side,
            artifact_id: ArtifactId = artifact_id,
            name: str = name,
            facts: RunMetadata = facts,
        ) -> StoredColumns:
            return StoredColumns(side, artifact_id, name, facts, BlobKey(key))

        if artifact_id in growth_by_id:
            stored.growth.append(at(growth_by_id[artifact_id].columns_key))
        if artifact_id in profiles_by_id:
            stored.profiles.append(at(profiles_by_id[artifact_id].columns_key))
        if artifact_id in benchmarks_by_id:
            stored.benchmarks.append(at(benchmarks_by_id[artifact_id].columns_key))
        span_set = spans_by_id.get(artifact_id)
        if span_set is not None:
            stored.spans.append(at(span_set.columns_key))
            stored.profiles += [at(span_set.critical_key)] if span_set.critical_key else []
        trace = traces_by_id.get(artifact_id)
        if trace is not None:
            stored.traces.append(at(trace.columns_key))
            stored.profiles += [at(key) for key in (trace.cpu_key, trace.delays_key) if key]
    return stored


@contextmanager
def open_sides(context: JobContext, stored: StoredSides) -> Iterator[LoadedSides]:
    """Open both sides with their columns mapped into memory; they were validated when they were decoded."""
    with ExitStack() as stack:
        profiles_by_id = _profiles(context, stored.profiles, stack)
        traces_by_id = [
            (each, TraceArtifact(each.name, _table(context, each, stack), each.facts, str(each.artifact_id)))
            for each in stored.traces
        ]

        spans_by_id = [
            (each, SpanArtifact(each.name, _spans(context, each, stack), each.facts, str(each.artifact_id)))
            for each in stored.spans
        ]
        growth_by_id = [
            (each, GrowthArtifact(each.name, GrowthTable.parse(_mapped(context, each, stack)), each.facts))
            for each in stored.growth
        ]

        def side(wanted: Side) -> ComparedSide:
            return ComparedSide(
                profiles=tuple(artifact for each, artifact in profiles_by_id if each.side == wanted),
                growth=tuple(artifact for each, artifact in growth_by_id if each.side == wanted),
                traces=tuple(artifact for each, artifact in traces_by_id if each.side == wanted),
                spans=tuple(artifact for each, artifact in spans_by_id if each.side == wanted),
                benchmarks=tuple(
                    BenchmarkArtifact(e.name, e.facts, read_results(read_columns(_mapped(context, e, stack), BENCH)))
                    for e in stored.benchmarks
                    if e.side == wanted
                ),
                latency=stored.latency.get(wanted),
            )

        yield LoadedSides(side(Side.BASE), side(Side.CANDIDATE), _benchmark_rows(context, stored.benchmarks, stack))


def _profiles(
    context: JobContext, stored: Sequence[StoredColumns], stack: ExitStack
) -> list[tuple[StoredColumns, ProfileArtifact]]:
    loaded = []
    for number, each in enumerate(stored):
        context.progress(f"loading {len(stored)} profiles", 0.1 * number / len(stored))
        table = ProfileTable.parse(_mapped(context, each, stack), checked=True)
        loaded.append((each, ProfileArtifact(each.name, table, each.facts)))
    return loaded


def _table(context: JobContext, each: StoredColumns, stack: ExitStack) -> TraceTable:
    return TraceTable.parse(_mapped(context, each, stack), checked=True)


def _spans(context: JobContext, each: StoredColumns, stack: ExitStack) -> SpanTable:
    return SpanTable.parse(_mapped(context, each, stack), checked=True)


def _mapped(context: JobContext, each: StoredColumns, stack: ExitStack) -> memoryview:
    path = stack.enter_context(context.blobs.local(each.key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _benchmark_rows(context: JobContext, stored: Sequence[StoredColumns], stack: ExitStack) -> dict[str, Any] | None:
    """Compare both sides' benchmarks as benchstat does; None unless both sides have some."""
    paths: dict[Side, list[Path]] = {side: [] for side in Side}
    for each in stored:
        paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
    if not all(paths.values()):
        return None
    context.progress("comparing benchmarks", 0.1)
    return DecodeHelper(context.settings, context.check).bench_compare(paths[Side.BASE], paths[Side.CANDIDATE])
