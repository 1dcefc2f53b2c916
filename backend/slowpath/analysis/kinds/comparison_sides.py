"""What stands on a side of a comparison: decoded artifacts of every sort."""

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
    """Any artifact: how it is called, and what is known of its run."""

    @property
    def name(self) -> str:
        """What people see."""

    @property
    def facts(self) -> RunMetadata:
        """What is known of the run."""


@dataclass(frozen=True)
class BenchmarkResult:
    """One line of benchmark output: which benchmark, and how many operations its final round ran."""

    name: str
    iterations: int


@dataclass(frozen=True)
class BenchmarkArtifact:
    """One file of benchmark output. What it measured stays with the helper, which compares it.

    `results` are in the order of the file; they say how many operations the profiles beside it cover.
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
    """All artifacts of one side, and a window of a service's metrics.

    Stacks of growth logs, traces and spans stand among the profiles too, to be drawn. What a growth log, a trace or a span
    set is, only their own modules know (`of_type`): they are imported where there are some.
    """

    profiles: tuple[ProfileArtifact, ...] = ()
    growth: tuple[NamedArtifact, ...] = ()
    traces: tuple[NamedArtifact, ...] = ()
    spans: tuple[NamedArtifact, ...] = ()
    benchmarks: tuple[BenchmarkArtifact, ...] = ()
    latency: LatencyWindow | None = None

    def artifacts(self) -> tuple[NamedArtifact, ...]:
        """Every artifact once, in the order of their sorts."""
        return (*self.own_profiles(), *self.growth, *self.traces, *self.spans, *self.benchmarks)

    def own_profiles(self) -> tuple[ProfileArtifact, ...]:
        """The profiles that were recorded as such."""
        return tuple(each for each in self.profiles if each.table.kind not in SHOWN_KINDS)

    def of_kind(self, kind: str) -> tuple[ProfileArtifact, ...]:
        """The profiles of one kind."""
        return tuple(each for each in self.profiles if each.table.kind == kind)


@dataclass(frozen=True)
class Sides:
    """Everything that a comparison is made of; `benchmark_rows` is the helper's answer on both sides' benchmark output."""

    base: ComparisonSide
    candidate: ComparisonSide
    benchmark_rows: Mapping[str, Any] | None
    rng: Generator


def of_type(wanted: type[Artifact], artifacts: Sequence[NamedArtifact]) -> tuple[Artifact, ...]:
    """Return the artifacts as what they must be; raises `TypeError` for one of another sort."""
    found = tuple(artifact for artifact in artifacts if isinstance(artifact, wanted))
    if len(found) != len(artifacts):
        raise TypeError(f"an artifact is no {wanted.__name__}")
    return found
