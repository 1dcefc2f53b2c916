"""Candidates: commits, the builds they produce, and what they can be expanded to."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from slowpath.analysis.findings.wording import pluralize

Kind = Literal["commit", "bump", "pruned", "fork", "release", "setting"]
"""`pruned`: the last of several commits that keep the inputs of the build, measured to prove it. `fork`: the state that a commit
started from, where that is not the build before it in the search. `release`, `setting`: a step between Go releases, and a
default that changed in one."""
SHA: Final = re.compile(r"[0-9a-f]{40}")
NOT_SUSPECTED: Final = frozenset({"pruned", "fork"})


@dataclass(frozen=True)
class BuildInputs:
    """Inputs of a build: a commit of the main repository, with modules overridden by commits or versions."""

    commit: str
    modules: Mapping[str, str] = field(default_factory=dict)
    """Commit SHA by module."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Version by module, where its repository is unknown; the toolchain too."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the Go toolchain, as in `go_releases`: "go", "GODEBUG" and "GOEXPERIMENT"."""


@dataclass(frozen=True)
class CandidateNode:
    """A candidate: a commit, one of several dependency updates of a commit, or the literal parent of another candidate."""

    id: str
    repository: str
    """"" is the main one, else the module's path."""
    sha: str
    title: str
    kind: Kind
    build: BuildInputs
    before: BuildInputs
    """Build inputs of the state before this candidate."""
    members: tuple[str, ...] = ()
    """Commits that produce the same binary, this one first."""
    outer: str | None = None
    """The candidate whose expansion contains this one."""
    bump: tuple[str, str, str] | None = None
    """Of a dependency update: module, version before and after."""
    weight: float = 1.0
    """Prior weight from what the commit changes."""
    why: str = ""
    """Reasons for the weight, in sentences."""


@dataclass(frozen=True)
class PrunedCommits:
    """Commits that cannot be the culprit, and the reason."""

    why: str
    commits: int


@dataclass(frozen=True)
class SearchLevel:
    """The candidates between a good and a bad build; empty if they cannot be separated further."""

    nodes: tuple[CandidateNode, ...]
    commits: int
    repository: str = ""
    """As in `CandidateNode`."""
    label: str = ""
    """Display name of the repository."""
    good: str = ""
    """Boundary commits in its repository."""
    bad: str = ""
    pruned: tuple[PrunedCommits, ...] = ()
    bump: tuple[str, str, str] | None = None
    """Of a module: the versions that bound the range."""

    @property
    def classes(self) -> int:
        """Return the number of commits that change the build, and of dependency updates."""
        return sum(one.kind not in NOT_SUSPECTED for one in self.nodes) if self.commits else 0


def describe_pruned(commits: int) -> str:
    """Describe commits that keep the inputs of the build."""
    return pluralize(commits, "commit") + (" that keeps" if commits == 1 else " that keep") + " the inputs of the build"


def commit_in(repository: str, build: BuildInputs) -> str | None:
    """Return the commit of a repository in a build; None if a version pins it."""
    return build.commit if repository == "" else build.modules.get(repository)


def is_merge_in_its_branch(node: CandidateNode) -> bool:
    """Return whether a node is a merge at the end of the branch that it merges: it is expanded already."""
    return (
        node.outer is not None and node.id == f"{node.outer}/{node.sha}" and node.outer.rpartition("/")[2] == node.sha
    )


def to_json(node: CandidateNode) -> dict[str, Any]:
    """Return a node as JSON."""
    return asdict(node)


def from_json(stored: Mapping[str, Any]) -> CandidateNode:
    """Return the node of stored JSON."""
    bump = stored["bump"]
    return CandidateNode(
        **{
            **stored,
            "build": BuildInputs(**stored["build"]),
            "before": BuildInputs(**stored["before"]),
            "members": tuple(stored["members"]),
            "bump": tuple(bump) if bump else None,
        }
    )
