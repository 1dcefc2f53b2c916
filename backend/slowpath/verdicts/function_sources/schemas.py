"""Wire shapes of the source text of functions."""

from typing import Literal, Self
from uuid import UUID

from pydantic import BaseModel, Field

from slowpath.analysis.kinds.profiles.views.stored_view import MOST_INLINED
from slowpath.inventory.repositories.schemas.repository_schemas import RepositoryRef
from slowpath.verdicts.function_sources.read_models import (
    ComparedCommits,
    FunctionSource,
    FunctionSources,
    SourceReason,
)
from slowpath.verdicts.function_sources.rules import MOST_LINES


class TextLineOut(BaseModel):
    """A line of a file with its cost in raw units."""

    number: int
    text: str = Field(description="at most 500 characters")
    self_value: float
    attributed_value: float | None = Field(description="runtime cost of calls on this line; null in older views")
    total_value: float
    inlined: list[str] = Field(description=f"functions inlined into this line, at most {MOST_INLINED}")
    is_changed: bool = Field(description="whether the other side does not have this line")


class FunctionSourceOut(BaseModel):
    """The source of a function on one side."""

    repository: RepositoryRef | None
    commit: str | None
    path: str | None = Field(description="path in the repository")
    module: str | None
    version: str | None = Field(description="version of the module, if it is a dependency or the standard library")
    origin: Literal["service", "dependency", "standard-library"] | None
    url: str | None = Field(description="URL of the lines at the code host")
    lines: list[TextLineOut] = Field(description=f"lines of the function, at most {MOST_LINES}")
    is_truncated: bool = Field(description="whether lines of the function are omitted")
    commits: int = Field(description="commits of this side; the text is of the newest")
    reason: SourceReason | None = Field(description="why there are no lines")

    @classmethod
    def of(cls, found: FunctionSource) -> Self:
        """Return the wire shape of one side."""
        place = found.place
        return cls(
            repository=None if found.repository is None else RepositoryRef.of(found.repository),
            commit=found.commit,
            path=found.path,
            module=None if place is None else place.module,
            version=None if place is None else place.version,
            origin=None if place is None else place.origin,
            url=found.url,
            lines=[TextLineOut.model_validate(one, from_attributes=True) for one in found.lines],
            is_truncated=found.is_truncated,
            commits=found.commits,
            reason=found.reason,
        )


class FunctionMoveOut(BaseModel):
    """Paths and names of a function that is in another file on each side."""

    base_path: str
    candidate_path: str
    base_function: str | None = Field(description="null: the file is in another module")
    candidate_function: str | None


class FunctionSourcesOut(BaseModel):
    """The source of a function on both sides."""

    base: FunctionSourceOut
    candidate: FunctionSourceOut
    move: FunctionMoveOut | None = Field(
        description="null: the function is in the same file on both sides, or on one only"
    )
    comparison_url: str | None = Field(description="URL of the difference of both commits at the code host")

    @classmethod
    def of(cls, found: FunctionSources) -> Self:
        """Return the wire shape of both sides."""
        return cls(
            base=FunctionSourceOut.of(found.base),
            candidate=FunctionSourceOut.of(found.candidate),
            move=None if found.move is None else FunctionMoveOut.model_validate(found.move, from_attributes=True),
            comparison_url=found.comparison_url,
        )


class ComparedCommitsOut(BaseModel):
    """The commits of the sides of a comparison."""

    service_id: UUID | None = Field(description="null: the sides are of no service, or of two")
    base: str | None = Field(
        description="of several commits the newest; null: unknown, or the commits of the sides overlap"
    )
    candidate: str | None = Field(description="of several commits the oldest")

    @classmethod
    def of(cls, found: ComparedCommits) -> Self:
        """Return the wire shape of the commits."""
        return cls(service_id=found.service_id, base=found.base, candidate=found.candidate)
