"""Request and response bodies of the compiler's evidence."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.analysis.builds.compile_report import LONGEST, MOST_REASONS, ReasonKind
from slowpath.analysis.comparison.assembly_document import AssemblyDocument
from slowpath.platform.http.problems import StoredProblem
from slowpath.platform.http.request_types import JsonInt

FunctionName = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x1f\x7f]*$")]


class AssemblyIn(BaseModel):
    """The function to disassemble, as profiles name it."""

    model_config = ConfigDict(extra="forbid")

    function: FunctionName


Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
Text = Annotated[str, Field(max_length=LONGEST + 1, pattern=r"^[^\x00-\x1f\x7f]*$")]


class CompilerReasonIn(BaseModel):
    """A decision of the compiler that differs; the texts are null where it was not made, and empty if it can be inlined.

    Of the kind `pgo`, the function is empty and the texts are the SHA-256 of the PGO profiles.
    """

    model_config = ConfigDict(extra="forbid")

    function: Text
    kind: ReasonKind
    base: Text | None
    candidate: Text | None
    file: Text
    line: Annotated[JsonInt, Field(ge=0, le=2**31 - 1)]
    cost: Annotated[JsonInt, Field(ge=0, le=2**31 - 1)] | None = None
    """Cost of the side in which it can be inlined."""


class CompileReportIn(BaseModel):
    """What `slowpath compile-report` found."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["slowpath.compile-report/1"]
    package: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
    base_commit: Commit
    candidate_commit: Commit
    reasons: Annotated[list[CompilerReasonIn], Field(max_length=MOST_REASONS)]


class CompileReportOut(BaseModel):
    """A stored report."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    package: str
    base_commit: str
    candidate_commit: str
    created_at: datetime


class CompilerReasonOut(BaseModel):
    """A decision of the compiler on a function that differs between the commits of a comparison."""

    function: str
    sentence: str
    file: str
    line: int


class CompilerAbsenceOut(BaseModel):
    """Why a finished comparison has no part of the compiler; without reasons if it has, or if it has no profiles."""

    reasons: list[str]
    remedy: str
    is_changing: bool
    """An executable is being decoded."""
    can_compute_again: bool
    """The comparison would have the part if it was computed now."""


class AssemblyOut(BaseModel):
    """The assembly of a function, once its job has ended."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    executable_id: UUID
    base_executable_id: UUID | None
    comparison_id: UUID | None
    function: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    document: AssemblyDocument | None
    problem: StoredProblem
    job_id: UUID | None
    created_at: datetime

    @classmethod
    def of(cls, row: object) -> Self:
        """Return an assembly on the wire."""
        return cls.model_validate(row)
