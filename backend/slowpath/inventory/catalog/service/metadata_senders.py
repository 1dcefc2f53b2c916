"""Senders of build metadata, and whether they may replace it or only fill missing values."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from slowpath.inventory.catalog.tables import Build

MOST_SENDERS: Final = 50


@dataclass(frozen=True)
class MetadataSender:
    """A program, or a caller who may update any build of the team."""

    program_id: UUID | None = None
    changes_any: bool = True

    def may_change(self, row: Build) -> bool:
        """Return whether the sender may replace metadata of a build: its own, or one who may update any."""
        return self.changes_any or row.program_id == self.program_id

    def join(self, row: Build) -> None:
        """Record that the program contributed to the build, so that it may read its verdict."""
        if self.program_id is not None and self.program_id not in row.sender_ids:
            row.sender_ids = [*row.sender_ids, self.program_id][-MOST_SENDERS:]


ANY_SENDER: Final = MetadataSender()
