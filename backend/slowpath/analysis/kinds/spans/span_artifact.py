"""A span set that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.spans.span_table import SpanTable


@dataclass(frozen=True)
class SpanArtifact:
    """One span set. `name` is for display; `id` identifies it in the page's trace requests, if it has one."""

    name: str
    table: SpanTable
    facts: RunMetadata
    id: str | None = None


def parse_artifact(name: str, decoded: bytes | memoryview, facts: RunMetadata) -> SpanArtifact:
    """Parse the decoded form that the helper writes; raises `ColumnsError` if it is not that."""
    return SpanArtifact(name, SpanTable.parse(decoded), facts)
