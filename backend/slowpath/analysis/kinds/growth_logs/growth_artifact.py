"""An artifact that can be compared: a decoded stack-growth log with its name and its facts."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthTable
from slowpath.units import NANOSECONDS_PER_SECOND


@dataclass(frozen=True)
class GrowthArtifact:
    """One log of a set. `name` is what people see (a file name); it carries no meaning."""

    name: str
    table: GrowthTable
    facts: RunMetadata

    @property
    def seconds(self) -> float | None:
        """How long growths were recorded: as the log says, else the run's wall time; None when neither is known."""
        duration = self.table.duration_ns or self.facts.wall_ns
        return duration / NANOSECONDS_PER_SECOND if duration else None


def parse_artifact(name: str, decoded: bytes | memoryview, facts: RunMetadata) -> GrowthArtifact:
    """Make the artifact from the decoded form that the helper writes; raises `ColumnsError` when it is not that."""
    return GrowthArtifact(name, GrowthTable.parse(decoded), facts)
