"""Values that the services of function sources return."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from slowpath.core.ids import ServiceId
from slowpath.inventory.repositories.rules.source_paths import SourcePlace
from slowpath.inventory.repositories.tables import Repository

SourceReason = Literal[
    "no-file", "unknown-file", "no-commit", "several-commits", "unknown-commit", "no-repository", "no-version",
    "not-fetched", "no-mirror", "not-in-repository", "not-declared", "too-large", "no-lines",
]  # fmt: skip
"""Why there is no source text."""


@dataclass(frozen=True)
class SideCommit:
    """The commit and the modules of a side, as its builds or the run metadata of its artifacts report them."""

    commit: str | None
    reason: SourceReason | None
    service_id: ServiceId | None = None
    go_version: str = ""
    dependencies: Mapping[str, str] = field(default_factory=dict)
    commits: int = 1
    """How many commits the side has; `commit` is one of them."""
    at: datetime | None = None
    """When the commit was made, or uploaded."""


@dataclass(frozen=True)
class TextLine:
    """A line of a file: number, text, raw cost, inlined functions, and whether the other side has another text here.

    `attributed_value` is None in views that were stored without it.
    """

    number: int
    text: str
    self_value: float
    total_value: float
    attributed_value: float | None = None
    inlined: tuple[str, ...] = ()
    is_changed: bool = False


@dataclass(frozen=True)
class FunctionSource:
    """A function's source on one side. Without lines, `reason` states why.

    `module_directory` is the directory of the module in the repository; `is_declared`: the file declares the function.
    """

    repository: Repository | None = None
    place: SourcePlace | None = None
    commit: str | None = None
    path: str | None = None
    module_directory: str = ""
    url: str | None = None
    lines: Sequence[TextLine] = ()
    is_truncated: bool = False
    reason: SourceReason | None = None
    is_declared: bool = False
    commits: int = 1
    """How many commits the side has; the text is of the newest."""


@dataclass(frozen=True)
class FunctionMove:
    """Where a function is on each side, if it is in another file. A name is None if the file is in another module."""

    base_path: str
    candidate_path: str
    base_function: str | None
    candidate_function: str | None


@dataclass(frozen=True)
class FunctionSources:
    """A function's source on both sides, and the address of the difference at the code host."""

    base: FunctionSource
    candidate: FunctionSource
    comparison_url: str | None = None
    move: FunctionMove | None = None


@dataclass(frozen=True)
class ComparedCommits:
    """The service and the commits of both sides; None if the sides are not of one service, or a commit is unknown.

    Of several commits, the newest of the base and the oldest of the candidate; both None if the commits of the sides overlap.
    """

    service_id: ServiceId | None
    base: str | None
    candidate: str | None
