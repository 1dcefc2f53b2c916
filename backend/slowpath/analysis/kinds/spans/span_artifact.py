"""An artifact that can be compared: a decoded span set with its name and its facts."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.spans.span_table import SpanTable


@dataclass(frozen=True)
class SpanArtifact:
    """One span set. `name` is what people see; `id` is what the page asks for traces by, where it has one."""

    name: str
    table: SpanTable
    facts: RunMetadata
    id: str | None = None


def parse_artifact(name: str, decoded: bytes | memoryview, facts: RunMetadata) -> SpanArtifact:
    """Make the artifact from the decoded form that the helper writes; raises `ColumnsError` when it is not that."""
    return SpanArtifact(name, SpanTable.parse(decoded), facts)
