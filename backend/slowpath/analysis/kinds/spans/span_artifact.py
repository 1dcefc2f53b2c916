"""A span set that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.spans.span_table import SpanTable


@dataclass(frozen=True)
class SpanArtifact:
    """One span set. `name` is for display; `id` identifies it in the page's trace requests, if it has one."""

    name: str
    table: SpanTable
    facts: RunMetadata
    id: str | None = None


def read_artifact(columns: DecodedColumns) -> SpanArtifact:
    """Read the columns that the helper writes. Raises `ColumnFileError` if they are damaged or of another format."""
    table = SpanTable.parse(columns.content, checked=columns.is_validated)
    return SpanArtifact(columns.name, table, columns.facts, columns.id)
