"""The decoded columns of one artifact, from which its kind is read."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata


@dataclass(frozen=True)
class DecodedColumns:
    """The columns that the decode helper wrote, with the artifact's name and run metadata.

    `id`: of a stored artifact, for requests of its page. `is_validated`: the columns were validated when they were stored.
    """

    name: str
    content: bytes | memoryview
    facts: RunMetadata
    id: str | None = None
    is_validated: bool = False
