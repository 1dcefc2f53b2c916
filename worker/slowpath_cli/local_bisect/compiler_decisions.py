"""Build a package at two commits, and find what the compiler decided differently."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.analysis.bisect.search import SearchResult
from slowpath.analysis.builds.compile_report import (
    CompilerReason,
    FunctionDecisions,
    describe_reason,
    find_differences,
    parse_decisions,
)
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US, InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.search_driver import SearchSession

BUILD_SECONDS: Final = 1800.0
LAST_CHARACTERS: Final = 2000
MOST_SENTENCES: Final = 10


@dataclass(frozen=True)
class PackagePlace:
    """A package: the folder of go.mod in the repository, build tags separated by commas, and its path for `go build`."""

    directory: str
    tags: str
    package: str


def compare_decisions(
    repository: LocalRepository, commits: tuple[str, str], place: PackagePlace
) -> Sequence[CompilerReason]:
    """Return what the compiler decided differently in the package at two commits. Raises `InvalidRepository`."""
    base, candidate = (
        _decisions(repository.tree(slot, commit) / place.directory.strip("/"), place)
        for slot, commit in enumerate(commits)
    )
    return find_differences(base, candidate)


def explain_culprit(session: SearchSession, finished: SearchResult, repository: LocalRepository) -> list[str]:
    """Return what the compiler decided differently in the culprit and its first parent, as sentences.

    Empty unless the culprit is a commit of the main repository and the search has a main package.
    """
    question = session.question
    if finished.outcome != "found" or not question.get("main") or session.nodes[finished.suspects[0]].repository:
        return []
    culprit = session.nodes[finished.suspects[0]].sha
    place = PackagePlace(str(question.get("directory") or ""), str(question.get("tags") or ""), f"./{question['main']}")
    try:
        reasons = compare_decisions(repository, (repository.parents(culprit)[0], culprit), place)
    except InvalidRepository as error:
        return [f"What the compiler decided is not known: {error}"]
    more = len(reasons) - MOST_SENTENCES
    return [
        *map(describe_reason, reasons[:MOST_SENTENCES]),
        *([f"{more} further decisions differ: see slowpath compile-report."] if more > 0 else []),
    ]


def _decisions(folder: Path, place: PackagePlace) -> dict[str, FunctionDecisions]:
    """Build the package in a work tree, and return what the compiler decided on the functions of its module."""
    module = _go(folder, "list", "-m", "-f", "{{.Path}}").stdout.split("\n")[0].strip()
    tags = ["-tags", place.tags]
    listed = _go(folder, "list", *tags, "-f", "{{.ImportPath}} {{.Name}}", "--", place.package).stdout.split()
    if len(listed) != 2:
        raise InvalidRepository(f"{place.package!r} names {len(listed) // 2} packages. Name one main package.")
    path, name = listed
    build = ["build", "-buildvcs=false", *tags, f"-gcflags={module}/...=-m=2", "-o", os.devnull]
    printed = _go(folder, *build, "--", place.package).stderr
    return parse_decisions(printed, path if name == "main" else "")


def _go(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the go command in a separate session, which ends with this process. Raises `InvalidRepository`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            [*DIES_WITH_US, "go", *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="utf-8", errors="replace", timeout=BUILD_SECONDS, check=False, start_new_session=True,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InvalidRepository(f"go {words[0]} could not be run in {folder}: {error}") from error
    if done.returncode != 0:
        raise InvalidRepository(f"go {words[0]} failed in {folder}: {done.stderr.strip()[-LAST_CHARACTERS:]}")
    return done
