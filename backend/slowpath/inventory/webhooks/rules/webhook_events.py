"""What a delivery reports."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slowpath.inventory.repositories.rules import CommitMetadata
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.webhooks.rules.payload_fields import Message


@dataclass(frozen=True)
class PushedBranch:
    """A branch to which commits were pushed."""

    name: str
    commits: tuple[CommitMetadata, ...]
    """The head last."""


@dataclass(frozen=True)
class PushEvent:
    """Commits were pushed: to one branch, at Bitbucket to several at once."""

    branches: tuple[PushedBranch, ...]
    repository: str | None = None


@dataclass(frozen=True)
class DeploymentStatusEvent:
    """A deployment event in one of the formats of the catalog."""

    message: Message
    names_service: bool
    """Whether the event names the service."""
    repository: str | None = None


@dataclass(frozen=True)
class CiRunEvent:
    """A CI run of a commit."""

    commit: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Columns of a build."""
    repository: str | None = None


@dataclass(frozen=True)
class PullRequestEvent:
    """A pull request was opened, reviewed, merged or closed, or got commits."""

    facts: PullRequestFacts
    repository: str | None = None


@dataclass(frozen=True)
class IgnoredEvent:
    """An event that requires no action."""

    why: str
    repository: str | None = None
    is_ping: bool = False
    """Whether the code host only checks the address: then the delivery is done, not ignored."""


WebhookEvent = PushEvent | DeploymentStatusEvent | CiRunEvent | PullRequestEvent | IgnoredEvent
