"""An artifact that can be compared: a decoded execution trace with its name and its facts."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable


@dataclass(frozen=True)
class TraceArtifact:
    """One trace of a set. `name` is what people see; `id` is what the page asks for tiles by, where it has one."""

    name: str
    table: TraceTable
    facts: RunMetadata
    id: str | None = None


def parse_artifact(name: str, decoded: bytes | memoryview, facts: RunMetadata) -> TraceArtifact:
    """Make the artifact from the decoded form that the helper writes; raises `ColumnsError` when it is not that."""
    return TraceArtifact(name, TraceTable.parse(decoded), facts)
