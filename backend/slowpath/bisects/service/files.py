"""What the deploys of a bisect left: files that were uploaded under their runs."""

from dataclasses import dataclass

from slowpath.bisects import queries
from slowpath.bisects.service.holding import find
from slowpath.core.ids import BisectId
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.uploads.service import reading as uploads


@dataclass(frozen=True)
class Left:
    """Files and their bytes, and how many more of them comparisons show: those stay."""

    files: int
    size_bytes: int
    compared: int


def left(session: ReadSession, bisect_id: BisectId) -> Left:
    """Return what could be deleted with a bisect. Raises `BisectNotFound`."""
    find(session, bisect_id)
    files, size_bytes, compared = queries.files_left(session, bisect_id)
    return Left(files, size_bytes, compared)


def forget(session: WriteSession, bisect_id: BisectId) -> Left:
    """Delete the files that its deploys left, but for those that comparisons show; returns what was deleted."""
    told = left(session, bisect_id)
    uploads.forget_many(session, queries.files_of(session, bisect_id))
    return told
