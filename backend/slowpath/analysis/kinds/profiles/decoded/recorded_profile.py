"""What is known of a recorded profile without its values: run metadata, duration and build ids."""

from dataclasses import dataclass
from typing import Protocol

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher


class RecordedTable(Protocol):
    """The part of a profile's table that states how it was recorded."""

    @property
    def duration_ns(self) -> int:
        """Duration of the recording, 0 if unknown."""

    @property
    def build_ids(self) -> tuple[str, ...]:
        """Build ids of the mappings that have one, the program first."""


class RecordedProfile(Protocol):
    """A profile with the run metadata of its recording; a `ProfileArtifact` is one."""

    @property
    def facts(self) -> RunMetadata:
        """Run metadata."""

    @property
    def table(self) -> RecordedTable:
        """How it was recorded."""

    @property
    def labels(self) -> tuple[LabelMatcher, ...]:
        """Labels of the samples that are compared; none for all samples."""


@dataclass(frozen=True)
class StoredTable:
    """How a profile was recorded, from the database."""

    duration_ns: int
    build_ids: tuple[str, ...]


@dataclass(frozen=True)
class StoredRecording:
    """A recording whose values are not read."""

    facts: RunMetadata
    table: StoredTable
    labels: tuple[LabelMatcher, ...] = ()
