"""What a candidate is: a commit of a repository, what is built of it, and what may hide in it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Kind = Literal["commit", "bump"]


@dataclass(frozen=True)
class Build:
    """What is built: a commit of the main repository, with modules replaced by commits of theirs or by versions."""

    commit: str
    modules: Mapping[str, str] = field(default_factory=dict)
    """Module to the id of a commit."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Module to a version, where its repository is not given."""


@dataclass(frozen=True)
class Node:
    """A candidate: a commit (`bump`: one of several version changes of a commit)."""

    id: str
    repository: str
    """"" is the main one, else the module's path."""
    sha: str
    title: str
    kind: Kind
    build: Build
    before: Build
    """What is built just before it."""
    members: tuple[str, ...] = ()
    """Commits that build the same, this one first."""
    outer: str | None = None
    """The candidate in which this one hid."""
    bump: tuple[str, str, str] | None = None
    """Of a bump: module, version before and after."""


def to_json(node: Node) -> dict[str, Any]:
    """Return a node as JSON."""
    return asdict(node)


def from_json(told: Mapping[str, Any]) -> Node:
    """Read a node."""
    bump = told["bump"]
    return Node(
        **{
            **told,
            "build": Build(**told["build"]),
            "before": Build(**told["before"]),
            "members": tuple(told["members"]),
            "bump": tuple(bump) if bump else None,
        }
    )
