"""What a candidate is: a commit of a repository, what is built of it, and what may hide in it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["commit", "bump"]


@dataclass(frozen=True)
class BuildInputs:
    """What is built: a commit of the main repository, with modules replaced by commits of theirs or by versions."""

    commit: str
    modules: Mapping[str, str] = field(default_factory=dict)
    """Module to the id of a commit."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Module to a version, where its repository is not given."""


@dataclass(frozen=True)
class CandidateNode:
    """A candidate: a commit (`bump`: one of several version changes of a commit)."""

    id: str
    repository: str
    """"" is the main one, else the module's path."""
    sha: str
    title: str
    kind: Kind
    build: BuildInputs
    before: BuildInputs
    """What is built just before it."""
    members: tuple[str, ...] = ()
    """Commits that build the same, this one first."""
    outer: str | None = None
    """The candidate in which this one hid."""
    bump: tuple[str, str, str] | None = None
    """Of a bump: module, version before and after."""
    weight: float = 1.0
    """How suspicious it is beside its neighbours, from what it changes."""
    why: str = ""
    """What speaks for it or against it, in sentences."""


@dataclass(frozen=True)
class PrunedCommits:
    """Commits that are no candidates, for one reason."""

    why: str
    commits: int


@dataclass(frozen=True)
class SearchLevel:
    """What lies between a good and a bad build. Without nodes there is nothing to tell apart."""

    nodes: tuple[CandidateNode, ...]
    commits: int
    repository: str = ""
    """As in `CandidateNode`."""
    label: str = ""
    """How people call it."""
    good: str = ""
    """The commits between which it lies, in its repository."""
    bad: str = ""
    pruned: tuple[PrunedCommits, ...] = ()
    bump: tuple[str, str, str] | None = None
    """Of a module: between which versions of it."""


def to_json(node: CandidateNode) -> dict[str, Any]:
    """Return a node as JSON."""
    return asdict(node)


def from_json(told: Mapping[str, Any]) -> CandidateNode:
    """Read a node."""
    bump = told["bump"]
    return CandidateNode(
        **{
            **told,
            "build": BuildInputs(**told["build"]),
            "before": BuildInputs(**told["before"]),
            "members": tuple(told["members"]),
            "bump": tuple(bump) if bump else None,
        }
    )
