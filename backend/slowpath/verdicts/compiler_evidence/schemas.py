"""Request and response bodies of the compiler's evidence."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from slowpath.analysis.comparison.assembly_document import AssemblyDocument
from slowpath.platform.http.problems import StoredProblem

FunctionName = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x1f\x7f]*$")]


class AssemblyIn(BaseModel):
    """The function to disassemble, as profiles name it."""

    model_config = ConfigDict(extra="forbid")

    function: FunctionName


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
