"""Who tells of a build, and what that allows: to replace what was said before, or only to add what is missing."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from slowpath.inventory.catalog.tables import Build

MOST_SENDERS: Final = 50


@dataclass(frozen=True)
class MetadataSender:
    """A program, or somebody who may change any build of the team."""

    program_id: UUID | None = None
    changes_any: bool = True

    def may_change(self, row: Build) -> bool:
        """Tell whether facts of a build may be replaced: by its own program, or by whoever may change any."""
        return self.changes_any or row.program_id == self.program_id

    def join(self, row: Build) -> None:
        """Note that the program has a part in the build, so that it may ask for its verdict."""
        if self.program_id is not None and self.program_id not in row.sender_ids:
            row.sender_ids = [*row.sender_ids, self.program_id][-MOST_SENDERS:]


ANY_SENDER: Final = MetadataSender()
