"""What a bisect would begin with."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class RangeBoundary:
    """A commit at the end of a range; what nobody knows of it is empty."""

    sha: str
    title: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Signature:
    """What is measured of every build."""

    kind: str
    subject: str
    label: str
    unit: str
    larger_is_worse: bool = True


@dataclass(frozen=True)
class DashboardLatencySource:
    """Where latency would be measured, and how long a window must be by the traffic there; None: nobody knows."""

    environment_id: UUID
    environment: str
    measurement_seconds: float | None = None


@dataclass(frozen=True)
class SignatureProposal:
    """A signature, with what it was in the good and in the bad build, and whether it told them apart already."""

    signature: Signature
    before: float | None
    after: float | None
    separates: bool
    why: str
    board: DashboardLatencySource | None = None
    """Of latency."""


@dataclass(frozen=True)
class BisectProposal:
    """What a bisect would begin with; `missing` says in sentences what is still needed."""

    service: tuple[UUID, str] | None
    repository: tuple[UUID, str, str | None] | None
    """Id, label, address."""
    good: RangeBoundary | None
    bad: RangeBoundary | None
    signatures: tuple[SignatureProposal, ...] = ()
    """The best first."""
    missing: tuple[str, ...] = ()
    title: str = ""
    """How the bisect would be called."""
    environments: tuple[tuple[UUID, str], ...] = ()
    """Id and name of those in which the board tells latency of anything."""
