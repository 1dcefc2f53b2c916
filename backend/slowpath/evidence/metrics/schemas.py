"""What was recognised, rules and settings on the wire."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Metric = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300, pattern=r"^[^\x00-\x1f]*$")
]
Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")
]
Value = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]
RuleRole = Literal["requests", "latency", "gauge", "ignore"]
MAX_RETENTION_DAYS = 1000


class MetricNameOut(BaseModel):
    """One name of series: what it was recognised as, and why, or why not. A service or environment is named if it is the only one."""

    name: str
    kind: str
    series: int
    role: Literal["requests", "latency", "gauge"] | None
    reason_code: str = Field(examples=["by-name", "no-service"])
    reason: str
    services: int = Field(description="of how many services its series are")
    service_id: UUID | None
    environment_id: UUID | None


class MetricNameList(BaseModel):
    """Everything that came in, by name."""

    items: list[MetricNameOut]
    series: int
    max_series: int
    has_more: bool
    """Whether there are more names than are told."""


class MetricRuleIn(BaseModel):
    """What a metric is, where its name does not say it. Of several rules that fit, the newest holds."""

    model_config = ConfigDict(extra="forbid")

    metric: Metric = Field(description="the name without _bucket, _sum, _count")
    role: RuleRole
    label_matchers: dict[Label, Value] = Field(
        default_factory=dict, max_length=20, description="only series with these labels"
    )
    service: Label | None = Field(None, description="the service's name, if no label says it")
    service_label: Label | None = None
    environment_label: Label | None = None
    status_label: Label | None = None
    seconds_per_unit: float = Field(
        1.0, gt=0, le=1e12, allow_inf_nan=False, description="a latency times this is seconds"
    )
    title: Label | None = Field(None, description="how a gauge is called on the board")


class MetricRuleUpdate(BaseModel):
    """What is to be otherwise; null takes a value away."""

    model_config = ConfigDict(extra="forbid")

    metric: Metric | None = None
    role: RuleRole | None = None
    label_matchers: dict[Label, Value] | None = Field(None, max_length=20)
    service: Label | None = None
    service_label: Label | None = None
    environment_label: Label | None = None
    status_label: Label | None = None
    seconds_per_unit: float | None = Field(None, gt=0, le=1e12, allow_inf_nan=False)
    title: Label | None = None


class MetricRuleOut(BaseModel):
    """A rule."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    metric: str
    role: str
    label_matchers: dict[str, str]
    service: str | None
    service_label: str | None
    environment_label: str | None
    status_label: str | None
    seconds_per_unit: float
    title: str | None
    created_at: datetime


class MetricSettingsOut(BaseModel):
    """What holds for all metrics of the team, and how much there is."""

    retention_days: int
    series: int
    max_series: int


class MetricSettingsUpdate(BaseModel):
    """What is to be otherwise."""

    model_config = ConfigDict(extra="forbid")

    retention_days: int = Field(ge=1, le=MAX_RETENTION_DAYS)


class MetricChangePointOut(BaseModel):
    """A change of latency or load: where it lies, by how much, and what explains it."""

    id: UUID
    service_id: UUID
    signal: Literal["p50", "p90", "p99", "mean", "qps"]
    at_ms: int
    earliest_ms: int
    latest_ms: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    cause: Literal["deployment", "load", "dependency", "unexplained"]
    deployment_id: UUID | None
    upstream_cause_service_id: UUID | None
    sentence: str


class MetricChangePointList(BaseModel):
    """The changes in a range, oldest first; of more than 1,000 the newest."""

    items: list[MetricChangePointOut]


class DeploymentEvaluationOut(BaseModel):
    """What was decided of a deploy so many minutes after it."""

    minutes_after_deployment: int
    verdict: str
    basis: str
    at: datetime
    check: dict[str, Any]


class DeploymentCheckOut(BaseModel):
    """What was decided of a deploy: the first look that said slower counts, else the last. Null before the first look."""

    deployment_id: UUID
    verdict: str | None
    check: dict[str, Any] | None
    evaluations: list[DeploymentEvaluationOut]
