"""Prefilled settings of a bisect."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class RangeBoundary:
    """A boundary of a commit range; title and time are empty if unknown."""

    sha: str
    title: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Signature:
    """What is measured of every probe."""

    kind: str
    subject: str
    label: str
    unit: str
    larger_is_worse: bool = True


@dataclass(frozen=True)
class DashboardLatencySource:
    """Environment where latency would be measured, and the measurement window its traffic requires.

    None if unknown.
    """

    environment_id: UUID
    environment: str
    measurement_seconds: float | None = None


@dataclass(frozen=True)
class SignatureProposal:
    """A signature with its value in the good and the bad build, and whether it already separates them."""

    signature: Signature
    before: float | None
    after: float | None
    separates: bool
    why: str
    board: DashboardLatencySource | None = None
    """Only for latency."""
    separation: float | None = None
    """Difference of both builds in standard errors; None if it is unknown."""
    is_confirmed: bool = False
    """Whether the regression itself is this series."""
    is_related: bool = False
    """Whether the series changed with the regression."""


@dataclass(frozen=True)
class BisectProposal:
    """Prefilled settings of a bisect; `missing` describes in sentences what is still required."""

    service: tuple[UUID, str] | None
    repository: tuple[UUID, str, str | None] | None
    """ID, label and URL."""
    good: RangeBoundary | None
    bad: RangeBoundary | None
    signatures: tuple[SignatureProposal, ...] = ()
    """The best first."""
    missing: tuple[str, ...] = ()
    title: str = ""
    """Title of the bisect."""
    environments: tuple[tuple[UUID, str], ...] = ()
    """ID and name of the environments with latency on the dashboard."""
    left_out: tuple[SignatureProposal, ...] = ()
    """Signatures that do not separate good from bad."""
    comparison_id: UUID | None = None
    """The comparison of both ends, if there is one."""
    origin: str = ""
    """What the bisect is started from, such as a regression with its number; empty for a service."""
