"""An artifact that can be compared: a decoded profile with its name and its facts."""

from dataclasses import dataclass

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.profile_table import ProfileTable


@dataclass(frozen=True)
class ProfileArtifact:
    """One profile of a set. `name` is what people see (a file name); it carries no meaning.

    `operations` is how many operations of a benchmark ran during a profile of `go test -bench`, where it is known.
    """

    name: str
    table: ProfileTable
    facts: RunMetadata
    operations: float | None = None
