"""What tools read from profile sets and their views. Members that tools do not read are ignored."""

from uuid import UUID

from pydantic import BaseModel

from slowpath.sharing.mcp_server.schemas.comparison_answers import Caveat, ViewRead
from slowpath.sharing.mcp_server.schemas.list_answers import ProblemRead


class ProfileSetRead(BaseModel):
    """Profiles opened together."""

    id: UUID
    state: str
    problem: ProblemRead | None
    kinds: list["ProfileSetKind"]
    views: list["ProfileViewRead"]


class ProfileSetKind(BaseModel):
    """A kind of a set."""

    kind: str
    default_sample_type: str
    artifacts: int


class LabelRead(BaseModel):
    """A label matcher of a view."""

    key: str


class ProfileViewRead(ViewRead):
    """A view of a set."""

    labels: list[LabelRead]


class CategoryRead(BaseModel):
    """A runtime category with its share."""

    category: str
    share: float


class ProfileViewSummary(BaseModel):
    """Where the cost of a view is."""

    headline: str
    categories: list[CategoryRead]
    caveats: list[Caveat]
