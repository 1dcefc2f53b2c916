"""What stands on a side of a comparison: decoded artifacts of every sort."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from numpy.random import Generator

from slowpath.analysis.columns import Columns
from slowpath.analysis.facts import Facts
from slowpath.analysis.metrics.latency_window import LatencyWindow
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.compare import SHOWN_KINDS

Artifact = TypeVar("Artifact")


class Named(Protocol):
    """Any artifact: how it is called, and what is known of its run."""

    @property
    def name(self) -> str:
        """What people see."""

    @property
    def facts(self) -> Facts:
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
    facts: Facts
    results: tuple[BenchmarkResult, ...] = ()


def read_results(columns: Columns) -> tuple[BenchmarkResult, ...]:
    """Read names and iterations from decoded benchmark output (`slowpath.bench`). Raises `ColumnsError`."""
    offsets, data = columns.column("strings_offset", "u32").tolist(), columns.column("strings_bytes", "u8").tobytes()
    names = columns.column("result_name", "u32").tolist()
    iterations = columns.column("result_iterations", "i64").tolist()
    return tuple(
        BenchmarkResult(data[offsets[name] : offsets[name + 1]].decode("utf-8", "replace"), int(count))
        for name, count in zip(names, iterations, strict=True)
    )


@dataclass(frozen=True)
class Side:
    """All artifacts of one side, and a window of a service's metrics.

    Stacks of growth logs, traces and spans stand among the profiles too, to be drawn. What a growth log, a trace or a span
    set is, only their own modules know (`of_type`): they are imported where there are some.
    """

    profiles: tuple[ProfileArtifact, ...] = ()
    growth: tuple[Named, ...] = ()
    traces: tuple[Named, ...] = ()
    spans: tuple[Named, ...] = ()
    benchmarks: tuple[BenchmarkArtifact, ...] = ()
    latency: LatencyWindow | None = None

    def artifacts(self) -> tuple[Named, ...]:
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

    base: Side
    candidate: Side
    benchmark_rows: Mapping[str, Any] | None
    rng: Generator


def of_type(wanted: type[Artifact], artifacts: Sequence[Named]) -> tuple[Artifact, ...]:
    """Return the artifacts as what they must be; raises `TypeError` for one of another sort."""
    found = tuple(artifact for artifact in artifacts if isinstance(artifact, wanted))
    if len(found) != len(artifacts):
        raise TypeError(f"an artifact is no {wanted.__name__}")
    return found
