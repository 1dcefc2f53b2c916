"""The header of decoded benchmark output (`slowpath.bench`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.analysis.formats.header_members import HeaderMembers


@dataclass(frozen=True)
class BenchmarkCounts:
    """Numbers of result lines, different benchmarks, units and configurations, unreadable results and failures."""

    results: int
    benchmarks: int
    units: int
    configs: int
    malformed: int
    failed: int


@dataclass(frozen=True)
class BenchmarkHeader:
    """The members of the header that are stored, and the units of the values."""

    counts: BenchmarkCounts
    units: tuple[str, ...]
    warnings: tuple[str, ...]


def parse_benchmark_header(header: Mapping[str, object], units: Sequence[str]) -> BenchmarkHeader:
    """Parse the header. Raises `ColumnFileError` if a member is missing or has another type."""
    members = HeaderMembers(header)
    counts = members.inner("counts")
    return BenchmarkHeader(
        counts=BenchmarkCounts(**{name: counts.integer(name) for name in BenchmarkCounts.__dataclass_fields__}),
        units=tuple(units),
        warnings=members.texts("warnings", ()),
    )
