"""Response bodies of proposals: prefilled settings of a bisect."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel

from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef
from slowpath.verdicts.bisects.schemas.bisect_responses import RangeBoundaryOut, RunnerOut


class DashboardSelectorProposal(BaseModel):
    """Environment where latency would be measured, and the measurement window it requires, if known."""

    environment_id: UUID
    environment: str
    measurement_seconds: float | None


class EnvironmentRef(BaseModel):
    """An environment by id and name."""

    id: UUID
    name: str


class ProductionBaselineOut(BaseModel):
    """Production baseline of a boundary: from its newest build with artifacts of this kind."""

    build_id: UUID
    value: float
    error: float | None
    """Standard error; null with a single artifact."""
    files: int
    first_at: datetime
    last_at: datetime


class ProductionBaselinesOut(BaseModel):
    """Production baselines of both boundaries under equal conditions.

    They save deployments if probes run under the same.
    """

    good: ProductionBaselineOut
    bad: ProductionBaselineOut
    unit: str
    conditions: str
    """Machine, Go version, platform."""


class SignatureProposalOut(BaseModel):
    """A signature that may separate good from bad."""

    kind: str
    subject: str
    label: str
    unit: str
    before: float | None
    after: float | None
    separation: float | None
    """Difference of both builds in standard errors; null if it is unknown."""
    is_separating: bool
    """Whether it already separates both builds."""
    reason: str
    dashboard_selector: DashboardSelectorProposal | None
    """Only for latency."""
    production_baselines: ProductionBaselinesOut | None
    """Baselines that `use_production_baselines` would start from."""


class RepositoryProposalOut(BaseModel):
    """The repository of a service."""

    id: UUID
    label: str
    url: str | None


class LeftOutSignature(BaseModel):
    """A signature that is not proposed because it does not separate good from bad."""

    label: str
    reason: str


class BisectProposalOut(BaseModel):
    """Prefilled settings of a bisect."""

    origin: str
    """What it is started from, such as a regression with its number and title; empty for a service."""

    service: ServiceRef | None
    repository: RepositoryProposalOut | None
    good: RangeBoundaryOut | None
    bad: RangeBoundaryOut | None
    signatures: list[SignatureProposalOut]
    """The best first."""
    left_out: list[LeftOutSignature]
    runners: list[RunnerOut]
    environments: list[EnvironmentRef]
    """Environments with latency on the dashboard."""
    missing_inputs: list[str]
    """What is still required, in sentences."""
