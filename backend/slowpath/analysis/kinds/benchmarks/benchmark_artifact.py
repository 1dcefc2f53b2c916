"""One file of benchmark output: decoded, with its name and run metadata."""

from dataclasses import dataclass, field

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFile, read_columns

FORMAT = "slowpath.bench"


@dataclass(frozen=True)
class BenchmarkResult:
    """One line of benchmark output: which benchmark, and how many operations its final round ran."""

    name: str
    iterations: int


@dataclass(frozen=True)
class BenchmarkArtifact:
    """One file of benchmark output.

    `results` are in the order of the file; they give the number of operations behind the profiles. `columns` have the
    values, which the helper compares.
    """

    name: str
    facts: RunMetadata
    results: tuple[BenchmarkResult, ...] = ()
    columns: ColumnFile | None = field(default=None, repr=False, compare=False)


def read_artifact(columns: DecodedColumns) -> BenchmarkArtifact:
    """Read the columns that the helper writes. Raises `ColumnFileError` if they are damaged or of another format."""
    file = read_columns(columns.content, FORMAT)
    offsets, data = file.column("strings_offset", "u32").tolist(), file.column("strings_bytes", "u8").tobytes()
    names = file.column("result_name", "u32").tolist()
    iterations = file.column("result_iterations", "i64").tolist()
    results = tuple(
        BenchmarkResult(data[offsets[name] : offsets[name + 1]].decode("utf-8", "replace"), int(count))
        for name, count in zip(names, iterations, strict=True)
    )
    return BenchmarkArtifact(columns.name, columns.facts, results, file)
