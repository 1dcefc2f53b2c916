"""What stands on the sides of a comparison, found in the database and brought into reach of the analysis."""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slowpath.analysis.columns import read_columns
from slowpath.analysis.facts import Facts
from slowpath.analysis.growth.artifact import GrowthArtifact
from slowpath.analysis.growth.growth_table import GrowthTable
from slowpath.analysis.metrics.latency_window import LatencyWindow
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.profile_table import ProfileTable
from slowpath.analysis.sides import BenchmarkArtifact, read_results
from slowpath.analysis.sides import Side as ComparedSide
from slowpath.analysis.spans.artifact import SpanArtifact
from slowpath.analysis.spans.span_table import SpanTable
from slowpath.analysis.traces.artifact import TraceArtifact
from slowpath.analysis.traces.trace_table import TraceTable
from slowpath.benchmarks import service as benchmarks
from slowpath.comparisons.errors import NothingToCompare
from slowpath.comparisons.rules import Side
from slowpath.comparisons.service import asking
from slowpath.core.errors import NotFound
from slowpath.core.ids import ArtifactId, BlobKey, ComparisonId
from slowpath.core.sessions import ReadSession
from slowpath.growth import service as growth
from slowpath.metrics.service.windows import latency_between
from slowpath.profiles import service as profiles
from slowpath.spans.service import reading as spans
from slowpath.traces.service import reading as traces
from slowpath.uploads.rules import ArtifactState
from slowpath_worker.context import Context, NotYet
from slowpath_worker.decoding import DecodeHelper

BENCH = "slowpath.bench"


@dataclass(frozen=True)
class StoredColumns:
    """Columns on a side: the name, id and facts of the artifact they were made of, and where they lie."""

    side: Side
    artifact_id: ArtifactId
    name: str
    facts: Facts
    key: BlobKey


@dataclass
class Stored:
    """All columns of both sides, by sort. Stacks of growth logs and of traces stand among the profiles too."""

    profiles: list[StoredColumns] = field(default_factory=list)
    growth: list[StoredColumns] = field(default_factory=list)
    traces: list[StoredColumns] = field(default_factory=list)
    spans: list[StoredColumns] = field(default_factory=list)
    benchmarks: list[StoredColumns] = field(default_factory=list)
    latency: dict[Side, LatencyWindow] = field(default_factory=dict)

    def sides(self) -> set[Side]:
        """The sides on which anything stands."""
        return {each.side for each in (*self.profiles, *self.traces, *self.spans, *self.benchmarks)}


@dataclass(frozen=True)
class Loaded:
    """Both sides as the analysis takes them, and what the helper says of their benchmarks."""

    base: ComparedSide
    candidate: ComparedSide
    benchmark_rows: dict[str, Any] | None


def gather(session: ReadSession, comparison_id: ComparisonId) -> Stored:
    """Return where everything decoded lies. Raises `NotYet` while something is decoded, `NothingToCompare`."""
    stored = _stored(session, comparison_id)
    windows = asking.windows(asking.find(session, comparison_id))
    for side in Side:
        if side not in stored.sides() and side not in windows:
            raise NothingToCompare(
                f"No artifact of the {side} could be decoded.", remedy="See the artifacts' own errors; add others."
            )
    return stored


def windows_of(session: ReadSession, comparison_id: ComparisonId) -> dict[Side, LatencyWindow]:
    """Return the latency in the windows on both sides. One whose service was deleted since is absent."""
    found = {}
    for side, window in asking.windows(asking.find(session, comparison_id)).items():
        with suppress(NotFound):
            found[side] = latency_between(
                session, window.service_id, window.environment_id, window.from_ms, window.to_ms
            )
    return found


def _stored(session: ReadSession, comparison_id: ComparisonId) -> Stored:
    standing = asking.compared(session, comparison_id)
    if any(each.artifact.state in (ArtifactState.RECEIVED, ArtifactState.DECODING) for each in standing):
        raise NotYet
    ids = [ArtifactId(each.artifact.id) for each in standing]
    of_profiles = profiles.of_artifacts(session, ids)
    of_traces, of_benchmarks = traces.of_artifacts(session, ids), benchmarks.of_artifacts(session, ids)
    of_growth, of_spans = growth.of_artifacts(session, ids), spans.of_artifacts(session, ids)
    stored = Stored()
    for each, artifact_id in zip(standing, ids, strict=True):
        name, facts = each.artifact.name, Facts.from_json(each.artifact.facts)

        def at(
            key: str,
            side: Side = each.side,
            artifact_id: ArtifactId = artifact_id,
            name: str = name,
            facts: Facts = facts,
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
def loaded(context: Context, stored: Stored) -> Iterator[Loaded]:
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

        yield Loaded(side(Side.BASE), side(Side.CANDIDATE), _benchmark_rows(context, stored.benchmarks, stack))


def _profiles(
    context: Context, stored: Sequence[StoredColumns], stack: ExitStack
) -> list[tuple[StoredColumns, ProfileArtifact]]:
    made = []
    for number, each in enumerate(stored):
        context.progress(f"loading {len(stored)} profiles", 0.1 * number / len(stored))
        table = ProfileTable.parse(_mapped(context, each, stack), checked=True)
        made.append((each, ProfileArtifact(each.name, table, each.facts)))
    return made


def _table(context: Context, each: StoredColumns, stack: ExitStack) -> TraceTable:
    return TraceTable.parse(_mapped(context, each, stack), checked=True)


def _spans(context: Context, each: StoredColumns, stack: ExitStack) -> SpanTable:
    return SpanTable.parse(_mapped(context, each, stack), checked=True)


def _mapped(context: Context, each: StoredColumns, stack: ExitStack) -> memoryview:
    path = stack.enter_context(context.blobs.local(each.key))
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _benchmark_rows(context: Context, stored: Sequence[StoredColumns], stack: ExitStack) -> dict[str, Any] | None:
    """What the helper says of both sides' benchmarks, as benchstat would; None unless both have some."""
    paths: dict[Side, list[Path]] = {side: [] for side in Side}
    for each in stored:
        paths[each.side].append(stack.enter_context(context.blobs.local(each.key)))
    if not all(paths.values()):
        return None
    context.progress("comparing benchmarks", 0.1)
    return DecodeHelper(context.settings, context.check).bench_compare(paths[Side.BASE], paths[Side.CANDIDATE])
