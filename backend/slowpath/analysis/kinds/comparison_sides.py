"""The sides of a comparison: decoded artifacts of every kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from numpy.random import Generator

from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFile
from slowpath.analysis.kinds.profiles.compare_profiles import SHOWN_KINDS
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact

Artifact = TypeVar("Artifact")


class NamedArtifact(Protocol):
    """Any artifact: its name and run metadata."""

    @property
    def name(self) -> str:
        """Return the display name."""

    @property
    def facts(self) -> RunMetadata:
        """Return the run metadata."""


@dataclass(frozen=True)
class BenchmarkResult:
    """One line of benchmark output: which benchmark, and how many operations its final round ran."""

    name: str
    iterations: int


@dataclass(frozen=True)
class BenchmarkArtifact:
    """One file of benchmark output. Its values stay in the helper, which compares them.

    `results` are in the order of the file; they give the number of operations behind the profiles.
    """

    name: str
    facts: RunMetadata
    results: tuple[BenchmarkResult, ...] = ()


def read_results(columns: ColumnFile) -> tuple[BenchmarkResult, ...]:
    """Read names and iterations from decoded benchmark output (`slowpath.bench`). Raises `ColumnsError`."""
    offsets, data = columns.column("strings_offset", "u32").tolist(), columns.column("strings_bytes", "u8").tobytes()
    names = columns.column("result_name", "u32").tolist()
    iterations = columns.column("result_iterations", "i64").tolist()
    return tuple(
        BenchmarkResult(data[offsets[name] : offsets[name + 1]].decode("utf-8", "replace"), int(count))
        for name, count in zip(names, iterations, strict=True)
    )


@dataclass(frozen=True)
class ComparisonSide:
    """All artifacts of one side, and a time range of a service's metrics.

    Stacks of growth logs, traces and spans are also among the profiles, for display. The artifact types are defined in the
    modules of their kinds, which are imported where needed (`of_type`).
    """

    profiles: tuple[ProfileArtifact, ...] = ()
    growth: tuple[NamedArtifact, ...] = ()
    traces: tuple[NamedArtifact, ...] = ()
    spans: tuple[NamedArtifact, ...] = ()
    benchmarks: tuple[BenchmarkArtifact, ...] = ()
    latency: LatencyWindow | None = None

    def artifacts(self) -> tuple[NamedArtifact, ...]:
        """Return every artifact once, in the order of the kinds."""
        return (*self.own_profiles(), *self.growth, *self.traces, *self.spans, *self.benchmarks)

    def own_profiles(self) -> tuple[ProfileArtifact, ...]:
        """Return the profiles that were recorded as profiles."""
        return tuple(each for each in self.profiles if each.table.kind not in SHOWN_KINDS)

    def of_kind(self, kind: str) -> tuple[ProfileArtifact, ...]:
        """Return the profiles of one kind."""
        return tuple(each for each in self.profiles if each.table.kind == kind)


@dataclass(frozen=True)
class Sides:
    """The input of a comparison; `benchmark_rows` is the helper's comparison of both sides' benchmark output."""

    base: ComparisonSide
    candidate: ComparisonSide
    benchmark_rows: Mapping[str, Any] | None
    rng: Generator


def of_type(artifact_type: type[Artifact], artifacts: Sequence[NamedArtifact]) -> tuple[Artifact, ...]:
    """Return the artifacts with their type. Raises `TypeError` if one has another type."""
    matching = tuple(artifact for artifact in artifacts if isinstance(artifact, artifact_type))
    if len(matching) != len(artifacts):
        raise TypeError(f"expected only artifacts of type {artifact_type.__name__}")
    return matching
