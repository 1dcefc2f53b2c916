"""Pull requests as code hosts report them: which commits belong to one, and who reviewed it. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from slowpath.inventory.repositories.rules import Graph, commit_range

MOST_REVIEWERS: Final = 50
"""Stored per pull request."""
MOST_DESCENDANTS: Final = 1_000
"""Commits after a commit among which its pull request is searched."""


@dataclass(frozen=True)
class Reviewer:
    """A person who reviewed a pull request, as the code host names them."""

    login: str
    name: str = ""
    email: str = ""


@dataclass(frozen=True)
class PullRequestFacts:
    """What a code host reports about a pull request. Its SHAs have 40 hexadecimal digits, or fewer from Bitbucket."""

    number: int
    url: str | None
    head: str
    base: str | None = None
    """Head of the base branch; GitLab does not name it."""
    merge: str | None = None
    """The commit that merged it: a merge commit, or the last of its squashed or rebased commits."""
    reviewers: tuple[Reviewer, ...] = ()
    branch: str | None = None
    """None: it is of a fork, or the report is about a review only."""
    base_branch: str | None = None
    is_open: bool = False
    """Whether it can be measured: it is of the repository itself, and open."""

    @property
    def reports_commits(self) -> bool:
        """Return whether the report is about its commits, and not about a review only."""
        return self.branch is not None or self.merge is not None

    def with_branches(self, branch: str, base_branch: str, *, is_open: bool) -> Self:
        """Return the facts of a pull request of the repository itself."""
        return replace(self, branch=branch, base_branch=base_branch, is_open=is_open)


def add_reviewers(known: Sequence[Reviewer], new: Iterable[Reviewer]) -> list[Reviewer]:
    """Return the reviewers with new ones: each login once, with the name that was reported last."""
    by_login = {one.login.casefold(): one for one in (*known, *new)}
    return list(by_login.values())[:MOST_REVIEWERS]


def find_former_head(base: str | None, merge_parents: Sequence[str] | None) -> str | None:
    """Return the commit that a pull request was merged into: the first parent of a merge commit, else its base."""
    return merge_parents[0] if merge_parents is not None and len(merge_parents) > 1 else base


def list_pull_request_commits(graph: Graph, head: str, base: str | None, merge: str | None) -> frozenset[str]:
    """Return the commits of a pull request in a part of the graph: its own, and the one that merged it.

    Its own are those in its head and not in what it was merged into. If that is not known, only head and merge are sure.
    """
    sure = frozenset(one for one in (head, merge) if one is not None and one in graph)
    former = find_former_head(base, graph.get(merge) if merge is not None else None)
    if head not in graph or former is None:
        return sure
    return sure | commit_range(graph, former, head).shas
