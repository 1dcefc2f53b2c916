"""States of example data, the names that it uses, and what a team has beside it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

SERVICES: Final = ("ingester", "timestamps", "distributor", "quoter")
"""Services of the example. Their spans and metrics contain these names, so a team cannot have services with them."""
ENVIRONMENT: Final = "example"

ALLOWED_OPERATIONS: Final = frozenset(
    {
        "comparisons:create-assembly", "comparisons:swap", "commits:load-diff", "diff-views:create", "executables:create-assembly",
        "exports:create", "gap-explanations:create", "linked-issues:create", "production-events:compare",
        "profile-exports:create", "profile-views:create", "subscriptions:create", "subscriptions:delete",
        "share-links:create", "share-links:revoke", "trace-excerpts:create",
    }
)  # fmt: skip
"""Operations that are allowed on parts of the example: they read it, or create something beside it."""


class ExampleDataState(StrEnum):
    """State of the example data of a team."""

    ADDING = "adding"
    ADDED = "added"
    REMOVING = "removing"
    FAILED = "failed"
    """The last job failed; what it had added is still there."""


@dataclass(frozen=True)
class ReceivedItem:
    """A name, and when it was received."""

    name: str
    at: datetime


@dataclass(frozen=True)
class OwnData:
    """The newest data of the team that is not of the example; None: there is none."""

    artifact: ReceivedItem | None = None
    build: ReceivedItem | None = None
    deployment: ReceivedItem | None = None


NO_OWN_DATA: Final = OwnData()
