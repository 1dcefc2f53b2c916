"""What the search returns."""

from collections.abc import Sequence
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
class SearchResult:
    """Matches, type by type. `is_similar`: no object contains the text, these have similar words."""

    matches: Sequence[SearchMatch] = ()
    is_similar: bool = False


@dataclass(frozen=True)
class MeasuredFunctions:
    """The functions of the newest measured build of a service, and a profile of this build that shows them."""

    build_id: UUID
    service: str
    artifact_id: UUID | None
    content: bytes
