"""An execution trace that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable


@dataclass(frozen=True)
class TraceArtifact:
    """One trace of a set.

    `name` is for display; `id` identifies it in the page's tile requests, if it has one.
    """

    name: str
    table: TraceTable
    facts: RunMetadata
    id: str | None = None


def read_artifact(columns: DecodedColumns) -> TraceArtifact:
    """Read the columns that the helper writes. Raises `ColumnFileError` if they are damaged or of another format."""
    table = TraceTable.parse(columns.content, checked=columns.is_validated)
    return TraceArtifact(columns.name, table, columns.facts, columns.id)
