"""What the search returns."""

from dataclasses import dataclass
from uuid import UUID

from slowpath.sharing.search.rules import SearchType


@dataclass(frozen=True)
class SearchMatch:
    """One object. `path`: of its page, below the page of the team."""

    type: SearchType
    id: UUID
    title: str
    subtitle: str
    path: str


@dataclass(frozen=True)
class MeasuredFunctions:
    """The functions of the newest measured build of a service, and a profile of this build that shows them."""

    build_id: UUID
    service: str
    artifact_id: UUID | None
    content: bytes
