"""A growth log that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.units import NANOSECONDS_PER_SECOND


@dataclass(frozen=True)
class GrowthArtifact:
    """One log of a set. `name` is for display (a file name) and carries no meaning."""

    name: str
    table: GrowthTable
    facts: RunMetadata

    @property
    def seconds(self) -> float | None:
        """Return how long growths were recorded: from the log, else the run's wall time, else None."""
        duration = self.table.duration_ns or self.facts.wall_ns
        return duration / NANOSECONDS_PER_SECOND if duration else None


def read_artifact(columns: DecodedColumns) -> GrowthArtifact:
    """Read the columns that the helper writes. Raises `ColumnFileError` if they are damaged or of another format."""
    return GrowthArtifact(columns.name, GrowthTable.parse(columns.content), columns.facts)
