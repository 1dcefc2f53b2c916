"""An execution trace that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

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


def parse_artifact(name: str, decoded: bytes | memoryview, facts: RunMetadata) -> TraceArtifact:
    """Parse the decoded form that the helper writes; raises `ColumnsError` if it is not that."""
    return TraceArtifact(name, TraceTable.parse(decoded), facts)
