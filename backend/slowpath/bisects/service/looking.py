"""Look at bisects."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from slowpath.bisects import queries
from slowpath.bisects.errors import BisectNotFound
from slowpath.bisects.tables import Bisect
from slowpath.core.ids import BisectId
from slowpath.core.sessions import ReadSession


@dataclass(frozen=True)
class Wanted:
    """Which bisects."""

    states: tuple[str, ...] = ()
    service_id: UUID | None = None
    regression_id: UUID | None = None


@dataclass(frozen=True)
class Named:
    """What rows of the list name besides themselves."""


def newest(
    session: ReadSession, wanted: Wanted, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Bisect]:
    """Return bisects, newest first."""
    raise NotImplementedError


def names(session: ReadSession, rows: Sequence[Bisect]) -> Named:
    """Return what the rows name."""
    raise NotImplementedError


def find(session: ReadSession, bisect_id: BisectId) -> Bisect:
    """Return a bisect. Raises `BisectNotFound`."""
    row = queries.bisect(session, bisect_id)
    if row is None:
        raise BisectNotFound("There is no such bisect in this team.")
    return row
