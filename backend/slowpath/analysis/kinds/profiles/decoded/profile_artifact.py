"""A profile that can be compared: decoded, with its name and run metadata."""

from dataclasses import dataclass

from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable


@dataclass(frozen=True)
class ProfileArtifact:
    """One profile of a set. `name` is for display (a file name) and carries no meaning.

    `operations`: number of benchmark operations during a profile of `go test -bench`, if known. `labels`: which samples of
    the recorded profile `table` has; all without any.
    """

    name: str
    table: ProfileTable
    facts: RunMetadata
    operations: float | None = None
    labels: tuple[LabelMatcher, ...] = ()


def read_artifact(columns: DecodedColumns) -> ProfileArtifact:
    """Read the columns that the helper writes. Raises `ColumnFileError` if they are damaged or of another format."""
    table = ProfileTable.parse(columns.content, checked=columns.is_validated)
    return ProfileArtifact(columns.name, table, columns.facts)
