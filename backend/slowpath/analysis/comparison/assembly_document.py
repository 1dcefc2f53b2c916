"""The assembly of a function in one or two builds, as the decode helper's `assembly` prints it."""

from typing import Literal

from typing_extensions import TypedDict

from slowpath.analysis.comparison.compiler_report import ReportedBuild


class AssemblySamples(TypedDict):
    """Which profiles gave values of instructions, and why none did; `total` is the value of all their samples."""

    type: str
    unit: str
    used: int
    profiles: int
    total: int
    reason: Literal["no-profiles", "no-build-id", "other-build", "no-addresses"] | None


class AssemblyInstruction(TypedDict):
    """One instruction; `offset` is from the function's entry, `file` and `function` are indexes in the listing.

    `function` is the function, inlined or not, that it was made of; `call` names what it calls or jumps to. `self` is the
    value of samples at the instruction, `total` includes those in what it calls.
    """

    offset: int
    text: str
    file: int
    line: int
    function: int
    call: str
    self: int
    total: int


class AssemblyListing(TypedDict):
    """A function in one build; sizes are in bytes, `omitted` is behind the last instruction.

    `missing` states why it has no code; `inlined_in` names functions that it is inlined in.
    """

    build: ReportedBuild
    name: str
    start_line: int
    size: int
    frame: int
    omitted: int
    missing: Literal["inlined", "absent"] | None
    inlined_in: list[str]
    files: list[str]
    functions: list[str]
    samples: AssemblySamples
    instructions: list[AssemblyInstruction]


class AssemblyRow(TypedDict):
    """Aligned instructions by their indexes; `same`: one operation with the same kinds of operands."""

    base: int | None
    candidate: int | None
    same: bool


class AssemblyDocument(TypedDict):
    """The assembly; of one build there is no base and there are no rows."""

    version: int
    function: str
    base: AssemblyListing | None
    candidate: AssemblyListing
    rows: list[AssemblyRow]
