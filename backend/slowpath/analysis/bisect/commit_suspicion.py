"""Score how suspicious a commit is, from what it touches.

An order for inspecting commits, not a proof. Weights are relative to a commit with no evidence. One commit in twenty
touches the regressed packages; when one does, it is the culprit four times out of five. (0.8 / 0.05) / (0.2 / 0.95) is
76 times as likely as one that does not. Files count more than packages; packages with a matching name elsewhere count
less.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

ReasonKind = Literal["same-binary", "binary", "file", "package", "bump-on-path", "bump", "toolchain", "size"]

FILE: Final = 80.0
PACKAGE: Final = 25.0
BUMP_ON_PATH: Final = 80.0
BUMP: Final = 6.0
TOOLCHAIN: Final = 10.0
LINES: Final = 0.25
"""Per tenfold of lines."""
MAX_LISTED: Final = 3
TOOLCHAINS: Final = frozenset({"go", "toolchain"})


@dataclass(frozen=True)
class RegressedCode:
    """What got slower: function names from profiles, and their files."""

    functions: Sequence[str] = ()
    files: Sequence[str] = ()
    main_directory: str = ""
    """Directory of package main in the repository."""

    @cached_property
    def packages(self) -> frozenset[str]:
        """Import paths of the functions."""
        return frozenset(package_of(function) for function in self.functions)

    @cached_property
    def package_ends(self) -> frozenset[str]:
        """What a folder in a repository can be called that holds one of the packages: all ends of their import paths."""
        return frozenset(end for package in self.packages for end in _ends_of(package))

    @cached_property
    def package_beginnings(self) -> frozenset[str]:
        """Paths of modules that can hold one of the packages: all beginnings of their import paths."""
        return frozenset(
            "/".join(parts[:count])
            for parts in (package.split("/") for package in self.packages)
            for count in range(1, len(parts) + 1)
        )

    @cached_property
    def file_ends(self) -> frozenset[str]:
        """Paths in a repository that are one of the files. A path without a folder is too ambiguous, unless it is the file."""
        return frozenset(end for file in self.files for end in _ends_of(file) if "/" in end or end == file)

    def with_more(self, functions: Sequence[str], files: Sequence[str]) -> "RegressedCode":
        """Return the same with more functions and files."""
        return replace(self, functions=(*self.functions, *functions), files=(*self.files, *files))


@dataclass(frozen=True)
class CommitChanges:
    """What a commit touches."""

    paths: Sequence[str]
    modules: Sequence[str]
    """Modules whose versions it changes, including `go` and `toolchain`."""
    lines: int | None
    changes_binary: bool | None
    """None: not computed."""


@dataclass(frozen=True)
class SuspicionReason:
    """Why a commit is or is not suspicious."""

    kind: ReasonKind
    sentence: str


@dataclass(frozen=True)
class CommitSuspicion:
    """A weight and its reasons."""

    weight: float
    reasons: tuple[SuspicionReason, ...]


def suspicion(touched: CommitChanges, regressed: RegressedCode) -> CommitSuspicion:
    """Return how suspicious a commit is; 0 for one that does not change the binary."""
    if touched.changes_binary is False:
        return CommitSuspicion(0.0, (SuspicionReason("same-binary", "Does not change the service's binary."),))
    reasons: list[SuspicionReason] = []
    factors = [1.0]
    if touched.changes_binary:
        reasons.append(SuspicionReason("binary", "Changes the service's binary."))
    for factor, new_reasons in (_paths(touched, regressed), _bumps(touched, regressed)):
        factors.append(factor)
        reasons.extend(new_reasons)
    if touched.lines:
        factors.append(1 + LINES * math.log10(1 + touched.lines))
        if touched.lines >= 1_000:
            reasons.append(SuspicionReason("size", f"Changes {touched.lines:,} lines."))
    return CommitSuspicion(math.prod(factors), tuple(reasons))


def package_of(function: str) -> str:
    """Return the import path in a function's name: that of `a/b.(*T).F` is `a/b`."""
    folder, slash, rest = function.split("[", 1)[0].rpartition("/")
    return folder + slash + rest.split(".", 1)[0].replace("%2e", ".")


def _paths(touched: CommitChanges, regressed: RegressedCode) -> tuple[float, list[SuspicionReason]]:
    code = [path for path in touched.paths if not path.endswith(("_test.go", ".md"))]
    files = [path for path in code if path in regressed.file_ends]
    if files:
        return FILE, [SuspicionReason("file", f"Touches a file of regressed functions: {_format_names(files)}.")]
    near = [path for path in code if path.endswith((".go", ".s", ".c", ".h")) and _is_package(path, regressed)]
    if near:
        folders = list(dict.fromkeys(_folder(path) or "the root directory" for path in near))
        return PACKAGE, [
            SuspicionReason("package", f"Touches a package of regressed functions: {_format_names(folders)}.")
        ]
    return 1.0, []


def _bumps(touched: CommitChanges, regressed: RegressedCode) -> tuple[float, list[SuspicionReason]]:
    reasons: list[SuspicionReason] = []
    factor = 1.0
    modules = [module for module in touched.modules if module not in TOOLCHAINS]
    on_path = [one for one in modules if one in regressed.package_beginnings]
    if on_path:
        factor = BUMP_ON_PATH
        reasons.append(
            SuspicionReason(
                "bump-on-path", f"Changes the version of a module of regressed functions: {_format_names(on_path)}."
            )
        )
    elif modules:
        factor = BUMP
        reasons.append(SuspicionReason("bump", f"Changes the version of {_format_names(modules)}."))
    if TOOLCHAINS & set(touched.modules):
        factor *= TOOLCHAIN
        reasons.append(SuspicionReason("toolchain", "Changes the version of Go."))
    return factor, reasons


def _is_package(path: str, regressed: RegressedCode) -> bool:
    folder = _folder(path)
    if folder == regressed.main_directory and "main" in regressed.packages:
        return True
    return bool(folder) and folder in regressed.package_ends


def _ends_of(path: str) -> Iterator[str]:
    """Yield a path, and what is left of it without its first folders."""
    while path:
        yield path
        path = path.partition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _format_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MAX_LISTED])
    return shown if len(names) <= MAX_LISTED else f"{shown} and {len(names) - MAX_LISTED} more"
