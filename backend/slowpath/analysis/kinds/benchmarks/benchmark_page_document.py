"""The document of the page about benchmarks: `slowpath.benchmark-comparison/1`, with the rows of benchstat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Format = Literal["slowpath.benchmark-comparison/1"]
FORMAT: Final[Format] = "slowpath.benchmark-comparison/1"
Better = Literal["less", "more"]


@dataclass(frozen=True)
class BenchmarkSideLabel:
    """The label of one side."""

    label: str


@dataclass(frozen=True)
class BenchmarkSideLabels:
    """The labels of both sides."""

    base: BenchmarkSideLabel
    candidate: BenchmarkSideLabel


@dataclass(frozen=True)
class BenchmarkSide:
    """One side of a row: the median with its 95% interval, None if too few values were measured.

    Of an exact unit, `center` is the value.
    """

    n: int
    center: float
    low: float | None
    high: float | None
    values: tuple[float, ...]


@dataclass(frozen=True)
class BenchmarkPageRow:
    """One benchmark in one unit. `p` is of the Mann-Whitney test, None for an exact unit.

    `low` and `high` bound the ratio; `direction` is None where the change is not significant.
    """

    name: str
    unit: str
    config: Mapping[str, str]
    base: BenchmarkSide
    candidate: BenchmarkSide
    ratio: float | None
    p: float | None
    alpha: float
    significant: bool
    better: Better | None
    exact: bool
    warnings: Sequence[str]
    state: str
    direction: Literal["worse", "better"] | None
    q_value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class BenchmarkGeomean:
    """The geometric mean of the rows of a unit; None where a value is 0."""

    unit: str
    config: Mapping[str, str]
    rows: int
    base: float | None
    candidate: float | None
    ratio: float | None
    warnings: Sequence[str]


@dataclass(frozen=True)
class UnpairedBenchmark:
    """A benchmark that only one side has."""

    side: str
    name: str
    unit: str
    n: int
    center: float


@dataclass(frozen=True)
class ConfigurationDifference:
    """A key of the configuration (`cpu`, `gomaxprocs`) whose values differ between the sides."""

    key: str
    base: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(frozen=True)
class BenchmarkPage:
    """The complete document."""

    format: Format
    sides: BenchmarkSideLabels
    rows: Sequence[BenchmarkPageRow]
    geomeans: Sequence[BenchmarkGeomean]
    unpaired: Sequence[UnpairedBenchmark]
    differs: Sequence[ConfigurationDifference]
    warnings: Sequence[str]
