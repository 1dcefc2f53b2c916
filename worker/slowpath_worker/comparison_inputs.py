"""Artifacts on the sides of a comparison, found in the database and opened for the analysis."""

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
    """Columns on a side: name, id and run metadata of their artifact, and their blob key."""

    side: Side
    artifact_id: ArtifactId
    name: str
    facts: RunMetadata
    key: BlobKey


@dataclass
class StoredSides:
    """All columns of both sides, by artifact kind. Stacks of growth logs and traces are also among the profiles."""

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
    """Both sides as the analysis takes them, and the compared rows of their benchmarks."""

    base: ComparedSide
    candidate: ComparedSide
    benchmark_rows: dict[str, Any] | None


def find_side_columns(session: ReadSession, comparison_id: ComparisonId) -> StoredSides:
    """Return the blob keys of all decoded columns. Raises `Postponed` while something is decoded, `NothingToCompare`."""
    stored = _stored(session, comparison_id)
    windows = comparisons.get_time_ranges(comparisons.get_comparison(session, comparison_id))
    for side in Side:
        if side not in stored.sides() and side not in windows:
            raise NothingToCompare(
                f"No artifact of the {side} could be decoded.", remedy="See the artifacts' own errors; add others."
            )
    return stored


def windows_of(session: ReadSession, comparison_id: ComparisonId) -> dict[Side, LatencyWindow]:
    """Return the latency in the windows on both sides. One whose service was deleted since is absent."""
    found = {}
    for side, window in comparisons.get_time_ranges(comparisons.get_comparison(session, comparison_id)).items():
        with suppress(NotFound):
            found[side] = latency_between(
                session, window.service_id, window.environment_id, window.from_ms, window.to_ms
            )
    return found


def _stored(session: ReadSession, comparison_id: ComparisonId) -> StoredSides:
    standing = comparisons.list_side_artifacts(session, comparison_id)
    if any(each.artifact.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) for each in standing):
        raise Postponed
    ids = [ArtifactId(each.artifact.id) for each in standing]
    of_profiles = profiles.of_artifacts(session, ids)
    of_traces, of_benchmarks = traces.get_execution_traces(session, ids), benchmarks.of_artifacts(session, ids)
    of_growth, of_spans = growth.get_growth_logs(session, ids), spans.get_span_sets(session, ids)
    stored = StoredSides()
    for each, artifact_id in zip(standing, ids, strict=True):
        name, facts = each.artifact.name, RunMetadata.from_json(each.artifact.run_metadata)

        def at(
            key: str,
            side: Side = each.side,
            artifact_id: ArtifactId = artifact_id,
            name: str = name,
            facts: RunMetadata = facts,
        ) -> StoredColumns:
            return StoredColumns(side, artifact_id, name, facts, BlobKey(key))

        if artifact_id in of_growth:
            stored.growth.append(at(of_growth[artifact_id].columns_key))
        if artifact_id in of_profiles:
            stored.profiles.append(at(of_profiles[artifact_id].columns_key))
        if artifact_id in of_benchmarks:
            stored.benchmarks.append(at(of_benchmarks[artifact_id].columns_key))
        span_set = of_spans.get(artifact_id)
        if span_set is not None:
            stored.spans.append(at(span_set.columns_key))
            stored.profiles += [at(span_set.critical_key)] if span_set.critical_key else []
        trace = of_traces.get(artifact_id)
        if trace is not None:
            stored.traces.append(at(trace.columns_key))
            stored.profiles += [at(key) for key in (trace.cpu_key, trace.delays_key) if key]
    return stored


@contextmanager
def open_sides(context: JobContext, stored: StoredSides) -> Iterator[LoadedSides]:
    """Give both sides with their columns mapped into memory, not read: they were checked when they were decoded."""
    with ExitStack() as stack:
        of_profiles = _profiles(context, stored.profiles, stack)
        of_traces = [
            (each, TraceArtifact(each.name, _table(context, each, stack), each.facts, str(each.artifact_id)))
            for each in stored.traces
        ]

        of_spans = [
            (each, SpanArtifact(each.name, _spans(context, each, stack), each.facts, str(each.artifact_id)))
            for each in stored.spans
        ]
        of_growth = [
            (each, GrowthArtifact(each.name, GrowthTable.parse(_mapped(context, each, stack)), each.facts))
            for each in stored.growth
        ]

        def side(wanted: Side) -> ComparedSide:
            return ComparedSide(
                profiles=tuple(made for each, made in of_profiles if each.side == wanted),
                growth=tuple(made for each, made in of_growth if each.side == wanted),
                traces=tuple(made for each, made in of_traces if each.side == wanted),
                spans=tuple(made for each, made in of_spans if each.side == wanted),
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
    made = []
    for number, each in enumerate(stored):
        context.progress(f"loading {len(stored)} profiles", 0.1 * number / len(stored))
        table = ProfileTable.parse(_mapped(context, each, stack), checked=True)
        made.append((each, ProfileArtifact(each.name, table, each.facts)))
    return made


def _table(context: JobContext, each: StoredColumns, stack: ExitStack) -> TraceTable:
    return TraceTable.parse(_mapped(context, each, stack), checked=True)


def _spans(context: JobContext, each: StoredColumns, stack: ExitStack) -> SpanTable:
    return SpanTable.parse(_mapped(context, each, stack), checked=True)


def _mapped(context: JobContext, each: StoredColumns, stack: ExitStack) -> memoryview:
    path = stack.enter_context(context.blobs.local(each.key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _benchmark_rows(context: JobContext, stored: Sequence[StoredColumns], stack: ExitStack) -> dict[str, Any] | None:
    """Return both sides' benchmarks compared as benchstat does; None unless both have some."""
    paths: dict[Side, list[Path]] = {side: [] for side in Side}
    for each in stored:
        paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
    if not all(paths.values()):
        return None
    context.progress("comparing benchmarks", 0.1)
    return DecodeHelper(context.settings, context.check).bench_compare(paths[Side.BASE], paths[Side.CANDIDATE])
