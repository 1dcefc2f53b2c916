"""Output of executables' endpoints."""

from typing import Self

from pydantic import BaseModel

from slowpath.analysis.formats.executable_functions import ExecutableFunction, FoundFunctions


class ExecutableFunctionOut(BaseModel):
    """One function; the frame is what it takes of the stack, without the return address on amd64."""

    name: str
    file: str
    line: int
    """Line of the declaration; 0 if unknown (before Go 1.20)."""
    frame_bytes: int
    size_bytes: int
    has_stack_check: bool
    is_wrapper: bool
    """Made by the compiler and absent from profiles."""
    inlined: int
    """Number of calls that are inlined in it."""
    calls: int

    @classmethod
    def of(cls, function: ExecutableFunction) -> Self:
        """Return a function on the wire."""
        return cls.model_validate(function, from_attributes=True)


class ExecutableFunctionsOut(BaseModel):
    """One page of the functions of a search."""

    functions: list[ExecutableFunctionOut]
    matched: int
    total: int

    @classmethod
    def of(cls, found: FoundFunctions) -> Self:
        """Return the functions on the wire."""
        functions = [ExecutableFunctionOut.of(each) for each in found.functions]
        return cls(functions=functions, matched=found.matched, total=found.total)
