"""The header of a decoded Go executable (`slowpath.binary`)."""

from collections.abc import Mapping
from dataclasses import dataclass

from slowpath.analysis.formats.header_members import HeaderMembers

EXECUTABLE_FORMAT = "slowpath.binary"


@dataclass(frozen=True)
class ExecutableHeader:
    """The build, and the numbers of functions, inlined functions, calls, and functions whose tables are damaged."""

    build_id: str
    arch: str
    functions: int
    inlined: int
    calls: int
    damaged: int


def parse_executable_header(header: Mapping[str, object]) -> ExecutableHeader:
    """Parse the header. Raises `ColumnFileError` if a member is missing or has another type."""
    members = HeaderMembers(header)
    return ExecutableHeader(
        build_id=members.text("build_id"),
        arch=members.text("arch"),
        functions=members.integer("functions"),
        inlined=members.integer("inlined"),
        calls=members.integer("calls"),
        damaged=members.integer("damaged"),
    )
